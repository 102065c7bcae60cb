#include "protocol/members.h"

namespace crossbind::protocol {
namespace {

constexpr int64_t kLargestInteger = int64_t{1} << 53;  // what every language's numbers hold
constexpr size_t kLongestQuotedValue = 80;

const Json& empty_object() {
  static const Json empty = Json::object();
  return empty;
}

std::string quote(const Json& value) {
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > kLongestQuotedValue) {
    text = text.substr(0, kLongestQuotedValue) + "...";
  }
  return text;
}

bool is_count(const Json& value, int64_t least) {
  return value.is_number_integer() && value.get<int64_t>() >= least &&
         value.get<int64_t>() <= kLargestInteger;
}

}  // namespace

void Members::complain(const char* key, std::string_view expected) {
  if (error_) {
    return;
  }
  const auto found = object_.find(key);
  error_ = Error{
      ErrorKind::kInvalid,
      found == object_.end()
          ? fmt::format("{}: '{}' is missing, expected {}", subject_, key, expected)
          : fmt::format("{}: '{}' is {}, expected {}", subject_, key, quote(*found), expected),
      {},
      {}};
}

Status Members::finish() const {
  if (error_) {
    return tl::unexpected(*error_);
  }
  return {};
}

const Json* Members::want(const char* key, std::string_view expected) {
  const auto found = object_.find(key);
  if (found == object_.end()) {
    complain(key, expected);
    return nullptr;
  }
  return &*found;
}

int64_t Members::integer(const char* key, int64_t least) {
  const std::string expected = fmt::format("an integer from {} to 2^53", least);
  const Json* value = want(key, expected);
  if (value != nullptr && !is_count(*value, least)) {
    complain(key, expected);
    return least;
  }
  return value == nullptr ? least : value->get<int64_t>();
}

std::optional<int64_t> Members::optional_integer(const char* key, int64_t least) {
  return has(key) ? std::optional(integer(key, least)) : std::nullopt;
}

double Members::number(const char* key) {
  const Json* value = want(key, "a number");
  if (value == nullptr || !value->is_number()) {
    complain(key, "a finite number");
    return 0;
  }
  return value->get<double>();
}

std::optional<double> Members::optional_number(const char* key) {
  return has(key) ? std::optional(number(key)) : std::nullopt;
}

bool Members::boolean(const char* key) {
  const Json* value = want(key, "true or false");
  if (value == nullptr || !value->is_boolean()) {
    complain(key, "true or false");
    return false;
  }
  return value->get<bool>();
}

std::string Members::text(const char* key) {
  const Json* value = want(key, "a text");
  if (value == nullptr || !value->is_string()) {
    complain(key, "a text");
    return {};
  }
  return value->get<std::string>();
}

std::string Members::optional_text(const char* key) {
  return has(key) ? text(key) : std::string();
}

std::optional<std::filesystem::path> Members::optional_path(const char* key) {
  return has(key) ? std::optional(path(key)) : std::nullopt;
}

std::vector<std::string> Members::texts(const char* key) {
  std::vector<std::string> values;
  const Json* array = want(key, "an array of texts");
  if (array == nullptr || !array->is_array()) {
    complain(key, "an array of texts");
    return values;
  }
  values.reserve(array->size());
  for (const Json& value : *array) {
    if (!value.is_string()) {
      complain(key, "an array of texts");
      return {};
    }
    values.push_back(value.get<std::string>());
  }
  return values;
}

std::vector<std::string> Members::optional_texts(const char* key) {
  return has(key) ? texts(key) : std::vector<std::string>();
}

std::vector<int64_t> Members::optional_integers(const char* key) {
  std::vector<int64_t> values;
  const auto array = object_.find(key);
  if (array == object_.end()) {
    return values;
  }
  if (!array->is_array()) {
    complain(key, "an array of integers");
    return values;
  }
  values.reserve(array->size());
  for (const Json& value : *array) {
    if (!is_count(value, 0)) {
      complain(key, "an array of integers from 0 to 2^53");
      return {};
    }
    values.push_back(value.get<int64_t>());
  }
  return values;
}

Texts Members::optional_map(const char* key) {
  Texts texts;
  const auto map = object_.find(key);
  if (map == object_.end()) {
    return texts;
  }
  if (!map->is_object()) {
    complain(key, "an object");
    return texts;
  }
  for (const auto& [name, value] : map->items()) {
    texts.emplace(name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return texts;
}

const Json& Members::object(const char* key) {
  const Json* value = want(key, "an object");
  if (value == nullptr || !value->is_object()) {
    complain(key, "an object");
    return empty_object();
  }
  return *value;
}

}  // namespace crossbind::protocol
