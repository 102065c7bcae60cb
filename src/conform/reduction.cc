#include "conform/reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "conform/fitting.h"
#include "judge/step_tensors.h"
#include "model/losses.h"
#include "model/sizes.h"
#include "referee/network.h"
#include "referee/rounding.h"

namespace crossbind::conform {
namespace {

using model::Model;
using model::Node;
using model::Source;

constexpr int64_t kSmall = 8;  // sizes up to this are also tried one by one

// Drops the layers and inputs that lead nowhere.
Model pruned(const Model& model) {
  std::vector<bool> node_used(model.nodes.size());
  std::vector<bool> input_used(model.inputs.size());
  node_used.back() = true;
  for (size_t i = model.nodes.size(); i-- > 0;) {
    for (const Source& source : model.nodes[i].inputs) {
      (source.is_input ? input_used : node_used)[source.index] =
          (source.is_input ? input_used : node_used)[source.index] || node_used[i];
    }
  }
  Model kept = model;
  kept.nodes.clear();
  kept.inputs.clear();
  std::vector<size_t> input_index(model.inputs.size());
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    input_index[i] = kept.inputs.size();
    if (input_used[i]) {
      kept.inputs.push_back(model.inputs[i]);
    }
  }
  std::vector<size_t> node_index(model.nodes.size());
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    node_index[i] = kept.nodes.size();
    if (node_used[i]) {
      kept.nodes.push_back(model.nodes[i]);
      for (Source& source : kept.nodes.back().inputs) {
        source.index = (source.is_input ? input_index : node_index)[source.index];
      }
    }
  }
  return kept;
}

// What can stand behind layers whose output a loss does not take: logits, and the loss of them.
struct Head {
  model::Loss loss;
  int64_t logits;
};

Head head_for(model::Loss loss) {
  switch (loss) {
    case model::Loss::kCrossEntropy:
      return {loss, 2};
    case model::Loss::kBinaryCrossEntropy:
      return {loss, 1};
    case model::Loss::kSpanCrossEntropy:  // two logits a step: few layers leave a sequence of them
      return {model::Loss::kCrossEntropy, 2};
  }
  return {};
}

// Up to the layer `last`, then what the loss needs behind it.
Model with_head(const Model& model, size_t last) {
  Model cut = model;
  cut.nodes.resize(last + 1);
  const auto append = [&cut](const char* name, const model::Layer& layer) {
    Node node;
    node.name = name;
    node.layer = layer;
    node.inputs = {{.is_input = false, .index = cut.nodes.size() - 1}};
    cut.nodes.push_back(std::move(node));
  };
  const auto output = cut.nodes.back().output;
  const Head head = head_for(cut.loss);
  if (!model::describe(cut.loss).takes(output)) {
    cut.loss = head.loss;
  }
  const bool fits = model::describe(cut.loss).takes(output);
  if (!fits && output.size() > 1) {
    append("head.flatten", model::Flatten{});
  }
  if (!fits) {
    append("head", model::Linear{.out_features = head.logits});
  }
  return pruned(cut);
}

// Without the layers [begin, end): who read one of them reads what it read first.
Model without(const Model& model, size_t begin, size_t end) {
  if (end == model.nodes.size()) {
    return with_head(model, begin - 1);
  }
  Model cut = model;
  cut.nodes.erase(cut.nodes.begin() + static_cast<std::ptrdiff_t>(begin),
                  cut.nodes.begin() + static_cast<std::ptrdiff_t>(end));
  for (Node& node : cut.nodes) {
    for (Source& source : node.inputs) {
      while (!source.is_input && source.index >= begin && source.index < end) {
        source = model.nodes[source.index].inputs.front();
      }
      if (!source.is_input && source.index >= end) {
        source.index -= end - begin;
      }
    }
  }
  return pruned(cut);
}

// From the layer `first` on: what the layers before it computed is given, as inputs.
Result<Case> from(const Case& subject, size_t first) {
  CB_ASSIGN(const auto start, start_of(subject));
  referee::Network<double> network(subject.model, {}, {.enabled = false});
  CB_TRY(network.load(start.state));
  network.forward(start.batch.inputs,
                  subject.trains ? referee::Mode::kTrain : referee::Mode::kEvaluate);
  Case cut = subject;
  auto& nodes = cut.model.nodes;
  nodes.erase(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(first));
  std::map<size_t, size_t> inputs;  // of layers that were left out
  for (Node& node : nodes) {
    for (Source& source : node.inputs) {
      if (source.is_input) {
        continue;
      }
      if (source.index >= first) {
        source.index -= first;
        continue;
      }
      const auto& before = subject.model.nodes[source.index];
      const auto [found, is_new] = inputs.emplace(source.index, cut.model.inputs.size());
      if (is_new) {
        cut.model.inputs.push_back({.name = before.name, .shape = before.output});
        cut.batch.insert_or_assign(before.name, referee::as_float32(network.output(source.index)));
      }
      source = {.is_input = true, .index = found->second};
    }
  }
  cut.model = pruned(cut.model);
  return cut;
}

