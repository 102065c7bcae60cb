// The one way to a store, from the text that a user gives for it. Today that is the path of a file;
// "scheme://..." is no path, and a scheme that is not known is refused by name.
#pragma once

#include <memory>
#include <string>

#include "store/change_notice.h"
#include "store/result_store.h"

namespace crossbind::store {

inline constexpr const char* kDefaultStore = "crossbind.db";

// Whether there is something at the place; opening it says whether that is a store.
[[nodiscard]] Result<bool> exists(const std::string& place);

// Makes the store if it is not there, and converts one of an earlier version.
[[nodiscard]] Result<std::unique_ptr<ResultStore>> open(const std::string& place);

// The store must be there (else kNotFound, with what makes one) and is not changed.
[[nodiscard]] Result<std::unique_ptr<StoreReader>> open_for_reading(const std::string& place);

// The store need not be there yet.
[[nodiscard]] Result<std::unique_ptr<ChangeNotice>> watch(const std::string& place);

}  // namespace crossbind::store
