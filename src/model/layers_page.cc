#include "model/layers_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <type_traits>

#include "model/losses.h"
#include "model/types.h"

namespace crossbind::model {
namespace {

constexpr std::string_view kOpening = R"(# What layers, losses and optimizers compute

For whoever writes a worker: the types of the [graph](../protocol/PROTOCOL.md), their fields, and what each means, to
the last convention. Where a framework does otherwise by default, the graph decides. How a person writes the same in a
file is in [model files](model-files.md).

This page is written by `crossbind models layers`, from the descriptions that also read and write the graph.

## What holds for all

- Shapes are those of one sample. In tensors the batch comes first: N is the number of its samples, x a layer's input,
  y its output.
- Values are float32; inputs that the graph calls `integer` are int64. Parameters have the shapes below in files and
  probes, whatever layout the binding has inside.
- Every sum may be added up in any order. The [referee](conform.md) allows for rounding, and for nothing else.
- *Training mode* is that of `train`, and of `probe` with `mode` `train`; everything else is *evaluation mode*. The two
  differ in `batchnorm` and `dropout` alone.
- What several layers read is computed once; its gradient is the sum of theirs.
- A gradient is that of the batch's loss, which is a mean over its samples: nothing else is divided by N.
)";

constexpr std::string_view kLossOpening = R"(
## Losses

`loss` of the graph has a `type` and `"reduction": "{}"`: the loss of a batch is the sum of its samples' losses, divided
by the number N of samples in *this* batch. The last, shorter batch of an epoch divides by its own number. The loss that
an `epoch` event reports is the mean over the epoch's samples, not over its batches: Σ N · loss / Σ N. Each batch's loss
is that in training mode, before its update. Weight decay is no part of a loss.
)";

constexpr std::string_view kAccuracy = R"(
### Accuracy

The share of samples that are right.

- `cross_entropy`: the index of the largest output is the label. Of equal ones the lowest index counts.
- `binary_cross_entropy`: output > 0 means 1, all else 0; an output of exactly 0 means 0.
- `span_cross_entropy`: the largest of column 0 is at `start` and the largest of column 1 at `end`; both, or it is wrong.
- A sample with a NaN among its outputs is wrong.
)";

constexpr std::string_view kOptimizerOpening = R"(
## Optimizers

In an update p is a parameter, g its gradient, `rate` the learning rate, which stays the same, and t the number of the
step, counted from 1 over the whole training. All trainable parameters are updated in every step, element by element;
running statistics never. There is no clipping.

In a probe `<parameter>.grad` is the gradient of the batch's loss alone: before weight decay, momentum and the rate.
`<parameter>` and `<parameter>.state.…` are those after the step. What `state` lacks is 0 before it.
)";

// The type of a field's value in the graph, and how model files write it, by kind.
template <typename Owner>
struct Documented {
  struct Words {
    std::string type;
    std::string file;
  };
  static constexpr std::string_view kPads = "[top, left, bottom, right], integers of at least 0";

