#include "model/forms.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/field_json.h"
#include "model/types.h"

namespace crossbind::model {
namespace {

using Json = nlohmann::json;

// Adds what of an owner's fields is a form, by kind.
template <typename Owner>
struct ListForms {
  const Owner& owner;
  std::vector<Form>& forms;

  void operator()(const InferredSize<Owner>&) const {}
  void operator()(const InferredFlag<Owner>& field) const { add_flag(field); }
  void operator()(const Size<Owner>&) const {}
  void operator()(const HeightAndWidth<Owner>&) const {}
  void operator()(const FourPads<Owner>&) const {}
  void operator()(const WindowPads<Owner>&) const {}
  void operator()(const Flag<Owner>& field) const { add_flag(field); }
  void operator()(const OneOrTwo<Owner>& field) const {
    add(field.key, fmt::to_string(owner.*field.member));
  }
  void operator()(const Number<Owner>& field) const {
    if (field.not_zero == NotZero::kIsAForm && owner.*field.member != 0) {
      add(field.key, "");
    }
  }
  template <typename Enum>
  void operator()(const Word<Owner, Enum>& field) const {
    add(field.key, field.name(owner));
  }
  void operator()(const OptionalRow<Owner>&) const {}
  void operator()(const Constant& field) const { add(field.key, field.value); }
  void operator()(const DecayTable<Owner>& field) const {
    const WeightDecay& decay = owner.*field.member;
    if (decay.value != 0) {
      forms.push_back({std::string(field.key), ""});
      for_each_field<WeightDecay>(ListForms<WeightDecay>{decay, forms});
    }
  }
  void operator()(const InitialRule&) const {}
  void operator()(const ForgetBias&) const {}

 private:
  void add(std::string_view key, std::string_view value) const {
    forms.push_back({fmt::format("{}.{}", Description<Owner>::kType, key), std::string(value)});
  }
  template <typename Field>
  void add_flag(const Field& field) const {
    add(field.key, owner.*field.member ? "true" : "false");
  }
};

template <typename Variant>
void list_forms(const Variant& variant, std::vector<Form>& forms) {
  std::visit(
      [&]<typename Owner>(const Owner& owner) {
        for_each_field<Owner>(ListForms<Owner>{owner, forms});
      },
      variant);
}

// Words stand for themselves, numbers and truth values as JSON has them.
Json value_of(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

// A form that fields may be set to.
struct NewForm {
  std::string_view type;
  std::string_view key;
  Json value;
};

template <typename Owner>
void set(Owner& owner, const NewForm& form) {
  for_each_field<Owner>([&]<typename Field>(const Field& field) {
    if constexpr (Field::kInGraph) {
      if (form.type == Description<Owner>::kType && form.key == field.key) {
        ReadFieldJson<Owner>{owner, form.value}(field);
      }
    }
    if constexpr (std::is_same_v<Field, DecayTable<Owner>>) {
      set(owner.*field.member, form);
    }
  });
}

}  // namespace

std::vector<Form> forms_of(const Model& model) {
  std::vector<Form> forms;
  for (const Node& node : model.nodes) {
    list_forms(node.layer, forms);
  }
  list_forms(model.optimizer, forms);
  return forms;
}

std::string form_of(const Model& model, std::string_view name) {
  const auto forms = forms_of(model);
  const auto found = std::ranges::find(forms, name, &Form::name);
  return found == forms.end() ? std::string() : found->value;
}

Result<Model> with_forms(const Model& model, const Forms& forms) {
  return reading_graph([&] {
    Model changed = model;
    for (const auto& [name, text] : forms) {
      const size_t dot = name.find('.');
      if (dot == std::string::npos) {
        continue;
      }
      const std::string_view whole = name;
      const NewForm form = {whole.substr(0, dot), whole.substr(dot + 1), value_of(text)};
      for (Node& node : changed.nodes) {
        std::visit([&](auto& layer) { set(layer, form); }, node.layer);
      }
      std::visit([&](auto& optimizer) { set(optimizer, form); }, changed.optimizer);
    }
    return changed;
  });
}

}  // namespace crossbind::model
