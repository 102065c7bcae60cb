#include "serve/request_head.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace crossbind::serve {
namespace {

constexpr std::array<std::string_view, 4> kKnown = {
    "authorization", "cookie", "host", "if-none-match"};
constexpr std::string_view kLineEnd = "\r\n";

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(
      result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool is_plain(std::string_view line) {
  return std::ranges::all_of(line,
                             [](unsigned char c) { return c == '\t' || (c >= 0x20 && c != 0x7f); });
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

tl::unexpected<Response> refuse(int status, const char* why) {
  return tl::unexpected(problem(status, why));
}

}  // namespace

tl::expected<std::string, Response> checked_head(std::string_view head) {
  const std::string_view first = head.substr(0, head.find(kLineEnd));
  if (first.size() > kMostLine) {
    return refuse(414, "the request's first line is longer than 4096 bytes");
  }
  if (head.size() > kMostHead || !head.ends_with(kHeadEnd)) {
    return refuse(431, "the request's headers are longer than 16384 bytes");
  }
  if (!is_plain(first)) {
    return refuse(400, "the request's first line has control characters");
  }
  std::string checked = std::string(first) + std::string(kLineEnd);
  int hosts = 0;
  std::string_view rest = head.substr(first.size() + kLineEnd.size());
  while (rest != kLineEnd) {
    const std::string_view line = rest.substr(0, rest.find(kLineEnd));
    rest.remove_prefix(line.size() + kLineEnd.size());
    const size_t colon = line.find(':');
    if (!is_plain(line) || colon == 0 || colon == std::string_view::npos) {
      return refuse(400, "a header of the request is not a name, a colon and text");
    }
    const std::string name = lower(line.substr(0, colon));
    const bool has_body = (name == "content-length" && trimmed(line.substr(colon + 1)) != "0") ||
                          name == "transfer-encoding";
    if (has_body) {
      return refuse(413, "nothing can be sent here: a request has no body");
    }
    hosts += name == "host" ? 1 : 0;
    if (std::ranges::find(kKnown, name) != kKnown.end()) {
      checked += std::string(line) + std::string(kLineEnd);
    }
  }
  // httplib knows some methods and takes the others for nonsense.
  const std::string_view method = first.substr(0, first.find(' '));
  const bool is_method = !method.empty() && std::ranges::all_of(method, [](unsigned char c) {
    return std::isupper(c) != 0;
  });
  if (is_method && method != "GET" && method != "HEAD") {
    return tl::unexpected(only_reads());
  }
  if (hosts != 1) {
    return refuse(400, "a request names its host, once");
  }
  return checked + std::string(kLineEnd);
}

}  // namespace crossbind::serve
