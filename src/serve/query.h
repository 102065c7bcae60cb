// The parameters of a request, checked: none that is not known, none twice, numbers within limits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/message.h"

namespace crossbind::serve {

class Query {
 public:
  [[nodiscard]] static Result<Query> read(const Request& request,
                                          const std::vector<std::string_view>& allowed);

  // What a parameter says; none where it is absent or empty.
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  [[nodiscard]] Result<std::string> needed(std::string_view name) const;
  [[nodiscard]] Result<int64_t> number(std::string_view name,
                                       int64_t otherwise,
                                       int64_t low,
                                       int64_t high) const;
  [[nodiscard]] Result<std::string> one_of(std::string_view name,
                                           const std::string& otherwise,
                                           const std::vector<std::string>& words) const;

 private:
  [[nodiscard]] std::optional<std::string> given(std::string_view name) const;

  explicit Query(std::vector<Parameter> parameters) : parameters_(std::move(parameters)) {}

  std::vector<Parameter> parameters_;
};

}  // namespace crossbind::serve