// Every size of the model that may be chosen.
std::vector<int64_t*> sizes_of(Model& model) {
  std::vector<int64_t*> sizes;
  for (auto& input : model.inputs) {
    for (int64_t& dimension : input.shape) {
      sizes.push_back(&dimension);
    }
    if (input.is_integer()) {
      sizes.push_back(&input.entries);
    }
  }
  for (auto& node : model.nodes) {
    const auto of_layer = model::chosen_sizes(node.layer);
    sizes.insert(sizes.end(), of_layer.begin(), of_layer.end());
  }
  return sizes;
}

// What to try instead of a size or a count, smallest first.
std::vector<int64_t> smaller_than(int64_t value) {
  std::set<int64_t> smaller = {1, value / 2};
  if (value <= kSmall) {
    smaller.insert(value - 1);
  }
  std::erase_if(smaller, [value](int64_t size) { return size < 1 || size >= value; });
  return {smaller.begin(), smaller.end()};
}

// The sizes with these numbers set to one value.
Reduction with_sizes(const Case& subject, std::vector<size_t> which, int64_t from, int64_t to) {
  return {fmt::format("{} instead of {}", to, from), [&subject, which = std::move(which), to] {
            Model smaller = subject.model;
            const auto sizes = sizes_of(smaller);
            for (const size_t index : which) {
              *sizes[index] = to;
            }
            return fitted(subject, smaller);
          }};
}

}  // namespace

Reductions isolations(const Case& subject, const std::string& layer) {
  const auto& nodes = subject.model.nodes;
  const auto found = std::ranges::find(nodes, layer, &Node::name);
  if (found == nodes.end()) {
    return {};
  }
  const auto index = static_cast<size_t>(found - nodes.begin());
  const auto cut = [&subject, index](bool before, bool after) -> Result<Case> {
    Case smaller = subject;
    if (before) {
      CB_ASSIGN(smaller, from(subject, index));
    }
    const size_t last = before ? 0 : index;
    return fitted(smaller, after ? with_head(smaller.model, last) : smaller.model);
  };
  return {{"the layer alone", [cut] { return cut(true, true); }},
          {"nothing before the layer", [cut] { return cut(true, false); }},
          {"nothing after the layer", [cut] { return cut(false, true); }}};
}

Reductions without_layers(const Case& subject) {
  const size_t count = subject.model.nodes.size();
  Reductions found;
  for (size_t size = std::max<size_t>(count / 2, 1); size > 0; size /= 2) {
    for (size_t begin = 0; begin < count; begin += size) {
      const size_t end = std::min(begin + size, count);
      if (end - begin == count) {
        continue;
      }
      const std::string words = fmt::format(
          "without {} to {}", subject.model.nodes[begin].name, subject.model.nodes[end - 1].name);
      if (begin == 0) {
        found.push_back({words + ", what they give given", [&subject, end]() -> Result<Case> {
                           CB_ASSIGN(const Case cut, from(subject, end));
                           return fitted(cut, cut.model);
                         }});
      }
      if (begin > 0 || end < count) {
        found.push_back({words, [&subject, begin, end] {
                           return fitted(subject, without(subject.model, begin, end));
                         }});
      }
    }
  }
  return found;
}

Reductions smaller_batches(const Case& subject) {
  Reductions found;
  for (const int64_t samples : smaller_than(subject.model.batch)) {
    found.push_back({fmt::format("a batch of {}", samples), [&subject, samples] {
                       Model smaller = subject.model;
                       smaller.batch = samples;
                       return fitted(subject, smaller);
                     }});
  }
  return found;
}

Reductions smaller_sizes(const Case& subject) {
  Model copy = subject.model;
  const auto sizes = sizes_of(copy);
  std::map<int64_t, std::vector<size_t>, std::greater<>> by_value;
  for (size_t i = 0; i < sizes.size(); ++i) {
    by_value[*sizes[i]].push_back(i);
  }
  Reductions found;
  // Those that are equal are often the same one: the width of a residual net, the length of a text.
  for (const auto& [value, which] : by_value) {
    for (const int64_t smaller : smaller_than(value)) {
      found.push_back(with_sizes(subject, which, value, smaller));
    }
  }
  for (const auto& [value, which] : by_value) {
    for (const int64_t smaller : smaller_than(value)) {
      for (const size_t one : which.size() > 1 ? which : std::vector<size_t>()) {
        found.push_back(with_sizes(subject, {one}, value, smaller));
      }
    }
  }
  return found;
}

}  // namespace crossbind::conform
