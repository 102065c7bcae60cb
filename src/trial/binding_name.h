// The name of a binding, "pytorch/rust": a framework and the language that it is used from. Stores
// and messages keep names as text; this is how their parts are read.
#pragma once

#include <string>
#include <string_view>

namespace crossbind::trial {

class BindingName {
 public:
  explicit BindingName(std::string_view text) : text_(text) {}
  BindingName(std::string_view framework, std::string_view language);

  [[nodiscard]] const std::string& text() const { return text_; }

  // Both parts are the whole text where it has no '/': a program that is given by hand goes by any
  // name.
  [[nodiscard]] std::string framework() const;
  [[nodiscard]] std::string language() const;

  // Whether it is FRAMEWORK/LANGUAGE, each of them a name as study files and manifests write them.
  [[nodiscard]] bool is_whole() const;

  // "pytorch-rust", for names of files.
  [[nodiscard]] std::string as_file_name() const;

 private:
  std::string text_;
};

}  // namespace crossbind::trial
