#include "judge/free_step.h"

#include <cmath>
#include <optional>

#include "referee/referee.h"
#include "tensor/philox.h"

namespace crossbind::judge {
namespace {

using referee::Array;
using referee::Bounded;

// The spread of so few is known to a third, of the largest of many elements better; the bound's
// constant leaves room for both.
constexpr uint32_t kPasses = 8;
constexpr uint32_t kErrorStream = 2;  // of those for tests: exercises have 0 and 1

double largest(const double* units, int64_t count) {
  return count == 0 ? 0 : *std::max_element(units, units + count);
}

// One pass: exact, or with errors from a stream.
class Pass {
 public:
  enum class Asks { kStep, kQuery };
  Pass(Asks asks, referee::Mode mode, std::optional<tensor::PhiloxStream> errors)
      : asks_(asks),
        mode_(mode),
        errors_(errors) {}

  FreeStep run(referee::Network<double>& network, const RecordedStep& start) {
    const auto& model = network.model();
    std::vector<Array<double>> outputs(model.nodes.size());
    referee::AnchoredPass pass(network, start.batch.inputs, outputs, mode_);
    for (size_t i = 0; i < model.nodes.size(); ++i) {
      const Bounded exact = pass.forward(i);
      outputs[i] = with_errors(exact, exact.value.batch());
    }
    FreeStep step;
    step.output.value = outputs.back();
    if (asks_ == Asks::kQuery) {
      step.inputs = input_gradients(pass, start);
    }
    if (asks_ == Asks::kStep && start.trains) {
      for (const Bounded& gradient : pass.backward(start.batch.targets).gradients) {
        step.gradients.push_back({with_errors(gradient, 1), {}});
      }
      step.statistics = statistics(pass, model);
    }
    return step;
  }

 private:
  // Of the sum over the samples, not of their mean; one sample's do not depend on the others.
  std::vector<Bounded> input_gradients(referee::AnchoredPass& pass, const RecordedStep& start) {
    const int64_t samples = start.batch.inputs.front().batch();
    auto gradients = pass.backward(start.batch.targets, referee::InputGradients::kWanted).inputs;
    for (Bounded& gradient : gradients) {
      for (auto* values : {&gradient.value.values, &gradient.unit.values}) {
        std::ranges::transform(*values, values->begin(), [&](double value) {
          return value * static_cast<double>(samples);
        });
      }
      gradient = {with_errors(gradient, samples), {}};
    }
    return gradients;
  }

  std::vector<Bounded> statistics(referee::AnchoredPass& pass, const model::Model& model) {
    std::vector<Bounded> found(model.parameters.size());
    for (size_t i = 0; i < model.nodes.size(); ++i) {
      auto buffers = pass.buffers(i);
      for (size_t j = 0; j < buffers.size(); ++j) {
        const int64_t each = std::max<int64_t>(buffers[j].value.size(), 1);
        found[model.nodes[i].parameters[j]].value = with_errors(buffers[j], each);
      }
    }
    return found;
  }

  // The errors are those of the bounds: as large all over a group as where they are largest.
  Array<double> with_errors(const Bounded& exact, int64_t groups) {
    Array<double> result = exact.value;
    if (!errors_ || result.values.empty()) {
      return result;
    }
    const int64_t group = result.size() / groups;
    for (int64_t begin = 0; begin < result.size(); begin += group) {
      const double unit = largest(exact.unit.data() + begin, group);
      for (int64_t i = begin; unit > 0 && i < begin + group; ++i) {
        result[i] += unit * errors_->normal();
      }
    }
    return result;
  }

  Asks asks_;
  referee::Mode mode_;
  std::optional<tensor::PhiloxStream> errors_;
};

void add_square(const Bounded& pass, Bounded& sum) {
  if (sum.unit.values.empty()) {
    sum.unit = Array<double>(sum.value.shape);
  }
  for (size_t i = 0; i < sum.value.values.size(); ++i) {
    const double difference = pass.value.values[i] - sum.value.values[i];
    sum.unit.values[i] += difference * difference / kPasses;
  }
}

void take_root(Bounded& sum) {
  for (double& unit : sum.unit.values) {
    unit = std::sqrt(unit);
  }
}

// Calls f with every result of one and the same of the other.
template <typename F>
void for_each(FreeStep& step, const FreeStep& other, F f) {
  f(step.output, other.output);
  for (size_t i = 0; i < step.gradients.size(); ++i) {
    f(step.gradients[i], other.gradients[i]);
    f(step.statistics[i], other.statistics[i]);
  }
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    f(step.inputs[i], other.inputs[i]);
  }
}

Result<FreeStep> found_by_doing(const model::Model& model,
                                const RecordedStep& start,
                                Pass::Asks asks,
                                referee::Mode mode) {
  referee::Network<double> network(model, {}, {.enabled = false});
  CB_TRY(network.load(start.state));
  FreeStep step = Pass(asks, mode, std::nullopt).run(network, start);
  for (uint32_t number = 0; number < kPasses; ++number) {
    const auto other =
        Pass(asks, mode, tensor::PhiloxStream(0, tensor::Purpose::kTest, kErrorStream, number))
            .run(network, start);
    for_each(step, other, [](Bounded& sum, const Bounded& pass) { add_square(pass, sum); });
  }
  for_each(step, step, [](Bounded& sum, const Bounded&) { take_root(sum); });
  return step;
}

}  // namespace

Result<FreeStep> free_step(const model::Model& model, const RecordedStep& start) {
  return found_by_doing(model,
                        start,
                        Pass::Asks::kStep,
                        start.trains ? referee::Mode::kTrain : referee::Mode::kEvaluate);
}

Result<FreeStep> free_query(const model::Model& model,
                            const RecordedStep& start,
                            referee::Mode mode) {
  return found_by_doing(model, start, Pass::Asks::kQuery, mode);
}

}  // namespace crossbind::judge
