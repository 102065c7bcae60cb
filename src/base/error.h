// Expected failures as values. Result<T> is what every fallible function returns; exceptions of
// third-party code are caught where they enter, and only main() exits.
#pragma once

#include <fmt/format.h>
#include <tl/expected.hpp>

#include <string>
#include <utility>

namespace crossbind {

enum class ErrorKind {
  kInvalid,      // the caller's input is wrong
  kNotFound,     // a named thing does not exist
  kCorrupt,      // a file is not what it claims to be
  kIo,           // the operating system said no
  kUnsupported,  // well-formed, but not something this program does
  kUnavailable,  // needs something this machine does not have
};

// What happened, where, and what to do about it.
struct Error {
  ErrorKind kind = ErrorKind::kInvalid;
  std::string message;
  std::string where;  // "file:line", "file at byte N" or a key; may be empty
  std::string hint;   // what to do; may be empty

  [[nodiscard]] std::string to_string() const;

  // Adds a place or a hint to the error; an inner, more precise place is kept.
  [[nodiscard]] Error at(std::string place) &&;
  [[nodiscard]] Error with_hint(std::string advice) &&;
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

template <typename... Args>
[[nodiscard]] tl::unexpected<Error> fail(ErrorKind kind,
                                         fmt::format_string<Args...> format,
                                         Args&&... args) {
  return tl::unexpected<Error>(
      Error{kind, fmt::format(format, std::forward<Args>(args)...), {}, {}});
}

// The failure of the system call that just set errno: kNotFound for a missing file, else kIo.
[[nodiscard]] tl::unexpected<Error> fail_errno(const std::string& action, const std::string& path);

}  // namespace crossbind

// CB_TRY(expression) returns the error of a failed Result from the enclosing function.
// CB_ASSIGN(declaration, expression) does the same and otherwise takes the value.
#define CB_CONCAT_INNER(a, b) a##b
#define CB_CONCAT(a, b) CB_CONCAT_INNER(a, b)
#define CB_TRY(...)                                                          \
  do {                                                                       \
    if (auto cb_status = (__VA_ARGS__); !cb_status) {                        \
      return tl::unexpected<crossbind::Error>(std::move(cb_status).error()); \
    }                                                                        \
  } while (false)
#define CB_ASSIGN(declaration, ...) \
  CB_ASSIGN_INNER(CB_CONCAT(cb_result_, __LINE__), declaration, __VA_ARGS__)
#define CB_ASSIGN_INNER(result, declaration, ...)                       \
  auto result = (__VA_ARGS__);                                          \
  if (!result) {                                                        \
    return tl::unexpected<crossbind::Error>(std::move(result).error()); \
  }                                                                     \
  declaration = std::move(*result)
