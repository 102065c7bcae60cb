// A study of two bindings that train and infer, on data that are there, for tests that run it with
// workers that are no processes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plan/made_up.h"
#include "run/study_runner.h"
#include "store/memory_store.h"
#include "testing/testing.h"

namespace crossbind::run {

inline constexpr const char* kStudy = R"(name = "mine"
title = "Mine"
bindings = ["reference/cpp", "pytorch/rust"]
seeds = [1, 2]
tasks = ["train", "infer-parameters"]
[training]
epochs = 1
batch_size = 8
[inference]
weights = "reference/cpp"
[run]
time_limit_s = 9
memory_limit_mib = 100
[[models]]
model = "lenet1"
dataset = "glyphs-20-10"
)";

class RecordedWatch final : public RunWatch {
 public:
  void begins(size_t lane, size_t number, const store::Axes& axes) override;
  void goes_on(size_t /*lane*/, const tasks::Progress& /*progress*/) override {}
  void ends(size_t lane, size_t number, const store::TrialSummary& trial) override;
  void is_interrupted(size_t /*lane*/) override { told.emplace_back("interrupted"); }

  [[nodiscard]] ptrdiff_t place_of(const std::string& what) const;

  std::vector<std::string> told;  // "begins reference/cpp train 1"
  std::vector<size_t> numbers;
};

class StudyFixture : public testing::ScratchTest {
 protected:
  StudyFixture();

  // Gives every binding of the facts a command.
  void make_ready();
  void make_plan() { plan_ = plan::planned(study_, facts_); }

  [[nodiscard]] Result<RunSummary> run_in(store::ResultStore& store,
                                          converse::Launcher& launcher,
                                          size_t jobs = 1,
                                          const std::string& text = kStudy);
  [[nodiscard]] RunSummary run(converse::Launcher& launcher, size_t jobs = 1);

  // What the store holds becomes what the next plan knows.
  void remember();

  // "reference/cpp train 1: done", in the order of the store.
  [[nodiscard]] std::vector<std::string> stored() const;

  [[nodiscard]] std::string identity_of(const plan::Wanted& wanted) const {
    return plan::find(study_, plan_, wanted).id.to_string();
  }

  spec::Study study_;
  plan::Facts facts_;
  plan::Plan plan_;
  std::map<std::string, process::Program> commands_;
  std::map<std::string, trial::Capabilities> capabilities_;
  store::MemoryStore store_;
  Materials materials_;
  process::StopSignal stop_;
  RecordedWatch watch_;
};

}  // namespace crossbind::run
