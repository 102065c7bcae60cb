// SQLite's exceptions end here: they become errors that say which store and what to do.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "base/error.h"

namespace crossbind::store {

// How long a writer waits for another one.
inline constexpr std::chrono::seconds kPatience{60};

[[nodiscard]] Error error_of(const SQLite::Exception& exception, const std::filesystem::path& path);

// What the work returns, or the error of the exception it threw; an error without a place is at the
// store.
template <typename Work>
[[nodiscard]] auto caught(const std::filesystem::path& path, Work&& work)
    -> decltype(std::forward<Work>(work)()) {
  try {
    return std::forward<Work>(work)().map_error(
        [&](Error&& error) { return std::move(error).at(path.string()); });
  } catch (const SQLite::Exception& exception) {
    return tl::unexpected(error_of(exception, path));
  }
}

}  // namespace crossbind::store
