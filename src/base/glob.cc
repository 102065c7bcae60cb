#include "base/glob.h"

#include <fnmatch.h>

#include <string>

namespace crossbind {

bool is_glob(std::string_view pattern) {
  return pattern.find_first_of("*?") != std::string_view::npos;
}

bool matches(std::string_view pattern, std::string_view name) {
  std::string plain;  // what else means something to fnmatch stands for itself here
  for (const char c : pattern) {
    if (c == '[' || c == '\\') {
      plain += '\\';
    }
    plain += c;
  }
  return ::fnmatch(plain.c_str(), std::string(name).c_str(), 0) == 0;
}

}  // namespace crossbind
