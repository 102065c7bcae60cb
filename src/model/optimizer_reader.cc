#include "model/optimizer_reader.h"

#include "model/field_reader.h"
#include "model/types.h"

namespace crossbind::model {
namespace {

// An optimizer without weight_decay has none.
Result<WeightDecay> read_weight_decay(config::TableReader& optimizer,
                                      std::string_view key,
                                      const config::Document& document) {
  WeightDecay decay;
  const toml::table* table = optimizer.has(key) ? optimizer.table(key) : nullptr;
  if (table == nullptr) {
    return decay;
  }
  config::TableReader reader(*table, fmt::format("'{}'", key), document);
  read_file_fields<WeightDecay>(FieldReader<WeightDecay>{reader, decay});
  CB_TRY(reader.finish());
  return decay;
}

template <typename Owner>
struct OptimizerFieldReader : FieldReader<Owner> {
  using FieldReader<Owner>::operator();
  const config::Document& document;
  Status& decay_status;

  OptimizerFieldReader(config::TableReader& reader,
                       Owner& optimizer,
                       const config::Document& file,
                       Status& status)
      : FieldReader<Owner>{reader, optimizer},
        document(file),
        decay_status(status) {}

  void operator()(const DecayTable<Owner>& field) const {
    decay_status =
        read_weight_decay(this->table, field.key, document).map([&](const WeightDecay& decay) {
          this->owner.*field.member = decay;
        });
  }
};

}  // namespace

Result<Optimizer> read_optimizer(const toml::table& table, const config::Document& document) {
  config::TableReader reader(table, "[optimizer]", document);
  auto optimizer = reader.choice<Optimizer>("type", kOptimizerTypes);
  if (reader.failed()) {
    reader.accept_rest();
  }
  Status decay_status;
  std::visit(
      [&]<typename Type>(Type& typed) {
        read_file_fields<Type>(OptimizerFieldReader<Type>(reader, typed, document, decay_status));
      },
      optimizer);
  CB_TRY(std::move(decay_status));
  CB_TRY(reader.finish());
  return optimizer;
}

}  // namespace crossbind::model
