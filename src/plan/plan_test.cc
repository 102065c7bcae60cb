// Properties of every plan.
#include "plan/plan.h"

#include <rapidcheck/gtest.h>

#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "plan/made_up.h"
#include "tasks/rules.h"
#include "testing/testing.h"

namespace crossbind::plan {
namespace {

using spec::Axis;
using spec::Study;
using trial::Task;

template <typename T>
std::vector<T> some_of(const std::vector<T>& values) {
  const size_t count = *rc::gen::inRange<size_t>(1, values.size() + 1);
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)};
}

Study any_study() {
  static const Study base = made_up_study(R"(bindings = ["*"])");
  Study study = base;
  study.seeds.resize(*rc::gen::inRange<size_t>(1, 4));
  std::iota(study.seeds.begin(), study.seeds.end(), 5U);
  study.repeats = *rc::gen::inRange<int64_t>(1, 4);
  study.shuffle_seed = *rc::gen::arbitrary<uint32_t>();
  study.models = some_of(study.models);
  study.devices = some_of<std::string>({"cpu", "cuda"});
  study.tasks = some_of<Task>({Task::kTrain, Task::kInferParameters, Task::kInferSerialization});
  study.loaders = some_of<trial::Loader>({trial::Loader::kResident, trial::Loader::kIdiomatic});
  study.variants = some_of<trial::Variant>({trial::Variant::kStep, trial::Variant::kFit});
  study.measures = some_of<trial::Measure>({trial::Measure::kTotal, trial::Measure::kParts});
  using Names = std::vector<std::string>;
  study.inference_weights =
      *rc::gen::elementOf(std::vector<Names>{{}, {"reference/cpp"}, {"*"}, {"p*", "reference/*"}});
  if (*rc::gen::arbitrary<bool>()) {
    spec::Exception exception = {.patterns = {}, .place = "mine.toml:1"};
    exception.patterns[static_cast<size_t>(Axis::kBinding)] = "reference/python";
    exception.patterns[static_cast<size_t>(Axis::kModel)] = "lenet1";
    study.exceptions = {exception};
  }
  return study;
}

using Cell = std::tuple<std::string,
                        uint32_t,
                        uint32_t,
                        Task,
                        trial::Loader,
                        trial::Variant,
                        trial::Measure,
                        std::string,
                        uint32_t,
                        uint32_t>;

// Where the weights of an inference come from: the bindings, but for what the exception removes.
std::vector<std::string> sources_of(const Study& study, uint32_t model, Task task) {
  if (!tasks::rules_of(task).axes.weights) {
    return {""};
  }
  if (study.inference_weights.empty()) {
    return {"initial"};
  }
  if (study.inference_weights.front() == "reference/cpp") {
    return {"reference/cpp"};
  }
  return study.exceptions.empty() || model != 0
             ? std::vector<std::string>{"reference/cpp", "reference/python", "pytorch/rust"}
             : std::vector<std::string>{"reference/cpp", "pytorch/rust"};
}

std::multiset<Cell> cells_of(const Plan& plan) {
  std::multiset<Cell> cells;
  for (const Trial& trial : plan.trials) {
    const Block& block = plan.block_of(trial);
    const Condition& c = plan.condition_of(trial);
    cells.emplace(plan.bindings[trial.binding],
                  c.model,
                  c.device,
                  c.task,
                  c.loader,
                  c.variant,
                  c.measure,
                  std::string(plan.weights_of(trial)),
                  block.seed,
                  block.repeat);
  }
  return cells;
}

