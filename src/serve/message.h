// A request and its answer as plain values. What HTTP makes of them is http_message.h's.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace crossbind::serve {

struct Parameter {
  std::string name;
  std::string value;
};

struct Request {
  std::string method = "GET";
  std::string path;              // decoded
  std::vector<Parameter> query;  // decoded
  std::string host;              // of these headers, the first; empty: there is none
  std::string authorization;
  std::string cookie;
  std::string known_tag;  // If-None-Match
};

struct Header {
  std::string name;
  std::string value;
};

struct Response {
  int status = 200;
  std::string type;
  std::string body;
  std::vector<Header> headers;
  bool is_stream = false;  // the body is its beginning, events follow
};

// RFC 9457: what happened as JSON. The text of others may be in `detail`.
[[nodiscard]] Response problem(int status, const std::string& detail);
[[nodiscard]] Response problem(const Error& error);

// A problem with a header that says how a client may do better.
[[nodiscard]] Response problem(int status, const std::string& detail, Header header);

// The answer to any method but GET and HEAD.
[[nodiscard]] Response only_reads();

[[nodiscard]] Response json_response(std::string body);

}  // namespace crossbind::serve
