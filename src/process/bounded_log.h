// What a program printed, in bounded memory: the beginning and the end of it, and how much was left
// out in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace crossbind::process {

class BoundedLog {
 public:
  explicit BoundedLog(size_t limit) : half_(limit / 2) {}

  void append(std::string_view text);

  // The first and the last limit / 2 bytes, with a line between them when some are missing.
  [[nodiscard]] std::string text() const;

 private:
  size_t half_;
  std::string head_;
  std::string tail_;       // at most twice what is shown of it
  uint64_t left_out_ = 0;  // already dropped from the tail
};

}  // namespace crossbind::process
