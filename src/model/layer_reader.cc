#include "model/layer_reader.h"

#include "model/field_reader.h"
#include "model/types.h"

namespace crossbind::model {
namespace {

template <typename Owner>
struct LayerFieldReader : FieldReader<Owner> {
  using FieldReader<Owner>::table;
  using FieldReader<Owner>::owner;
  using FieldReader<Owner>::operator();
  LayerSpec& spec;

  LayerFieldReader(config::TableReader& reader, Owner& layer, LayerSpec& whole)
      : FieldReader<Owner>{reader, layer},
        spec(whole) {}

  void operator()(const WindowPads<Owner>& field) const {
    const auto word = table.optional_text(field.key);
    spec.same_pads = word == "same";
    if (word != "same" && word != "valid") {
      owner.*field.member = this->read_pads(
          field.key, R"(an integer of at least 0, [top, left, bottom, right], "valid" or "same")");
    }
  }
  void operator()(const InitialRule& field) const {
    if (table.has(field.key)) {
      spec.init = table.template choice<InitRule>(field.key, kInitRules);
    }
  }
  void operator()(const ForgetBias& field) const {
    if (table.has(field.key)) {
      spec.forget_bias = table.number(field.key, config::kFinite);
    }
  }
};

}  // namespace

LayerSpec read_layer(config::TableReader& table) {
  LayerSpec spec = {.layer = table.choice<Layer>("type", kLayerTypes)};
  if (table.failed()) {
    table.accept_rest();
    return {};
  }
  std::visit(
      [&]<typename Type>(Type& layer) {
        read_file_fields<Type>(LayerFieldReader<Type>(table, layer, spec));
      },
      spec.layer);
  return spec;
}

}  // namespace crossbind::model
