// What the tests of a framework's bindings share: trainings of a few steps, without dropout, and
// what is expected of each.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "binding_fixture.h"
#include "model/training.h"

namespace crossbind {

inline constexpr int64_t kSteps = 20;
// A power of 2: the mean over the epoch's samples is the loss itself.
inline constexpr int64_t kBatch = 8;

[[nodiscard]] model::Optimizer sgd(double momentum);
[[nodiscard]] model::Optimizer adam();

// kSteps epochs of one step.
[[nodiscard]] trial::Settings one_step_epochs();

// The name of a test whose parameter is a binding.
[[nodiscard]] std::string language_of(const ::testing::TestParamInfo<const char*>& parameter);

class AgreementTest : public BindingTest {
 protected:
  // Without dropout, whose masks each binding draws in its own order.
  [[nodiscard]] static model::Model model_with(const std::string& name,
                                               const model::Optimizer& optimizer);

  // The losses of kSteps steps from the same weights, on the same batch.
  [[nodiscard]] std::vector<double> losses(BoundWorker& worker,
                                           const std::string& name,
                                           const model::Optimizer& optimizer) const;

  // kSteps steps, each from what the worker itself came to: inside the referee's bounds, with the
  // conventions that the worker says it has.
  void expect_rounding(BoundWorker& worker, const model::Model& model) const;

  void expect_flat_memory(const std::string& binding) const;

  // What the worker saves is what Python has after loading it, byte for byte.
  void expect_read_back(BoundWorker& worker, BoundWorker& python, const std::string& name) const;

  // The worker answers what Python does with the model that Python has trained, by every way that
  // the binding has.
  void expect_answers_of_python(BoundWorker& python,
                                BoundWorker& worker,
                                const std::string& name) const;

 private:
  [[nodiscard]] int64_t peak_after(const std::string& binding, int64_t epochs) const;
};

}  // namespace crossbind
