// Fields as values of the graph's JSON, both ways, by kind. What stands in model files alone has no
// value here.
#pragma once

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/description.h"

namespace crossbind::model {

// What a graph, or one field of it, lacks or has too much of; thrown beside nlohmann's own
// exceptions and caught by reading_graph().
struct GraphError {
  ErrorKind kind;
  std::string message;
};

// Runs `read`, which may throw, and gives its value.
template <typename Read>
[[nodiscard]] auto reading_graph(Read read) -> Result<decltype(read())> {
  try {
    return read();
  } catch (const GraphError& error) {
    return tl::unexpected(Error{error.kind, error.message, "graph", {}});
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorKind::kInvalid, "the graph is not as documented: {}", error.what());
  }
}

// Adds all fields of an owner that graphs have to an object, in the order of their description.
template <typename Owner>
void write_graph_fields(const Owner& owner, nlohmann::ordered_json& object);
template <typename Owner>
void read_graph_fields(Owner& owner, const nlohmann::json& object);

// The value of a field of `owner`.
template <typename Owner>
struct FieldJson {
  using Json = nlohmann::ordered_json;
  const Owner& owner;

  Json operator()(const InferredSize<Owner>& field) const { return owner.*field.member; }
  Json operator()(const InferredFlag<Owner>& field) const { return owner.*field.member; }
  Json operator()(const Size<Owner>& field) const { return owner.*field.member; }
  Json operator()(const HeightAndWidth<Owner>& field) const {
    const Pair& pair = owner.*field.member;
    return {pair.height, pair.width};
  }
  Json operator()(const FourPads<Owner>& field) const { return pads(owner.*field.member); }
  Json operator()(const WindowPads<Owner>& field) const { return pads(owner.*field.member); }
  Json operator()(const Flag<Owner>& field) const { return owner.*field.member; }
  Json operator()(const OneOrTwo<Owner>& field) const { return owner.*field.member; }
  Json operator()(const Number<Owner>& field) const { return owner.*field.member; }
  template <typename Enum>
  Json operator()(const Word<Owner, Enum>& field) const {
    return field.name(owner);
  }
  Json operator()(const OptionalRow<Owner>& field) const {
    const auto& row = owner.*field.member;
    return row ? Json(*row) : Json(nullptr);
  }
  Json operator()(const Constant& field) const { return field.value; }
  Json operator()(const DecayTable<Owner>& field) const {
    Json decay;
    write_graph_fields(owner.*field.member, decay);
    return decay;
  }

 private:
  static Json pads(const Pads& pads) { return {pads.top, pads.left, pads.bottom, pads.right}; }
};

// Sets a field of `owner` to a value.
template <typename Owner>
struct ReadFieldJson {
  using Json = nlohmann::json;
  Owner& owner;
  const Json& value;

  void operator()(const InferredSize<Owner>& field) const { value.get_to(owner.*field.member); }
  void operator()(const InferredFlag<Owner>& field) const { value.get_to(owner.*field.member); }
  void operator()(const Size<Owner>& field) const { value.get_to(owner.*field.member); }
  void operator()(const HeightAndWidth<Owner>& field) const {
    owner.*field.member = {integer(0), integer(1)};
  }
  void operator()(const FourPads<Owner>& field) const { owner.*field.member = pads(); }
  void operator()(const WindowPads<Owner>& field) const { owner.*field.member = pads(); }
  void operator()(const Flag<Owner>& field) const { value.get_to(owner.*field.member); }
  void operator()(const OneOrTwo<Owner>& field) const { value.get_to(owner.*field.member); }
  void operator()(const Number<Owner>& field) const { value.get_to(owner.*field.member); }
  template <typename Enum>
  void operator()(const Word<Owner, Enum>& field) const {
    const auto found = field.value(value.get<std::string>());
    if (!found) {
      refuse(field.key);
    }
    owner.*field.member = *found;
  }
  void operator()(const OptionalRow<Owner>& field) const {
    owner.*field.member =
        value.is_null() ? std::nullopt : std::optional<int64_t>(value.get<int64_t>());
  }
  void operator()(const Constant& field) const {
    if (value.get<std::string>() != field.value) {
      refuse(field.key);
    }
  }
  void operator()(const DecayTable<Owner>& field) const {
    read_graph_fields(owner.*field.member, value);
  }

 private:
  [[nodiscard]] int64_t integer(size_t index) const { return value.at(index).get<int64_t>(); }
  [[nodiscard]] Pads pads() const { return {integer(0), integer(1), integer(2), integer(3)}; }
  [[noreturn]] void refuse(std::string_view key) const {
    throw GraphError{ErrorKind::kUnsupported, fmt::format("{}={}", key, value.get<std::string>())};
  }
};

template <typename Owner>
void write_graph_fields(const Owner& owner, nlohmann::ordered_json& object) {
  for_each_field<Owner>([&]<typename Field>(const Field& field) {
    if constexpr (Field::kInGraph) {
      object[field.key] = FieldJson<Owner>{owner}(field);
    }
  });
}

template <typename Owner>
void read_graph_fields(Owner& owner, const nlohmann::json& object) {
  for_each_field<Owner>([&]<typename Field>(const Field& field) {
    if constexpr (Field::kInGraph) {
      ReadFieldJson<Owner>{owner, object.at(field.key)}(field);
    }
  });
}

}  // namespace crossbind::model
