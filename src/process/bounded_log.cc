#include "process/bounded_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace crossbind::process {

void BoundedLog::append(std::string_view text) {
  const size_t first = std::min(text.size(), half_ - head_.size());
  head_.append(text.substr(0, first));
  text.remove_prefix(first);
  if (text.size() > half_) {
    left_out_ += tail_.size() + text.size() - half_;
    tail_ = text.substr(text.size() - half_);
    return;
  }
  tail_.append(text);
  if (tail_.size() > 2 * half_) {
    left_out_ += tail_.size() - half_;
    tail_.erase(0, tail_.size() - half_);
  }
}

std::string BoundedLog::text() const {
  const size_t shown = std::min(tail_.size(), half_);
  const uint64_t missing = left_out_ + tail_.size() - shown;
  if (missing == 0) {
    return head_ + tail_;
  }
  return fmt::format("{}\n[{} bytes left out]\n{}",
                     head_,
                     with_thousands(static_cast<int64_t>(missing)),
                     std::string_view(tail_).substr(tail_.size() - shown));
}

}  // namespace crossbind::process
