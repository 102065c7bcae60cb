// Steps of small models as a worker would show them, right or wrong: for tests of causes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "conform/cause.h"
#include "judge/step_judge.h"
#include "model/model.h"

namespace crossbind::conform {

// What a worker computes a step with.
struct Work {
  model::Model model;
  tensor::TensorMap state;
  referee::Split::Batch<double> batch;
  int64_t number = 1;
  bool trains = true;
  bool drops = false;  // dropout is on
};

// The step that comes of it, in float32.
[[nodiscard]] judge::RecordedStep recorded(const Work& work);

// The first two steps of a model that are right, and what the second one was made of.
struct Steps {
  Work work;
  judge::RecordedStep first;
  judge::RecordedStep second;

  [[nodiscard]] Scene scene() const { return {work.model, second, &first}; }
};
// model: one of "image", "gru", "lstm", "flat"; trains: of the second step.
[[nodiscard]] Steps steps_of(const std::string& model, bool trains);

// Where conform locates what is off in a step; empty when nothing is.
[[nodiscard]] Divergence first_divergence(const model::Model& model,
                                          const judge::RecordedStep& step);

// A bug of a worker: it computes the second step with something else, or shows something else.
struct Bug {
  std::string name;
  std::string model;
  bool trains = true;
  std::function<void(Work&, const Steps&)> computes;
  std::function<void(judge::RecordedStep&, const Steps&)> shows;
  std::string tensor;  // the first that is off
  std::string cause;
};
// Expects that the bug's cause is found, and no other.
void check(const Bug& bug);
[[nodiscard]] std::string name_of_bug(const ::testing::TestParamInfo<Bug>& bug);
void PrintTo(const Bug& bug, std::ostream* out);  // NOLINT(readability-identifier-naming): gtest's

template <typename Layer>
[[nodiscard]] Layer& layer(Work& work, std::string_view name) {
  return std::get<Layer>(std::ranges::find(work.model.nodes, name, &model::Node::name)->layer);
}
[[nodiscard]] std::vector<float> values_of(const tensor::Tensor& tensor);

}  // namespace crossbind::conform
