#include "serve/http_exchange.h"

#include <httplib.h>

#include <exception>

#include "serve/request_head.h"

namespace crossbind::serve {
namespace {

// Scripts and styles are files of this server, and so is what they fetch; nothing else is loaded,
// framed, or told where a visitor came from.
const httplib::Headers& headers_of_every_answer() {
  static const httplib::Headers headers = {
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src "
       "'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"},
      {"Cross-Origin-Embedder-Policy", "require-corp"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Permissions-Policy", "camera=(), geolocation=(), microphone=()"},
      {"Referrer-Policy", "no-referrer"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
  };
  return headers;
}

// What was received, and room for what is sent.
class MemoryStream final : public httplib::Stream {
 public:
  explicit MemoryStream(std::string_view received) : received_(received) {}

  [[nodiscard]] bool is_readable() const override { return !received_.empty(); }
  [[nodiscard]] bool is_writable() const override { return true; }
  ssize_t read(char* into, size_t size) override {
    const size_t taken = received_.copy(into, size);
    received_.remove_prefix(taken);
    return static_cast<ssize_t>(taken);
  }
  ssize_t write(const char* bytes, size_t size) override {
    sent_.append(bytes, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  [[nodiscard]] socket_t socket() const override { return INVALID_SOCKET; }

  [[nodiscard]] std::string take_sent() { return std::move(sent_); }

 private:
  std::string_view received_;
  std::string sent_;
};

Request request_of(const httplib::Request& received) {
  Request request;
  request.method = received.method;
  request.path = received.path;
  request.query.reserve(received.params.size());
  for (const auto& [name, value] : received.params) {
    request.query.push_back({name, value});
  }
  request.host = received.get_header_value("Host");
  request.authorization = received.get_header_value("Authorization");
  request.cookie = received.get_header_value("Cookie");
  request.known_tag = received.get_header_value("If-None-Match");
  return request;
}

void fill(httplib::Response& sent, Response response) {
  sent.status = response.status;
  for (const auto& [name, value] : response.headers) {
    sent.set_header(name, value);
  }
  if (!response.is_stream) {
    sent.body = std::move(response.body);
    if (!response.type.empty()) {
      sent.set_header("Content-Type", response.type);
    }
    return;
  }
  sent.set_content_provider(
      response.type, [beginning = std::move(response.body)](size_t, httplib::DataSink& sink) {
        sink.write(beginning.data(), beginning.size());
        sink.done();
        return true;
      });
}

// A server of one request, whose connection is a piece of memory.
class Exchange final : private httplib::Server {
 public:
  explicit Exchange(const std::function<Response(const Request&)>& answer) {
    // What provides content is asked for none by a server that has no socket and so is shutting
    // down; this one has none and is not.
    svr_sock_ = 0;
    set_default_headers(headers_of_every_answer());
    set_pre_routing_handler([this, &answer](const auto& received, auto& sent) {
      Response response = answer(request_of(received));
      is_stream_ = response.is_stream;
      fill(sent, std::move(response));
      return HandlerResponse::Handled;
    });
    // What httplib itself refuses.
    set_error_handler([](const auto& /*received*/, auto& sent) {
      if (sent.body.empty()) {
        fill(sent, problem(sent.status, "this is not a request of HTTP 1.1"));
      }
    });
  }

  Reply run(std::string_view head) {
    MemoryStream stream(head);
    bool is_closed = false;
    process_request(stream, true, is_closed, nullptr);
    return {stream.take_sent(), is_stream_};
  }

 private:
  bool is_stream_ = false;
};

}  // namespace

Reply reply_to(std::string_view head, const std::function<Response(const Request&)>& answer) {
  const auto guarded = [&](const Request& request) {
    try {
      return answer(request);
    } catch (const std::exception& error) {
      return problem(500, error.what());
    }
  };
  const auto checked = checked_head(head);
  if (checked) {
    return Exchange(guarded).run(*checked);
  }
  return Exchange([&](const Request&) { return checked.error(); })
      .run("GET / HTTP/1.1\r\nHost: refused\r\n\r\n");
}

}  // namespace crossbind::serve
