// Numbers and names as people read them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crossbind {

[[nodiscard]] std::string with_thousands(int64_t value);  // 33650890 -> "33,650,890"
[[nodiscard]] std::string human_bytes(uint64_t bytes);    // 1536 -> "1.5 KiB"
[[nodiscard]] std::string human_duration(std::chrono::duration<double> duration);  // "2 min 05 s"

// The word that goes with a count: `one` with 1, `more` with any other.
[[nodiscard]] constexpr std::string_view plural(uint64_t count,
                                                std::string_view one,
                                                std::string_view more) {
  return count == 1 ? one : more;
}

// The candidate nearest to a misspelt word by edit distance, or "" when none is near.
[[nodiscard]] std::string nearest(std::string_view word,
                                  const std::vector<std::string>& candidates);

}  // namespace crossbind
