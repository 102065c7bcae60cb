#include "model/losses.h"

#include <array>

namespace crossbind::model {
namespace {

using namespace std::string_view_literals;

constexpr std::array kLabel = {"label"sv};
constexpr std::array kStartAndEnd = {"start"sv, "end"sv};

constexpr std::string_view kCrossEntropy = R"(
    of one sample:  log Σ over k of e^z[k] − z[label]

- z are logits, the last layer's output; the logarithm is the natural one.
- The gradient of z[k] is (softmax(z)[k] − (1 where k is the label, else 0)) / N.
)";

constexpr std::string_view kBinaryCrossEntropy = R"(
    of one sample:  max(z, 0) − z · label + log(1 + e^−|z|)

- z is the one logit, the last layer's output; the label is 0 or 1.
- The gradient of z is (sigmoid(z) − label) / N.
)";

constexpr std::string_view kSpanCrossEntropy = R"(
    of one sample:  (cross_entropy(z[·, 0], start) + cross_entropy(z[·, 1], end)) / 2

- z is the last layer's output: column 0 has a logit of every position for the start, column 1 for the end.
- Both are over all positions: there is no mask. The gradients are those of `cross_entropy`, divided by 2.
)";

}  // namespace

LossDescription describe(Loss loss) {
  switch (loss) {
    case Loss::kCrossEntropy:
      return {[](const Shape& output) { return output.size() == 1 && output[0] > 1; },
              "[classes] with at least two classes",
              kLabel,
              kCrossEntropy};
    case Loss::kBinaryCrossEntropy:
      return {[](const Shape& output) { return output == Shape{1}; },
              "[1]",
              kLabel,
              kBinaryCrossEntropy};
    case Loss::kSpanCrossEntropy:
      return {[](const Shape& output) { return output.size() == 2 && output[1] == 2; },
              "[length, 2]",
              kStartAndEnd,
              kSpanCrossEntropy};
  }
  return {};
}

int64_t class_count(const Model& model) {
  switch (model.loss) {
    case Loss::kCrossEntropy:
    case Loss::kSpanCrossEntropy:
      return model.nodes.back().output.front();
    case Loss::kBinaryCrossEntropy:
      return 2;
  }
  return 0;
}

}  // namespace crossbind::model
