// Names and what stands for each, in order: versions, libraries, a machine.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace crossbind {

using Texts = std::map<std::string, std::string, std::less<>>;

}  // namespace crossbind
