#include "base/error.h"

#include <cerrno>
#include <cstring>

namespace crossbind {

std::string Error::to_string() const {
  std::string text = where.empty() ? message : fmt::format("{}: {}", where, message);
  if (!hint.empty()) {
    text += fmt::format("\n  {}", hint);
  }
  return text;
}

Error Error::at(std::string place) && {
  if (where.empty()) {
    where = std::move(place);
  }
  return std::move(*this);
}

Error Error::with_hint(std::string advice) && {
  if (hint.empty()) {
    hint = std::move(advice);
  }
  return std::move(*this);
}

tl::unexpected<Error> fail_errno(const std::string& action, const std::string& path) {
  const int code = errno;
  const auto kind = code == ENOENT ? ErrorKind::kNotFound : ErrorKind::kIo;
  Error error{kind, fmt::format("{}: {}", action, std::strerror(code)), path, {}};
  if (code == ENOSPC || code == EDQUOT) {
    error.hint = "Free some space there; CROSSBIND_CACHE moves the cache to another disk.";
  }
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace crossbind
