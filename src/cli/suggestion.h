// What a misspelt command line may have meant.
#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}  // namespace CLI

namespace crossbind::cli {

// "Did you mean 'models' instead of 'modles'?" with a line end, or "" when nothing is near.
[[nodiscard]] std::string suggestion(const CLI::App& app,
                                     const std::vector<std::string>& arguments);

}  // namespace crossbind::cli
