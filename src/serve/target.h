// The target of a request's first line, "/trials?limit=5", as the path and the parameters in it.
// Pure; whether there is such a path is up to the routes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serve/message.h"

namespace crossbind::serve {

struct Target {
  std::string path;              // decoded
  std::vector<Parameter> query;  // decoded, in their order, without those that have no name
};

// Every text has a meaning: what is no escape stands for itself.
[[nodiscard]] Target read_target(std::string_view text);

}  // namespace crossbind::serve
