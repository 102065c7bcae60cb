#include "model/features.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/forms.h"
#include "model/names.h"
#include "model/types.h"

namespace crossbind::model {
namespace {

void add_once(std::vector<std::string>& words, std::string word) {
  if (std::ranges::find(words, word) == words.end()) {
    words.push_back(std::move(word));
  }
}

template <typename T, size_t N>
std::vector<std::string> words_of(const std::array<Named<T>, N>& names) {
  std::vector<std::string> words;
  words.reserve(N);
  for (const auto& name : names) {
    words.emplace_back(name.name);
  }
  return words;
}

}  // namespace

std::vector<std::string> all_layer_types() {
  return words_of(kLayerTypes);
}

std::vector<std::string> all_loss_types() {
  return words_of(kLosses);
}

std::vector<std::string> all_optimizer_types() {
  return words_of(kOptimizerTypes);
}

std::vector<std::string> layer_types(const Model& model) {
  std::vector<std::string> types;
  for (const Node& node : model.nodes) {
    add_once(types, std::string(type_name(node.layer)));
  }
  return types;
}

std::string_view loss_type(const Model& model) {
  return name_in(kLosses, model.loss);
}

std::string_view optimizer_type(const Model& model) {
  return type_name(model.optimizer);
}

std::vector<std::string> features(const Model& model) {
  std::vector<std::string> words;
  for (const Form& form : forms_of(model)) {
    add_once(words, form.value.empty() ? form.name : fmt::format("{}={}", form.name, form.value));
  }
  return words;
}

}  // namespace crossbind::model
