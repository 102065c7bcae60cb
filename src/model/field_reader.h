// Fields of model files, read from a table into their owner, by kind. Errors are in the table's
// reader. The kinds that are no plain value are added by whoever has a use for them.
#pragma once

#include <fmt/format.h>

#include "config/table_reader.h"
#include "model/description.h"

namespace crossbind::model {

template <typename Owner>
struct FieldReader {
  config::TableReader& table;
  Owner& owner;

  void operator()(const Size<Owner>& field) const {
    owner.*field.member = table.integer(field.file_key, 1);
  }
  void operator()(const HeightAndWidth<Owner>& field) const {
    const auto values =
        table.integers(field.key, 2, 1, "an integer of at least 1, or [height, width]");
    owner.*field.member = {values[0], values[1]};
  }
  void operator()(const FourPads<Owner>& field) const {
    owner.*field.member =
        read_pads(field.key, "an integer of at least 0, or [top, left, bottom, right]");
  }
  void operator()(const Flag<Owner>& field) const {
    owner.*field.member = table.boolean(field.key);
  }
  void operator()(const OneOrTwo<Owner>& field) const {
    const int64_t value = table.integer(field.key, 1);
    if (value > 2) {
      table.complain(field.key, "1 or 2");
    }
    owner.*field.member = value == 1 ? 1 : 2;
  }
  void operator()(const Number<Owner>& field) const {
    owner.*field.member = table.number(field.key, field.interval);
  }
  template <typename Enum>
  void operator()(const Word<Owner, Enum>& field) const {
    owner.*field.member = table.choice<Enum>(field.key, field.words);
  }
  void operator()(const OptionalRow<Owner>& field) const {
    if (!table.has(field.key)) {
      return;
    }
    const int64_t row = table.integer(field.key, 0);
    owner.*field.member = row;
    if (row >= owner.*field.rows) {
      table.complain(field.key, fmt::format("a row of the table, below '{}'", field.rows_key));
    }
  }

 protected:
  [[nodiscard]] Pads read_pads(std::string_view key, std::string_view words) const {
    const auto values = table.integers(key, 4, 0, words);
    return {values[0], values[1], values[2], values[3]};
  }
};

// Reads all fields of an owner that model files have, in the order of their description.
template <typename Owner, typename Reader>
void read_file_fields(const Reader& read) {
  for_each_field<Owner>([&]<typename Field>(const Field& field) {
    if constexpr (Field::kInFile) {
      read(field);
    }
  });
}

}  // namespace crossbind::model