  Words operator()(const InferredSize<Owner>&) const {
    return {"an integer of at least 1", "follows from the input"};
  }
  Words operator()(const InferredFlag<Owner>&) const {
    return {"true or false", "follows from the inputs"};
  }
  Words operator()(const Size<Owner>& field) const {
    return {"an integer of at least 1", code(field.file_key)};
  }
  Words operator()(const HeightAndWidth<Owner>& field) const {
    return {"[height, width], integers of at least 1", code(field.key) + ", or one integer"};
  }
  Words operator()(const FourPads<Owner>& field) const {
    return {std::string(kPads), code(field.key) + ", or one integer"};
  }
  Words operator()(const WindowPads<Owner>& field) const {
    return {std::string(kPads), code(field.key) + ", or one integer, `\"valid\"`, `\"same\"`"};
  }
  Words operator()(const Flag<Owner>& field) const { return {"true or false", code(field.key)}; }
  Words operator()(const OneOrTwo<Owner>& field) const { return {"1 or 2", code(field.key)}; }
  Words operator()(const Number<Owner>& field) const {
    return {std::string(field.interval.words), code(field.key)};
  }
  template <typename Enum>
  Words operator()(const Word<Owner, Enum>& field) const {
    std::vector<std::string> words;
    for (const auto& word : field.words) {
      words.push_back(fmt::format("`\"{}\"`", word.name));
    }
    return {fmt::format("{}", fmt::join(words, ", ")), code(field.key)};
  }
  Words operator()(const OptionalRow<Owner>& field) const {
    return {fmt::format("an integer of at least 0 and below `{}`, or null", field.rows_key),
            code(field.key) + ", or nothing"};
  }
  Words operator()(const Constant& field) const {
    return {fmt::format("always `\"{}\"`", field.value), "is not written"};
  }
  Words operator()(const DecayTable<Owner>& field) const {
    return {"an object", code(field.key) + ", or nothing: all 0"};
  }

 private:
  static std::string code(std::string_view key) { return fmt::format("`{}`", key); }
};

template <typename Owner>
std::string fields_table() {
  std::string rows;
  for_each_field<Owner>([&]<typename Field>(const Field& field) {
    if constexpr (Field::kInGraph) {
      const auto words = Documented<Owner>{}(field);
      rows += fmt::format(
          "| `{}` | {} | {} | {} |\n", field.key, words.type, field.meaning, words.file);
    }
  });
  return rows.empty() ? "\nNo fields.\n"
                      : "\n| field | type | meaning | in model files |\n|---|---|---|---|\n" + rows;
}

template <typename Owner>
std::string keys_of_files_alone() {
  std::vector<std::string> keys;
  for_each_field<Owner>([&]<typename Field>(const Field& field) {
    if constexpr (!Field::kInGraph) {
      keys.push_back(fmt::format("`{}`, {}", field.key, field.meaning));
    }
  });
  return keys.empty() ? "" : fmt::format("\nIn model files only: {}.\n", fmt::join(keys, "; and "));
}

template <typename Layer>
std::string layer_section() {
  using About = Description<Layer>;
  std::string text = fmt::format("\n### {}\n\nShapes: {}.\n", About::kType, About::kShapes);
  text += About::kParameters.empty() ? "No parameters.\n"
                                     : fmt::format("Parameters: {}.\n", About::kParameters);
  return text + fields_table<Layer>() + std::string(About::kMeaning) + keys_of_files_alone<Layer>();
}

std::string loss_section(const Named<Loss>& loss) {
  const LossDescription about = describe(loss.value);
  return fmt::format("\n### {}\n\nTakes an output of {}; targets: `{}`.\n{}",
                     loss.name,
                     about.output,
                     fmt::join(about.targets, "`, `"),
                     about.meaning);
}

template <typename Table>
std::string optimizer_section() {
  using About = Description<Table>;
  return fmt::format(
      "\n### {}\n{}{}", About::kType, fields_table<Table>(), std::string(About::kMeaning));
}

template <typename... Layers>
std::string layer_sections(std::type_identity<std::variant<Layers...>> /*which*/) {
  return (layer_section<Layers>() + ...);
}

template <typename... Optimizers>
std::string optimizer_sections(std::type_identity<std::variant<Optimizers...>> /*which*/) {
  return (optimizer_section<Optimizers>() + ...);
}

}  // namespace

std::string layers_page() {
  std::string page(kOpening);
  page += "\n## Layers\n" + layer_sections(std::type_identity<Layer>());
  page += fmt::format(kLossOpening, kReduction);
  for (const auto& loss : kLosses) {
    page += loss_section(loss);
  }
  page += kAccuracy;
  page += kOptimizerOpening;
  page += optimizer_sections(std::type_identity<Optimizer>());
  page += optimizer_section<WeightDecay>();
  return page;
}

}  // namespace crossbind::model
