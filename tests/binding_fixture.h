// What tests of real bindings share: their workers, as `crossbind setup` has left them in the
// cache, and exercises for them. A binding that is not set up is skipped by name.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "checkup/exercise.h"
#include "checkup/features.h"
#include "converse/dialogue.h"
#include "converse/launcher.h"
#include "judge/step_judge.h"
#include "place/local_place.h"
#include "testing/testing.h"
#include "workers/binding.h"
#include "workers/start.h"

namespace crossbind {

// A worker that is up and has been welcomed. Requests that are not done fail the test.
class BoundWorker {
 public:
  explicit BoundWorker(const workers::Binding& binding);

  [[nodiscard]] const trial::Capabilities& able() const { return able_; }

  protocol::Done ask(protocol::Request request);
  // The events of a request, and its answer.
  struct Answer {
    std::vector<protocol::Event> events;
    converse::Attempt<protocol::Done> done;
  };
  [[nodiscard]] Answer answer(protocol::Request request);

  // Prepares the exercise and trains it: the losses of the epochs.
  [[nodiscard]] std::vector<double> train(const checkup::Exercise& exercise,
                                          const std::filesystem::path& save = {});
  // The outputs and the accuracy for what is prepared or was trained.
  struct Inference {
    std::vector<float> outputs;
    double accuracy = 0;
  };
  [[nodiscard]] Inference infer(const std::filesystem::path& outputs);

  // One step from the state, which becomes that after the step.
  [[nodiscard]] judge::RecordedStep probe(const checkup::Exercise& exercise,
                                          int64_t number,
                                          tensor::TensorMap& state);

  // Says bye.
  [[nodiscard]] process::End end();

 private:
  TemporaryDirectory scratch_;  // of its socket
  trial::Capabilities able_;
  workers::StartCommand start_;
  process::StopSignal stop_;
  std::unique_ptr<place::LocalPlace> place_;
  std::unique_ptr<converse::Launcher> launcher_;
  std::unique_ptr<converse::Worker> worker_;
  protocol::RequestId id_ = 0;
};

class BindingTest : public testing::ScratchTest {
 protected:
  // The binding, or why it cannot be used here.
  struct Found {
    workers::Binding binding;
    std::string missing;
  };
  [[nodiscard]] static Found find(const std::string& name);

  // One that is there.
  [[nodiscard]] static workers::StartCommand start_command(const std::string& name);
  [[nodiscard]] static BoundWorker start(const std::string& name);

  // What becomes of what the binding claims; its framework in Python serializes for it.
  [[nodiscard]] std::vector<checkup::Tried> features(const std::string& name) const;

  // A ready model: the LeNets as they are, the others at their [conform] geometry; or a file.
  [[nodiscard]] static model::Model model(const std::string& name);

  // An exercise in a folder of its own.
  [[nodiscard]] checkup::Exercise exercise(const model::Model& model,
                                           const trial::Settings& settings,
                                           const checkup::Samples& samples) const;
};

}  // namespace crossbind

// Skips the test unless the binding is set up.
#define CROSSBIND_NEED(name)                        \
  do {                                              \
    const std::string missing = find(name).missing; \
    if (!missing.empty()) {                         \
      CROSSBIND_SKIP(name, missing);                \
    }                                               \
  } while (false)
