#include "store/open.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "store/sqlite_store.h"
#include "store/sqlite_watch.h"

namespace crossbind::store {
namespace {

// What stands before "://" when that can be a scheme (RFC 3986); else nothing.
std::string_view scheme_of(std::string_view place) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_part = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  };
  const auto scheme = place.substr(0, std::min(place.find("://"), place.size()));
  const bool is_scheme = scheme.size() < place.size() && !scheme.empty() &&
                         is_letter(scheme.front()) && std::ranges::all_of(scheme, is_part);
  return is_scheme ? scheme : std::string_view();
}

// The rest of the place is not repeated: it may have a password in it.
Result<std::filesystem::path> file_of(const std::string& place) {
  if (place.empty()) {
    return fail(ErrorKind::kInvalid, "the store has no name");
  }
  if (const auto scheme = scheme_of(place); !scheme.empty()) {
    return tl::unexpected(
        Error{ErrorKind::kUnsupported,
              fmt::format("there is no kind of store '{}://'", scheme),
              {},
              "A store is a file and named by its path; ./ before it makes any text a path."});
  }
  return std::filesystem::path(place);
}

}  // namespace

Result<bool> exists(const std::string& place) {
  CB_ASSIGN(const auto file, file_of(place));
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  // What cannot be looked at may be there: opening it says what is wrong.
  return status.type() != std::filesystem::file_type::not_found;
}

Result<std::unique_ptr<ResultStore>> open(const std::string& place) {
  CB_ASSIGN(const auto file, file_of(place));
  CB_ASSIGN(auto store, SqliteStore::open(file, Access::kReadWrite));
  return std::make_unique<SqliteStore>(std::move(store));
}

Result<std::unique_ptr<StoreReader>> open_for_reading(const std::string& place) {
  CB_ASSIGN(const auto file, file_of(place));
  const auto with_what_makes_one = [&](Error&& error) {
    return error.kind == ErrorKind::kNotFound
               ? std::move(error).with_hint(
                     fmt::format("`crossbind run STUDY --store {}` makes it; one that is elsewhere "
                                 "is named by its path.",
                                 place))
               : std::move(error);
  };
  CB_ASSIGN(auto store, SqliteStore::open(file, Access::kReadOnly).map_error(with_what_makes_one));
  return std::make_unique<SqliteStore>(std::move(store));
}

Result<std::unique_ptr<ChangeNotice>> watch(const std::string& place) {
  CB_ASSIGN(auto file, file_of(place));
  return std::make_unique<SqliteWatch>(std::move(file));
}

}  // namespace crossbind::store
