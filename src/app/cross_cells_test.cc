#include "app/cross_cells.h"

#include "plan/made_up.h"
#include "store/memory_store.h"
#include "testing/testing.h"

namespace crossbind::app {
namespace {

using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::SizeIs;
using trial::Task;

constexpr const char* kStudy = R"(name = "cross"
title = "Cross"
bindings = ["reference/cpp", "reference/python", "pytorch/rust"]
seeds = [1]
tasks = ["train", "infer-parameters", "infer-serialization"]
except = [{ task = "infer-serialization", binding = "pytorch/*", weights = "reference/*" }]
training = { epochs = 1 }
inference = { weights = ["*"] }
[[models]]
model = "lenet1"
dataset = "glyphs-2000-500"
)";

class CrossCellsTest : public ::testing::Test {
 protected:
  CrossCellsTest()
      : study_(plan::parsed_study(kStudy)),
        facts_(plan::made_up_facts(study_)),
        id_(store_.add_study({"cross", kStudy}).value()) {
    facts_.bindings[2].capabilities->saves = false;
    plan_ = plan::planned(study_, facts_);
  }

  void add(const plan::Trial& trial, store::Outcome outcome, const std::string& reason) {
    store::TrialRecord record;
    record.identity = trial.id.to_string();
    record.axes.task = name_in(trial::kTasks, plan_.condition_of(trial).task);
    record.outcome = outcome;
    record.reason = reason;
    if (outcome == store::Outcome::kDone && trial.source != plan::kNoSource) {
      record.series = {{"infer.accuracy", 0, {0.75}},
                       {"infer.differing", 0, {0}},
                       {"infer.expected", 0, {0.75}},
                       {"infer.output_difference", 0, {2e-6}}};
    }
    ASSERT_THAT(store_.add_trial(id_, record), is_ok());
  }

  // Every trial as a run would have left it: reference/python cannot be trained.
  void add_all(store::Outcome of_python) {
    for (const auto& trial : plan_.trials) {
      const bool trains = trial.source == plan::kNoSource;
      if (trains && plan_.bindings[trial.binding] == "reference/python") {
        add(trial, of_python, "layer pad");
      } else if (trains || plan_.weights_of(trial) == "reference/cpp") {
        add(trial, store::Outcome::kDone, "");
      }
    }
  }

  [[nodiscard]] std::vector<CrossCell> cells() const {
    return cross_cells(study_, plan_, store_).value();
  }
  [[nodiscard]] ComparedAnswers cell(const std::string& trained_in,
                                     const std::string& scored_in,
                                     Task task = Task::kInferParameters) const {
    for (const auto& cell : cells()) {
      if (cell.trained_in == trained_in && cell.scored_in == scored_in && cell.task == task) {
        return cell.answers;
      }
    }
    ADD_FAILURE() << "no such cell";
    return {};
  }

  spec::Study study_;
  plan::Facts facts_;
  plan::Plan plan_;
  store::MemoryStore store_;
  store::StudyId id_;
};

TEST_F(CrossCellsTest, AreThereForEveryPairOfBindings) {
  add_all(store::Outcome::kUnsupported);
  EXPECT_THAT(cells(), SizeIs(18));
  EXPECT_EQ(cell("reference/cpp", "pytorch/rust").sameness, Sameness::kClose);
  EXPECT_EQ(cell("reference/python", "pytorch/rust").sameness, Sameness::kUnsupported);
  EXPECT_THAT(cell("reference/python", "pytorch/rust").reason,
              HasSubstr("its training is unsupported: layer pad"));
  EXPECT_THAT(cell("pytorch/rust", "reference/cpp").reason, HasSubstr("does not save"));
  EXPECT_THAT(cell("reference/cpp", "pytorch/rust", Task::kInferSerialization).reason,
              HasSubstr("stays within its framework"));
}

TEST_F(CrossCellsTest, OfWhatWasNotRunAreNotTakenForUnsupported) {
  EXPECT_EQ(cell("reference/cpp", "pytorch/rust").sameness, Sameness::kNotRun);
  add_all(store::Outcome::kFailed);
  const auto lost = cell("reference/python", "reference/cpp");
  EXPECT_EQ(lost.sameness, Sameness::kNotRun);
  EXPECT_EQ(lost.reason, "its training failed: layer pad");
}

}  // namespace
}  // namespace crossbind::app
