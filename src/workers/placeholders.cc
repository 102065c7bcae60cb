#include "workers/placeholders.h"

#include <fmt/ranges.h>

#include <vector>

namespace crossbind::workers {
namespace {

Error unknown(std::string_view piece, const Placeholders& values) {
  std::vector<std::string> known;
  for (const auto& [name, unused] : values) {
    known.push_back("{" + name + "}");
  }
  std::string hint;
  if (piece.starts_with("{home")) {
    hint = "A worker has a home when [setup] has a command.";
  } else if (piece.starts_with("{shared:")) {
    hint = "Name it in 'shares' of [setup].";
  }
  return {
      ErrorKind::kInvalid,
      fmt::format("{:?} has no meaning here, expected one of: {}", piece, fmt::join(known, ", ")),
      {},
      std::move(hint)};
}

}  // namespace

Result<std::string> expand(std::string_view text, const Placeholders& values) {
  std::string result;
  while (true) {
    const size_t open = text.find('{');
    result += text.substr(0, open);
    if (open == std::string_view::npos) {
      return result;
    }
    text.remove_prefix(open);
    const size_t close = text.find('}');
    if (close == std::string_view::npos) {
      return tl::unexpected(unknown(text, values));
    }
    const auto value = values.find(text.substr(1, close - 1));
    if (value == values.end()) {
      return tl::unexpected(unknown(text.substr(0, close + 1), values));
    }
    result += value->second;
    text.remove_prefix(close + 1);
  }
}

}  // namespace crossbind::workers
