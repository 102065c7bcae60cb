#include "trial/binding_name.h"

#include <algorithm>

#include "config/table_reader.h"

namespace crossbind::trial {

BindingName::BindingName(std::string_view framework, std::string_view language) : text_(framework) {
  text_ += '/';
  text_ += language;
}

std::string BindingName::framework() const {
  return text_.substr(0, text_.find('/'));
}

std::string BindingName::language() const {
  const size_t slash = text_.find('/');
  return slash == std::string::npos ? text_ : text_.substr(slash + 1);
}

bool BindingName::is_whole() const {
  return text_.find('/') != std::string::npos && config::is_name(framework()) &&
         config::is_name(language());
}

std::string BindingName::as_file_name() const {
  std::string name = text_;
  std::ranges::replace(name, '/', '-');
  return name;
}

}  // namespace crossbind::trial
