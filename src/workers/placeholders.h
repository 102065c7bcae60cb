// What "{home}", "{folder}", "{programs}" and "{shared:NAME}" in a manifest stand for.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/error.h"

namespace crossbind::workers {

using Placeholders = std::map<std::string, std::string, std::less<>>;  // the name without braces

// The text with every placeholder replaced; one that is not there is an error.
[[nodiscard]] Result<std::string> expand(std::string_view text, const Placeholders& values);

}  // namespace crossbind::workers
