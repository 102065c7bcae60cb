// What is known of each task before it is done: what it needs, which axes matter to it, what a
// worker must be able to do for it, how much work it is. Named facts, stated in the folder of the
// task; whoever plans or prepares asks for a fact, never whether a task is this or that one.
#pragma once

#include "trial/capabilities.h"
#include "trial/settings.h"

namespace crossbind::tasks {

// A value that cannot be left out: a task that does not state one of its facts does not compile.
template <typename T>
class Stated {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): it stands for the value
  constexpr Stated(T value) : value_(value) {}
  // NOLINTNEXTLINE(google-explicit-constructor): likewise
  constexpr operator T() const { return value_; }

 private:
  T value_;
};

// What one trial of a model is asked to go through.
struct Workload {
  double train = 0;  // samples
  double test = 0;
  double epochs = 1;
  double batch = 1;
  double warmup_steps = 0;
  bool times_only = false;  // nothing is scored
  trial::TrainingAccuracy training_accuracy = trial::TrainingAccuracy::kRunning;
  trial::Evaluate evaluate = trial::Evaluate::kEveryEpoch;
};

// How many forward passes of one sample a backward pass counts for, its forward pass included.
inline constexpr double kForwardAndBackward = 3;

// The axes of a study in which trials of the task differ. One that does not matter has one value:
// step by step for the variant, the study's first for others.
struct AxesThatMatter {
  Stated<bool> loader;
  Stated<bool> variant;
  Stated<bool> measure;
  Stated<bool> weights;  // where its parameters come from: initial, supplied, or trained by others
};

struct Rules {
  // What a worker claims that can do it: the task itself, or the one whose requests it consists of.
  Stated<trial::Task> claimed_as;
  Stated<trial::ProbeLevel> probe;  // how much of a step the worker must show
  Stated<bool> takes_steps;   // of training: the loss, the optimizer and the order of samples count
  Stated<bool> takes_file;    // of the framework's own, with the whole model, whatever the variant
  Stated<bool> feeds_others;  // what it trains can be the weights of others
  AxesThatMatter axes;
  Stated<bool> has_saved_model;  // the variant "savedmodel": its steps can be in a file
  Stated<bool> has_graph;        // the variant "graph": its steps can be recorded and replayed
  Stated<bool> is_timed;         // bindings are compared by the time and the memory that it takes
  Stated<bool> scores_training;  // it reports an accuracy over the training set
  // The test set is scored beside the work: of few samples, where nobody wants the score.
  Stated<bool> scores_beside;
  // Samples that go forward through the model, each backward pass counted as kForwardAndBackward.
  Stated<double (*)(const Workload&)> samples;
};

[[nodiscard]] const Rules& rules_of(trial::Task task);

// Whether what a worker trains can be the weights of others: it also writes it.
[[nodiscard]] bool trains_and_saves(const trial::Capabilities& capabilities);

// Whether a worker gets the framework's own file of the whole model, not parameters.
[[nodiscard]] bool is_serialized(trial::Task task, trial::Variant variant);

}  // namespace crossbind::tasks
