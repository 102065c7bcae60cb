// Parsing of untrusted headers. Everything a file claims is checked before it is used.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <set>

#include "base/text.h"
#include "tensor/safetensors.h"

namespace crossbind::tensor {
namespace {

using nlohmann::json;

constexpr int kMaximumDepth = 8;  // a header nests three deep; deeper is an attack on the parser

// Finds what nlohmann would silently accept: duplicate keys.
class StrictKeys {
 public:
  bool operator()(int /*depth*/, json::parse_event_t event, const json& value) {
    if (event == json::parse_event_t::object_start) {
      keys_.emplace_back();
    } else if (event == json::parse_event_t::object_end && !keys_.empty()) {
      keys_.pop_back();
    } else if (event == json::parse_event_t::key && !keys_.empty()) {
      const auto& key = value.get_ref<const std::string&>();
      if (!keys_.back().insert(key).second && problem_.empty()) {
        problem_ = fmt::format("duplicate key '{}' in the header", key);
      }
    }
    return true;
  }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  std::vector<std::set<std::string>> keys_;
  std::string problem_;
};

// nlohmann's parser recurses into nothing, but its DOM is destroyed recursively: check first.
bool nested_too_deeply(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaximumDepth) {
        return true;
      }
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

Result<json> parse_json(std::string_view text) {
  if (nested_too_deeply(text)) {
    return fail(ErrorKind::kCorrupt, "header is nested too deeply");
  }
  StrictKeys strict;
  json header = json::parse(text.begin(), text.end(), std::ref(strict), false);
  if (header.is_discarded() || !header.is_object()) {
    return fail(ErrorKind::kCorrupt, "header is not a JSON object");
  }
  if (!strict.problem().empty()) {
    return fail(ErrorKind::kCorrupt, "{}", strict.problem());
  }
  return header;
}

Result<std::vector<uint64_t>> unsigned_list(const json& value, std::string_view key, size_t limit) {
  if (!value.is_array() || value.size() > limit) {
    return fail(ErrorKind::kCorrupt, "'{}' is not a list of at most {} numbers", key, limit);
  }
  std::vector<uint64_t> numbers;
  for (const auto& item : value) {
    if (!item.is_number_unsigned()) {
      return fail(
          ErrorKind::kCorrupt, "'{}' has an entry that is not a non-negative whole number", key);
    }
    numbers.push_back(item.get<uint64_t>());
  }
  return numbers;
}

Result<TensorInfo> parse_tensor(const std::string& name, const json& value) {
  if (!value.is_object() || value.size() != 3 || !value.contains("dtype") ||
      !value.contains("shape") || !value.contains("data_offsets") || !value["dtype"].is_string()) {
    return fail(ErrorKind::kCorrupt, "expected exactly the keys dtype, shape and data_offsets");
  }
  TensorInfo info;
  info.name = name;
  CB_ASSIGN(info.dtype, dtype_from(value["dtype"].get_ref<const std::string&>()));
  CB_ASSIGN(const auto dimensions, unsigned_list(value["shape"], "shape", 64));
  for (const uint64_t dimension : dimensions) {
    if (dimension > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return fail(ErrorKind::kCorrupt, "dimension {} is too large", dimension);
    }
    info.shape.push_back(static_cast<int64_t>(dimension));
  }
  CB_ASSIGN(const auto offsets, unsigned_list(value["data_offsets"], "data_offsets", 2));
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    return fail(ErrorKind::kCorrupt, "'data_offsets' is not [begin, end] with begin <= end");
  }
  info.begin = offsets[0];
  info.end = offsets[1];
  CB_ASSIGN(const int64_t count, element_count(info.shape));
  uint64_t size = 0;
  if (__builtin_mul_overflow(static_cast<uint64_t>(count), size_of(info.dtype), &size)) {
    return fail(ErrorKind::kCorrupt, "shape {} has more bytes than 2^64", to_string(info.shape));
  }
  if (size != info.end - info.begin) {
    return fail(ErrorKind::kCorrupt,
                "{} {} needs {} bytes, data_offsets give {}",
                name_of(info.dtype),
                to_string(info.shape),
                size,
                info.end - info.begin);
  }
  return info;
}

Result<Metadata> parse_metadata(const json& value) {
  if (!value.is_object()) {
    return fail(ErrorKind::kCorrupt, "'__metadata__' is not an object");
  }
  Metadata metadata;
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) {
      return fail(ErrorKind::kCorrupt, "'__metadata__' key '{}' is not a string", key);
    }
    metadata[key] = text.get<std::string>();
  }
  return metadata;
}

// The format demands that the tensors cover the data part without gap, overlap or rest.
Status check_coverage(const std::vector<TensorInfo>& tensors, uint64_t data_size) {
  uint64_t covered = 0;
  for (const auto& info : tensors) {
    if (info.end > data_size) {
      return fail(ErrorKind::kCorrupt,
                  "tensor '{}' ends at data byte {}, the file has {}",
                  info.name,
                  info.end,
                  data_size);
    }
    if (info.begin < covered) {
      return fail(ErrorKind::kCorrupt, "tensor '{}' overlaps the one before it", info.name);
    }
    if (info.begin > covered) {
      return fail(ErrorKind::kCorrupt,
                  "{} {} before tensor '{}' {} to no tensor",
                  info.begin - covered,
                  plural(info.begin - covered, "byte", "bytes"),
                  info.name,
                  plural(info.begin - covered, "belongs", "belong"));
    }
    covered = info.end;
  }
  if (covered != data_size) {
    const uint64_t trailing = data_size - covered;
    return fail(ErrorKind::kCorrupt,
                "{} trailing {} to no tensor",
                trailing,
                plural(trailing, "byte belongs", "bytes belong"));
  }
  return {};
}

Result<SafetensorsHeader> parse(std::span<const std::byte> file) {
  if (file.size() < 8) {
    return fail(ErrorKind::kCorrupt,
                "too short for a safetensors file ({} {})",
                file.size(),
                plural(file.size(), "byte", "bytes"));
  }
  uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  if (length > kMaximumHeader) {
    return fail(ErrorKind::kCorrupt,
                "not a safetensors file: header claims {} bytes, at most {} are allowed",
                length,
                kMaximumHeader);
  }
  if (length > file.size() - 8) {
    return fail(
        ErrorKind::kCorrupt,
        "cut short, or not a safetensors file: header claims {} bytes, the file has {} left",
        length,
        file.size() - 8);
  }
  CB_ASSIGN(
      const json root,
      parse_json({reinterpret_cast<const char*>(file.data()) + 8, static_cast<size_t>(length)}));
  SafetensorsHeader header;
  header.data_offset = 8 + length;
  for (const auto& [name, value] : root.items()) {
    if (name == "__metadata__") {
      CB_ASSIGN(header.metadata, parse_metadata(value));
      continue;
    }
    auto info = parse_tensor(name, value);
    if (!info) {
      auto error = std::move(info).error();
      error.message = fmt::format("tensor '{}': {}", name, error.message);
      return tl::unexpected(std::move(error));
    }
    header.tensors.push_back(std::move(*info));
  }
  std::ranges::stable_sort(
      header.tensors, {}, [](const TensorInfo& info) { return std::pair(info.begin, info.end); });
  CB_TRY(check_coverage(header.tensors, file.size() - header.data_offset));
  return header;
}

}  // namespace

Result<SafetensorsHeader> parse_safetensors(std::span<const std::byte> file,
                                            const std::string& place) {
  return parse(file).map_error([&](Error error) {
    error.kind = ErrorKind::kCorrupt;
    return std::move(error).at(place);
  });
}

}  // namespace crossbind::tensor