std::multiset<Cell> matrix_of(const Study& study) {
  std::multiset<Cell> cells;
  for (const std::string binding : {"reference/cpp", "reference/python", "pytorch/rust"}) {
    for (uint32_t model = 0; model < study.models.size(); ++model) {
      if (!study.exceptions.empty() && binding == "reference/python" && model == 0) {
        continue;
      }
      for (uint32_t device = 0; device < study.devices.size(); ++device) {
        for (const auto task : study.tasks) {
          for (const auto loader : study.loaders) {
            for (const auto variant : study.variants) {
              for (const auto measure : study.measures) {
                for (const auto seed : study.seeds) {
                  for (uint32_t repeat = 1; repeat <= study.repeats; ++repeat) {
                    for (const auto& weights : sources_of(study, model, task)) {
                      cells.emplace(binding,
                                    model,
                                    device,
                                    task,
                                    loader,
                                    variant,
                                    measure,
                                    weights,
                                    seed,
                                    repeat);
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
  return cells;
}

RC_GTEST_PROP(Plan, HasEveryCellOfTheMatrixExactlyOnce, ()) {
  const Study study = any_study();
  RC_ASSERT(cells_of(planned(study, made_up_facts(study))) == matrix_of(study));
}

RC_GTEST_PROP(Plan, GivesEveryTrialAnIdentityOfItsOwn, ()) {
  const Study study = any_study();
  const Plan plan = planned(study, made_up_facts(study));
  std::set<TrialId> ids;
  for (const Trial& trial : plan.trials) {
    ids.insert(trial.id);
  }
  RC_ASSERT(ids.size() == plan.trials.size());
}

RC_GTEST_PROP(Plan, PutsSourcesBeforeTheirUsers, ()) {
  const Study study = any_study();
  const Plan plan = planned(study, made_up_facts(study));
  for (size_t i = 0; i < plan.trials.size(); ++i) {
    const Trial& trial = plan.trials[i];
    const bool uses =
        plan.condition_of(trial).task != Task::kTrain && !study.inference_weights.empty();
    RC_ASSERT((trial.source != kNoSource) == uses);
    RC_ASSERT(!uses || trial.source < i);
  }
}

// All trials of a comparison are neighbours, each of another binding, and repeats are outermost.
RC_GTEST_PROP(Plan, RunsComparisonsTogetherAndRepeatsApart, ()) {
  const Study study = any_study();
  const Plan plan = planned(study, made_up_facts(study));
  std::set<std::pair<uint32_t, uint16_t>> seen;
  for (size_t i = 0; i < plan.trials.size(); ++i) {
    const Trial& trial = plan.trials[i];
    RC_ASSERT(seen.emplace(trial.block, trial.binding).second);
    if (i > 0) {
      const Trial& before = plan.trials[i - 1];
      RC_ASSERT(trial.block == before.block || trial.block == before.block + 1);
      RC_ASSERT(plan.block_of(trial).repeat >= plan.block_of(before).repeat);
    }
  }
}

RC_GTEST_PROP(Plan, NeverRunsOneBindingThriceInARow, ()) {
  const Study study = any_study();
  const Plan plan = planned(study, made_up_facts(study));
  for (size_t i = 2; i < plan.trials.size(); ++i) {
    RC_ASSERT(plan.trials[i].binding != plan.trials[i - 1].binding ||
              plan.trials[i].binding != plan.trials[i - 2].binding);
  }
}

RC_GTEST_PROP(Plan, IsTheSameForTheSameInputs, ()) {
  const Study study = any_study();
  const Facts facts = made_up_facts(study);
  const Plan one = planned(study, facts);
  const Plan two = planned(study, facts);
  RC_ASSERT(one.trials.size() == two.trials.size());
  for (size_t i = 0; i < one.trials.size(); ++i) {
    RC_ASSERT(one.trials[i].id == two.trials[i].id);
    RC_ASSERT(one.trials[i].decision == two.trials[i].decision);
  }
}

TEST(Plan, ShufflesEachComparisonByItself) {
  Study study = made_up_study(R"(bindings = ["*"])");
  study.seeds.resize(50);
  std::iota(study.seeds.begin(), study.seeds.end(), 1U);
  const auto orders = [&] {
    std::vector<std::vector<uint16_t>> all;
    for (const Trial& trial : planned(study, made_up_facts(study)).trials) {
      all.resize(trial.block + 1);
      all.back().push_back(trial.binding);
    }
    return all;
  };
  const auto first = orders();
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), 6U);  // all orders of three bindings
  study.shuffle_seed = 1;
  EXPECT_NE(orders(), first);
}

TEST(Plan, ResolvesGlobsAndNamesEachBindingOnce) {
  const Study study = made_up_study(R"(bindings = ["pytorch/rust", "reference/cpp", "*"])");
  EXPECT_THAT(planned(study, made_up_facts(study)).bindings,
              ::testing::ElementsAre("pytorch/rust", "reference/cpp", "reference/python"));
}

TEST(Plan, RunsAModelWithItsOwnSeedsAndRepeats) {
  Study study = made_up_study(R"(bindings = ["reference/*"])");
  study.models[1].seeds = {2};
  study.models[1].repeats = 3;
  const Plan plan = planned(study, made_up_facts(study));
  std::map<std::pair<uint32_t, uint32_t>, int> trainings;  // of the second model
  for (const Trial& trial : plan.trials) {
    const Condition& condition = plan.condition_of(trial);
    if (condition.model == 1 && condition.task == Task::kTrain) {
      ++trainings[{plan.block_of(trial).seed, plan.block_of(trial).repeat}];
    }
  }
  EXPECT_EQ(trainings,
            (std::map<std::pair<uint32_t, uint32_t>, int>{{{2, 1}, 2}, {{2, 2}, 2}, {{2, 3}, 2}}));
  // Two bindings and tasks: the first model with two seeds, the second with one, thrice.
  EXPECT_EQ(plan.trials.size(), 2U * 2 * (2 + 3));
}

TEST(Plan, NothingInfersWithWhatWasTrainedToTimeItsSteps) {
  Study study = made_up_study(R"(bindings = ["reference/*"])");
  study.models[0].steps = 5;
  const Plan plan = planned(study, made_up_facts(study));
  for (const Trial& trial : plan.trials) {
    const Condition& condition = plan.condition_of(trial);
    const bool is_timed = condition.model == 0;
    EXPECT_FALSE(is_timed && trial.feeds_others);
    if (condition.task == Task::kInferParameters) {
      EXPECT_EQ(plan.weights_of(trial), is_timed ? "initial" : "reference/cpp");
    }
  }
}

TEST(Plan, TellsTheWorkerTheSettingsOfTheStudy) {
  Study study = made_up_study(R"(bindings = ["reference/cpp"])");
  study.run.threads = 3;
  const Plan plan = planned(study, made_up_facts(study));
  const Trial& trial = find(study, plan, {.model = "lenet5", .seed = 2});
  const auto settings = settings_of(study, plan.condition_of(trial), plan.block_of(trial).seed);
  EXPECT_EQ(settings.device, "cpu");
  EXPECT_EQ(settings.seed, 2U);
  EXPECT_EQ(settings.epochs, 3);
  EXPECT_EQ(settings.batch_size, 128);
  EXPECT_EQ(settings.threads, 3);
}

TEST(Plan, KeepsHundredsOfThousandsOfTrialsSmall) {
  static_assert(sizeof(Trial) == 32);
  static_assert(sizeof(Block) == 12);
  Study study = made_up_study(R"(bindings = ["*"])");
  Facts facts = made_up_facts(study);
  facts.bindings.push_back({"pytorch/java", std::nullopt, "", "not set up"});
  study.seeds.resize(2500);
  std::iota(study.seeds.begin(), study.seeds.end(), 0U);
  study.repeats = 5;  // 4 bindings, 2 models, 2 tasks
  const Plan plan = planned(study, facts);
  EXPECT_EQ(plan.trials.size(), 200'000U);
  EXPECT_EQ(plan.blocks.size(), 50'000U);
  EXPECT_EQ(plan.conditions.size(), 4U);
  EXPECT_EQ(std::ranges::count(plan.trials, Decision::kRun, &Trial::decision), 150'000);
  EXPECT_EQ(std::ranges::count(plan.trials, Decision::kUnavailable, &Trial::decision), 50'000);
  EXPECT_EQ(plan.notes.size(), 2U);
}

}  // namespace
}  // namespace crossbind::plan
