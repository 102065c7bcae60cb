// Patterns for names, as studies and options write them: '*' stands for any characters, '/'
// included, '?' for one. Nothing can be escaped: no name holds either.
#pragma once

#include <string_view>

namespace crossbind {

[[nodiscard]] bool is_glob(std::string_view pattern);

// Whether the whole name matches.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view name);

}  // namespace crossbind
