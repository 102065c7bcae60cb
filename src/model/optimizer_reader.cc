#include "model/optimizer_reader.h"

#include "config/table_reader.h"
#include "model/names.h"

namespace crossbind::model {
namespace {

Result<WeightDecay> read_weight_decay(config::TableReader& optimizer,
                                      const config::Document& document) {
  const toml::table* table =
      optimizer.has("weight_decay") ? optimizer.table("weight_decay") : nullptr;
  if (table == nullptr) {
    return WeightDecay{};
  }
  config::TableReader reader(*table, "'weight_decay'", document);
  const WeightDecay decay = {
      .value = reader.number("value", config::kNotNegative),
      .form = reader.choice<DecayForm>("form", kDecayForms),
      .applies_to = reader.choice<DecayApplies>("applies_to", kDecayTargets)};
  CB_TRY(reader.finish());
  return decay;
}

}  // namespace

Result<Optimizer> read_optimizer(const toml::table& table, const config::Document& document) {
  enum class Type { kSgd, kAdam };
  constexpr std::array kTypes = {Named<Type>{"sgd", Type::kSgd}, Named<Type>{"adam", Type::kAdam}};
  config::TableReader reader(table, "[optimizer]", document);
  const Type type = reader.choice<Type>("type", kTypes);
  if (reader.failed()) {
    reader.accept_rest();
  }
  const double rate = reader.number("rate", config::kPositive);
  CB_ASSIGN(const WeightDecay decay, read_weight_decay(reader, document));
  Optimizer optimizer;
  if (type == Type::kSgd) {
    optimizer = Sgd{rate, reader.number("momentum", config::kBelowOne), decay};
  } else {
    optimizer = Adam{.rate = rate,
                     .beta1 = reader.number("beta1", config::kBelowOne),
                     .beta2 = reader.number("beta2", config::kBelowOne),
                     .epsilon = reader.number("epsilon", config::kPositive),
                     .epsilon_form = reader.choice<EpsilonForm>("epsilon_form", kEpsilonForms),
                     .weight_decay = decay};
  }
  CB_TRY(reader.finish());
  return optimizer;
}

}  // namespace crossbind::model
