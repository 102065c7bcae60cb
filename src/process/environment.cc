#include "process/environment.h"

#include <unistd.h>

#include <algorithm>

namespace crossbind::process {

std::vector<std::string> merged_environment(const std::vector<std::string>& extra) {
  std::vector<std::string> result = extra;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('=') + 1);
    const bool replaced = std::any_of(
        extra.begin(), extra.end(), [&](const auto& own) { return own.starts_with(name); });
    if (!replaced) {
      result.push_back(text);
    }
  }
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (auto& text : texts) {
    result.push_back(text.data());
  }
  result.push_back(nullptr);
  return result;
}

}  // namespace crossbind::process
