#include "serve/message.h"

#include <algorithm>
#include <array>

#include "base/named.h"
#include "serve/json.h"

namespace crossbind::serve {
namespace {

constexpr std::array kTitles = {
    Named<int>{"Bad Request", 400},
    Named<int>{"Unauthorized", 401},
    Named<int>{"Not Found", 404},
    Named<int>{"Method Not Allowed", 405},
    Named<int>{"Content Too Large", 413},
    Named<int>{"URI Too Long", 414},
    Named<int>{"Misdirected Request", 421},
    Named<int>{"Request Header Fields Too Large", 431},
    Named<int>{"Internal Server Error", 500},
    Named<int>{"Service Unavailable", 503},
};

std::string_view title_of(int status) {
  const auto* found = std::ranges::find(kTitles, status, &Named<int>::value);
  return found == kTitles.end() ? "Error" : found->name;
}

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalid:
      return 400;
    case ErrorKind::kNotFound:
      return 404;
    default:
      return 503;
  }
}

}  // namespace

Response problem(int status, const std::string& detail) {
  const Json json = {
      {"type", "about:blank"}, {"title", title_of(status)}, {"status", status}, {"detail", detail}};
  return {status, "application/problem+json", text_of(json), {}, false};
}

Response problem(const Error& error) {
  return problem(status_of(error.kind), error.to_string());
}

Response problem(int status, const std::string& detail, Header header) {
  Response response = problem(status, detail);
  response.headers.push_back(std::move(header));
  return response;
}

Response only_reads() {
  return problem(405, "nothing can be changed here: only GET and HEAD", {"Allow", "GET, HEAD"});
}

Response json_response(std::string body) {
  return {200, "application/json", std::move(body), {}, false};
}

}  // namespace crossbind::serve
