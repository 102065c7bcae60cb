#include "judge/masks.h"

#include <algorithm>

#include "judge/step_tensors.h"
#include "stats/distributions.h"

namespace crossbind::judge {
namespace {

using referee::Array;

// Counts pairs of elements that were treated alike.
class Pairs {
 public:
  Pairs(double one_rate, double other_rate)
      : expected_(one_rate * other_rate + (1 - one_rate) * (1 - other_rate)) {}

  void add(Drawn one, Drawn other) {
    if (one != Drawn::kUnknown && other != Drawn::kUnknown) {
      ++trials_;
      alike_ += one == other ? 1 : 0;
    }
  }

  [[nodiscard]] MaskQuestion question(const std::string& layer,
                                      MaskAspect aspect,
                                      std::string other = {}) const {
    return {layer,
            aspect,
            std::move(other),
            alike_,
            trials_,
            expected_,
            trials_ == 0 ? 1 : stats::binomial_two_sided(alike_, trials_, expected_)};
  }

 private:
  double expected_;
  int64_t alike_ = 0;
  int64_t trials_ = 0;
};

size_t features_of(const Mask& mask) {
  return mask.drawn.size() / static_cast<size_t>(mask.samples);
}

using Steps = std::vector<std::vector<Mask>>;

MaskQuestion dropped(const Steps& steps, size_t layer) {
  MaskQuestion question{.layer = steps.front()[layer].layer,
                        .aspect = MaskAspect::kRate,
                        .expected = steps.front()[layer].rate};
  for (const auto& masks : steps) {
    for (const Drawn drawn : masks[layer].drawn) {
      question.trials += drawn == Drawn::kUnknown ? 0 : 1;
      question.count += drawn == Drawn::kDropped ? 1 : 0;
    }
  }
  if (question.trials > 0) {
    question.p_value =
        stats::binomial_two_sided(question.count, question.trials, question.expected);
  }
  return question;
}

// The same feature in neighbouring samples: 0 with 1, 2 with 3, ...
MaskQuestion between_samples(const Steps& steps, size_t layer) {
  const double rate = steps.front()[layer].rate;
  Pairs pairs(rate, rate);
  for (const auto& masks : steps) {
    const Mask& mask = masks[layer];
    const size_t features = features_of(mask);
    for (int64_t sample = 0; sample + 1 < mask.samples; sample += 2) {
      const size_t begin = static_cast<size_t>(sample) * features;
      for (size_t i = begin; i < begin + features; ++i) {
        pairs.add(mask.drawn[i], mask.drawn[i + features]);
      }
    }
  }
  return pairs.question(steps.front()[layer].layer, MaskAspect::kSamples);
}

// Neighbouring features of one sample: 0 with 1, 2 with 3, ...
MaskQuestion between_features(const Steps& steps, size_t layer) {
  const double rate = steps.front()[layer].rate;
  Pairs pairs(rate, rate);
  for (const auto& masks : steps) {
    const Mask& mask = masks[layer];
    const size_t features = features_of(mask);
    for (size_t begin = 0; begin < mask.drawn.size(); begin += features) {
      for (size_t i = begin; i + 1 < begin + features; i += 2) {
        pairs.add(mask.drawn[i], mask.drawn[i + 1]);
      }
    }
  }
  return pairs.question(steps.front()[layer].layer, MaskAspect::kFeatures);
}

// The same element in step 1 and 2, 3 and 4, ...
MaskQuestion between_steps(const Steps& steps, size_t layer) {
  const double rate = steps.front()[layer].rate;
  Pairs pairs(rate, rate);
  for (size_t step = 0; step + 1 < steps.size(); step += 2) {
    const auto& one = steps[step][layer].drawn;
    const auto& other = steps[step + 1][layer].drawn;
    for (size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
      pairs.add(one[i], other[i]);
    }
  }
  return pairs.question(steps.front()[layer].layer, MaskAspect::kSteps);
}

// The elements of two layers, in their order.
MaskQuestion between_layers(const Steps& steps, size_t layer, size_t before) {
  const auto& masks = steps.front();
  Pairs pairs(masks[layer].rate, masks[before].rate);
  for (const auto& step : steps) {
    const auto& one = step[layer].drawn;
    const auto& other = step[before].drawn;
    for (size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
      pairs.add(one[i], other[i]);
    }
  }
  return pairs.question(masks[layer].layer, MaskAspect::kLayers, masks[before].layer);
}

}  // namespace

std::vector<Mask> masks_of(const model::Model& model, const RecordedStep& step) {
  std::vector<Mask> masks;
  for (const auto& node : model.nodes) {
    const auto* dropout = std::get_if<model::Dropout>(&node.layer);
    if (dropout == nullptr || dropout->rate == 0) {
      continue;
    }
    const auto& source = node.inputs.front();
    const Array<double> input =
        source.is_input ? step.batch.inputs[source.index]
                        : array_of(step.tensors.at(model.nodes[source.index].name + ".out"));
    const Array<double> output = array_of(step.tensors.at(node.name + ".out"));
    Mask mask{node.name, dropout->rate, input.batch(), {}};
    mask.drawn.reserve(input.values.size());
    for (size_t i = 0; i < input.values.size(); ++i) {
      mask.drawn.push_back(input.values[i] == 0    ? Drawn::kUnknown
                           : output.values[i] == 0 ? Drawn::kDropped
                                                   : Drawn::kKept);
    }
    masks.push_back(std::move(mask));
  }
  return masks;
}

int64_t count_questions(const model::Model& model, int64_t steps) {
  const int64_t layers = std::ranges::count_if(model.nodes, [](const model::Node& node) {
    const auto* dropout = std::get_if<model::Dropout>(&node.layer);
    return dropout != nullptr && dropout->rate != 0;
  });
  return layers * (steps > 1 ? 4 : 3) + layers * (layers - 1) / 2;
}

std::vector<MaskQuestion> question_masks(const Steps& steps) {
  std::vector<MaskQuestion> questions;
  const size_t layers = steps.empty() ? 0 : steps.front().size();
  for (size_t layer = 0; layer < layers; ++layer) {
    questions.push_back(dropped(steps, layer));
    questions.push_back(between_samples(steps, layer));
    questions.push_back(between_features(steps, layer));
    if (steps.size() > 1) {
      questions.push_back(between_steps(steps, layer));
    }
    for (size_t before = 0; before < layer; ++before) {
      questions.push_back(between_layers(steps, layer, before));
    }
  }
  return questions;
}

const MaskQuestion* failed_question(const std::vector<MaskQuestion>& questions,
                                    double level,
                                    int64_t tests) {
  const auto worst = std::ranges::min_element(questions, {}, &MaskQuestion::p_value);
  return worst != questions.end() && worst->p_value < level / static_cast<double>(tests) ? &*worst
                                                                                         : nullptr;
}

}  // namespace crossbind::judge
