#include "serve/http_message.h"

#include <boost/beast/http/error.hpp>
#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/write.hpp>

#include <array>
#include <sstream>

#include "serve/target.h"

namespace crossbind::serve {
namespace {

namespace http = boost::beast::http;
using http::field;

// Scripts and styles are files of this server, and so is what they fetch; nothing else is loaded,
// framed, or told where a visitor came from.
constexpr std::array<std::pair<const char*, const char*>, 8> kHeadersOfEveryAnswer = {{
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
     "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"},
    {"Cross-Origin-Embedder-Policy", "require-corp"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Permissions-Policy", "camera=(), geolocation=(), microphone=()"},
    {"Referrer-Policy", "no-referrer"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
}};

Response line_too_long() {
  return problem(414, "the request's first line is longer than 4096 bytes");
}

Response no_body() {
  return problem(413, "nothing can be sent here: a request has no body");
}

template <typename Head>
size_t line_size(const Head& head) {
  constexpr std::string_view kSpacesAndVersion = "  HTTP/1.1";
  return head.method_string().size() + head.target().size() + kSpacesAndVersion.size();
}

bool has_length(const Response& response) {
  const auto status = http::int_to_status(static_cast<unsigned>(response.status));
  return !response.is_stream && status != http::status::no_content &&
         status != http::status::not_modified;
}

}  // namespace

void limit(HeadParser& parser) {
  parser.header_limit(kMostHead);
  parser.body_limit(0);
}

tl::expected<Request, Response> request_in(const HeadParser& parser) {
  const auto& head = parser.get();
  const auto refuse = [](Response response) { return tl::unexpected(std::move(response)); };
  if (line_size(head) > kMostLine) {
    return refuse(line_too_long());
  }
  if (head.count(field::transfer_encoding) > 0) {
    return refuse(no_body());
  }
  if (head.method() != http::verb::get && head.method() != http::verb::head) {
    return refuse(only_reads());
  }
  // Beast joins a header that goes on in the next line by a space, which no host has.
  if (head.count(field::host) != 1 || head[field::host].find(' ') != std::string::npos) {
    return refuse(problem(400, "a request names its host, once"));
  }
  const auto target = head.target();
  auto [path, query] = read_target({target.data(), target.size()});
  return Request{head.method_string().to_string(),
                 std::move(path),
                 std::move(query),
                 head[field::host].to_string(),
                 head[field::authorization].to_string(),
                 head[field::cookie].to_string(),
                 head[field::if_none_match].to_string()};
}

std::optional<Response> refusal_of(const boost::beast::error_code& error,
                                   const HeadParser& parser) {
  if (error == http::error::end_of_stream || error == http::error::partial_message ||
      error.category() != http::make_error_code(http::error::end_of_stream).category()) {
    return std::nullopt;
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    const auto& head = parser.get();  // its line is there once it was read to its end
    return head.target().empty() || line_size(head) > kMostLine
               ? line_too_long()
               : problem(431, "the request's headers are longer than 16384 bytes");
  }
  if (error == http::error::body_limit || error == http::error::bad_content_length ||
      error == http::error::bad_transfer_encoding) {
    return no_body();
  }
  return problem(400, fmt::format("this is not a request of HTTP 1.1: {}", error.message()));
}

std::string bytes_of(const Response& response, bool has_body) {
  http::response_header<> head;
  head.version(11);
  head.result(static_cast<unsigned>(response.status));
  for (const auto& [name, value] : kHeadersOfEveryAnswer) {
    head.set(name, value);
  }
  head.set(field::connection, "close");
  if (!response.type.empty()) {
    head.set(field::content_type, response.type);
  }
  if (has_length(response)) {
    head.set(field::content_length, std::to_string(response.body.size()));
  }
  for (const auto& [name, value] : response.headers) {
    head.set(name, value);
  }
  std::ostringstream bytes;
  bytes << head;
  return has_body ? std::move(bytes).str() + response.body : std::move(bytes).str();
}

}  // namespace crossbind::serve
