// What is decided about trials, and the reasons that are given.
#include "plan/decide.h"

#include <map>

#include "plan/made_up.h"
#include "testing/testing.h"

namespace crossbind::plan {
namespace {

using spec::Study;
using ::testing::HasSubstr;
using trial::Task;

class DecideTest : public ::testing::Test {
 protected:
  [[nodiscard]] Plan plan() const { return planned(study, facts); }
  [[nodiscard]] TrialId id(const Wanted& wanted) const { return find(study, plan(), wanted).id; }
  [[nodiscard]] std::string said(const Wanted& wanted) const {
    const Plan made = plan();
    const Trial& trial = find(study, made, wanted);
    return fmt::format("{} | {}", word(trial.decision), made.reason_of(trial));
  }
  void only(const std::string& term) { facts.only.push_back(parse_only(term).value()); }
  [[nodiscard]] std::map<std::string, int> counts() const {
    std::map<std::string, int> counts;
    for (const Trial& trial : plan().trials) {
      ++counts[std::string(word(trial.decision))];
    }
    return counts;
  }
  void past(const Wanted& wanted, PastState state, const std::string& reason = {}) {
    facts.past[id(wanted)] = {state, reason};
  }

  Study study = made_up_study(R"(bindings = ["reference/*"])");
  Facts facts = made_up_facts(study);
  const Wanted source_ = {};
  const Wanted train_ = {.binding = "reference/python"};
  const Wanted infer_ = {.binding = "reference/python", .task = Task::kInferParameters};
};

using Counts = std::map<std::string, int>;

TEST_F(DecideTest, WhatIsNewRuns) {
  EXPECT_EQ(said(train_), "run | first time");
  EXPECT_EQ(counts(), (Counts{{"run", 16}}));
}

TEST_F(DecideTest, WhatIsMadeBeforeTheFirstTrialHoldsNothingUp) {
  facts.datasets[0].made_first = "data set glyphs is not there: crossbind run makes it";
  EXPECT_EQ(said(train_), "run | first time: data set glyphs is not there: crossbind run makes it");
  EXPECT_EQ(counts(), (Counts{{"run", 16}}));
}

TEST_F(DecideTest, InferenceWithTheUsersParametersWaitsForThem) {
  study.models[0].parameters = "mine";
  facts.supplied["mine"] = {"", "the parameters 'mine' are not there"};
  EXPECT_EQ(said(infer_), "unavailable | unavailable: the parameters 'mine' are not there");
  EXPECT_EQ(said(train_), "run | first time");
  facts.supplied["mine"] = {"0a1b", ""};
  EXPECT_EQ(said(infer_), "run | first time");
  const Plan made = plan();
  EXPECT_EQ(made.weights_of(find(study, made, infer_)), "supplied");
  EXPECT_EQ(find(study, made, infer_).source, kNoSource);
}

TEST_F(DecideTest, WhatIsDoneStaysDone) {
  past(train_, PastState::kDone);
  EXPECT_EQ(said(train_), "done | done already");
  facts.bindings[1].unavailable = "not set up";
  EXPECT_EQ(said(train_), "done | done already");
}

TEST_F(DecideTest, WhatIsKnownToBeUnsupportedIsDone) {
  past(train_, PastState::kUnsupported, "layer gru");
  EXPECT_EQ(said(train_), "done | done already: unsupported: layer gru");
}

TEST_F(DecideTest, WhatFailedRunsAgainOnlyWhenAsked) {
  past(train_, PastState::kFailed, "out of memory");
  EXPECT_EQ(said(train_), "failed | failed before (--retry-failed runs it again): out of memory");
  facts.retry_failed = true;
  EXPECT_EQ(said(train_), "run | failed before: out of memory");
}

TEST_F(DecideTest, NamesTheFeatureThatABindingLacks) {
  std::erase(facts.bindings[1].capabilities->layers, "pad");
  EXPECT_EQ(said(train_), "unsupported | unsupported: layer pad");
  facts.bindings[1].capabilities->tasks = {Task::kTrain};
  EXPECT_EQ(said(infer_), "unsupported | unsupported: task infer-parameters");
  EXPECT_EQ(counts(), (Counts{{"run", 8}, {"unsupported", 8}}));
}

TEST_F(DecideTest, SaysWhatIsMissingHere) {
  facts.bindings[1].unavailable = "not set up: crossbind setup reference/python";
  EXPECT_EQ(said(train_),
            "unavailable | unavailable: not set up: crossbind setup reference/python");
  facts.bindings[1] = {.name = "reference/python"};
  EXPECT_EQ(said(train_), "unavailable | unavailable: there is no worker yet");
  facts.datasets[0].unavailable = "absent: crossbind dataset get glyphs";
  EXPECT_EQ(said(source_), "unavailable | unavailable: absent: crossbind dataset get glyphs");
}

TEST_F(DecideTest, OnlyLeavesOutTheRest) {
  only("model=lenet5");
  only("seed=2");
  only("task=train");
  EXPECT_EQ(said(train_), "excluded | left out by --only");
  EXPECT_EQ(counts(), (Counts{{"run", 2}, {"excluded", 14}}));
  only("seed=1");
  EXPECT_EQ(counts(), (Counts{{"run", 4}, {"excluded", 12}}));
  only("binding=*/python");
  EXPECT_EQ(counts(), (Counts{{"run", 2}, {"excluded", 14}}));
}

TEST_F(DecideTest, OnlyFindsATrialByTheBeginningOfItsIdentity) {
  only("trial=" + id(train_).to_string().substr(0, 12));
  EXPECT_EQ(said(train_), "run | first time");
  EXPECT_EQ(counts(), (Counts{{"run", 1}, {"excluded", 15}}));
}

TEST_F(DecideTest, InferenceUsesTheFirstTrainingOfTheWeightsBinding) {
  study.repeats = 2;
  study.loaders = {trial::Loader::kIdiomatic, trial::Loader::kResident};
  const Plan made = plan();
  size_t uses = 0;
  size_t feeds = 0;
  for (const Trial& trial : made.trials) {
    feeds += trial.feeds_others ? 1 : 0;
    if (made.condition_of(trial).task == Task::kTrain) {
      EXPECT_EQ(trial.source, kNoSource);
      continue;
    }
    ++uses;
    const Trial& source = made.trials.at(trial.source);
    EXPECT_TRUE(source.feeds_others);
    EXPECT_EQ(made.bindings[source.binding], "reference/cpp");
    EXPECT_EQ(made.condition_of(source).task, Task::kTrain);
    EXPECT_EQ(made.condition_of(source).model, made.condition_of(trial).model);
    EXPECT_EQ(made.condition_of(source).loader, trial::Loader::kIdiomatic);
    EXPECT_EQ(made.block_of(source).seed, made.block_of(trial).seed);
    EXPECT_EQ(made.block_of(source).repeat, 1U);
  }
  EXPECT_EQ(uses, 32U);
  EXPECT_EQ(feeds, 4U);
}

TEST_F(DecideTest, TheFirstTrainingIsTheFirstThatExceptionsLeave) {
  study = made_up_study(R"(bindings = ["reference/*"]
loaders = ["idiomatic", "resident"]
except = [{ binding = "reference/cpp", task = "train", loader = "idiomatic" }])");
  const Plan made = plan();
  for (size_t i = 0; i < made.trials.size(); ++i) {
    if (made.trials[i].source != kNoSource) {
      EXPECT_LT(made.trials[i].source, i);
      EXPECT_EQ(made.condition_of(made.trials[made.trials[i].source]).loader,
                trial::Loader::kResident);
    }
  }
}

TEST_F(DecideTest, TheFirstTrainingIsTheFirstThatTheBindingCanDo) {
  study = made_up_study(R"(bindings = ["reference/*"]
loaders = ["idiomatic", "resident"])");
  facts.bindings[0].capabilities->loaders = {trial::Loader::kResident};
  const Plan made = plan();
  size_t fed = 0;
  for (const Trial& trial : made.trials) {
    if (trial.source != kNoSource) {
      const Trial& source = made.trials[trial.source];
      EXPECT_EQ(made.condition_of(source).loader, trial::Loader::kResident);
      EXPECT_EQ(source.decision, Decision::kRun);
      fed += trial.decision == Decision::kRun ? 1 : 0;
    }
  }
  EXPECT_GT(fed, 0U);
}

// "reference/python from reference/cpp", with what the decision is.
std::map<std::string, std::string> inferences(const Plan& plan, uint32_t seed) {
  std::map<std::string, std::string> found;
  for (const Trial& trial : plan.trials) {
    if (trial.source != kNoSource && plan.block_of(trial).seed == seed &&
        plan.condition_of(trial).model == 0) {
      found.emplace(fmt::format("{} from {}", plan.bindings[trial.binding], plan.weights_of(trial)),
                    word(trial.decision));
    }
  }
  return found;
}

TEST_F(DecideTest, EveryBindingInfersFromEveryOneThatTrainsAndSaves) {
  study.bindings = {"*"};
  study.inference_weights = {"*"};
  facts.bindings[2].capabilities->saves = false;
  const Plan made = plan();
  EXPECT_THAT(inferences(made, 1),
              ::testing::ElementsAre(std::pair("pytorch/rust from reference/cpp", "run"),
                                     std::pair("pytorch/rust from reference/python", "run"),
                                     std::pair("reference/cpp from reference/cpp", "run"),
                                     std::pair("reference/cpp from reference/python", "run"),
                                     std::pair("reference/python from reference/cpp", "run"),
                                     std::pair("reference/python from reference/python", "run")));
  std::map<TrialId, int> ids;
  for (const Trial& trial : made.trials) {
    ++ids[trial.id];
    if (trial.source != kNoSource) {
      const Trial& source = made.trials[trial.source];
      EXPECT_TRUE(source.feeds_others);
      EXPECT_EQ(made.bindings[source.binding], made.weights_of(trial));
      EXPECT_EQ(made.block_of(source).seed, made.block_of(trial).seed);
      EXPECT_EQ(made.condition_of(source).model, made.condition_of(trial).model);
    }
  }
  EXPECT_EQ(ids.size(), made.trials.size());
}

TEST_F(DecideTest, AnInferenceIsTheSameTrialHoweverManySourcesTheStudyHas) {
  const TrialId alone = id(infer_);
  study.inference_weights = {"reference/cpp", "reference/python"};
  const Plan made = plan();
  EXPECT_EQ(find(study, made, infer_).id, alone);
  facts.past[alone] = {PastState::kDone, ""};
  EXPECT_EQ(inferences(plan(), 1).at("reference/python from reference/cpp"), "done");
  EXPECT_EQ(inferences(plan(), 1).at("reference/python from reference/python"), "run");
}

TEST_F(DecideTest, OnlyAndExceptTakeTheSourceOfTheWeights) {
  study.inference_weights = {"*"};
  only("weights=reference/python");
  auto found = inferences(plan(), 1);
  EXPECT_EQ(found.at("reference/cpp from reference/python"), "run");
  EXPECT_EQ(found.at("reference/cpp from reference/cpp"), "excluded");
  EXPECT_EQ(said(train_), "run | others need its trained parameters");
  EXPECT_EQ(said(source_), "excluded | left out by --only");
  facts.only.clear();
  study.exceptions = {{.patterns = {}, .place = "mine.toml:1"}};
  study.exceptions[0].patterns[static_cast<size_t>(spec::Axis::kWeights)] = "*/cpp";
  study.exceptions[0].patterns[static_cast<size_t>(spec::Axis::kBinding)] = "*/python";
  found = inferences(plan(), 1);
  EXPECT_FALSE(found.contains("reference/python from reference/cpp"));
  EXPECT_THAT(found, ::testing::SizeIs(3));
}

TEST_F(DecideTest, AGlobAsksForNothingOfATrainingThatExceptRemoves) {
  study = made_up_study(R"(bindings = ["reference/*"]
except = [{ binding = "reference/cpp", task = "train", model = "lenet1" }])");
  study.inference_weights = {"reference/*"};
  EXPECT_THAT(inferences(plan(), 1),
              ::testing::ElementsAre(std::pair("reference/cpp from reference/python", "run"),
                                     std::pair("reference/python from reference/python", "run")));
}

TEST_F(DecideTest, InferenceIsUnavailableWhereItsTrainingIs) {
  facts.bindings[0].unavailable = "not set up";
  EXPECT_EQ(said(infer_),
            "unavailable | unavailable: needs the parameters that reference/cpp trains: "
            "unavailable: not set up");
  facts.bindings[0].unavailable.clear();
  past(source_, PastState::kFailed, "not_finite");
  EXPECT_EQ(said(infer_),
            "unavailable | unavailable: needs the parameters that reference/cpp trains: failed "
            "before (--retry-failed runs it again): not_finite");
  facts.retry_failed = true;
  EXPECT_EQ(said(infer_), "run | first time");
  past(source_, PastState::kUnsupported, "layer pad");
  EXPECT_EQ(said(infer_),
            "unavailable | unavailable: needs the parameters that reference/cpp trains: done "
            "already: unsupported: layer pad");
  facts.past.clear();
  facts.bindings[0].capabilities->saves = false;
  EXPECT_EQ(said(infer_),
            "unavailable | unavailable: needs the parameters that reference/cpp trains: its "
            "worker does not save them");
}

TEST_F(DecideTest, ATrainingRunsAgainWhenItsParametersAreGoneAndNeeded) {
  past(source_, PastState::kDone);
  EXPECT_EQ(said(source_), "run | others need its trained parameters");
  facts.parameters.insert(id(source_));
  EXPECT_EQ(said(source_), "done | done already");
  facts.parameters.clear();
  past(infer_, PastState::kDone);
  past({.task = Task::kInferParameters}, PastState::kDone);
  EXPECT_EQ(said(source_), "done | done already");
  facts.past.erase(id(infer_));
  facts.bindings[0].unavailable = "not set up";
  EXPECT_EQ(said(source_), "done | done already");
  EXPECT_EQ(said(infer_),
            "unavailable | unavailable: needs the parameters that reference/cpp trains: "
            "unavailable: not set up");
}

TEST_F(DecideTest, ATrainingThatOnlyLeavesOutRunsForThoseThatNeedIt) {
  only("task=infer-parameters");
  only("seed=2");
  EXPECT_EQ(said({.seed = 2}), "run | others need its trained parameters");
  EXPECT_EQ(counts(), (Counts{{"run", 6}, {"excluded", 10}}));
  past({.seed = 2}, PastState::kDone);
  facts.parameters.insert(id({.seed = 2}));
  EXPECT_EQ(said({.seed = 2}), "excluded | left out by --only");
}

TEST(SerializationTest, ATrainingOfASavedModelNeedsTheBindingThatWritesItsStep) {
  const std::string text = std::string(kOpening) + R"(tasks = ["train"]
variants = ["savedmodel"]
bindings = ["pytorch/rust"]
[[models]]
model = "lenet1"
dataset = "glyphs-2000-500"
epochs = 1
)";
  const auto study = parsed_study(text);
  const Wanted wanted{.binding = "pytorch/rust"};
  Facts facts = made_up_facts(study);
  facts.bindings[2].capabilities->writes.clear();
  facts.bindings[2].capabilities->layers.clear();  // the model brings its own
  facts.bindings.push_back({"pytorch/python", everything(), "first build", ""});
  const auto reason = [&] {
    const auto plan = planned(study, facts);
    const Trial& trial = find(study, plan, wanted);
    return trial.decision == Decision::kRun ? "run" : plan.reason_of(trial);
  };
  EXPECT_EQ(reason(), "run");
  const TrialId id = find(study, planned(study, facts), wanted).id;

  facts.bindings.back().build = "second build";
  EXPECT_NE(find(study, planned(study, facts), wanted).id, id);

  auto& able = *facts.bindings.back().capabilities;
  able.optimizers.clear();
  EXPECT_EQ(reason(), "unsupported: serialized by pytorch/python: optimizer sgd");
  able.variants = {trial::Variant::kStep};
  EXPECT_EQ(reason(), "unsupported: pytorch/python serializes models, but not their training");
}

TEST(SerializationTest, SerializedModelsNeedTheBindingThatWritesThem) {
  const std::string text = std::string(kOpening) + R"(tasks = ["infer-serialization"]
bindings = ["pytorch/rust"]
[[models]]
model = "lenet1"
dataset = "glyphs-2000-500"
)";
  const auto study = parsed_study(text);
  const Wanted wanted{.binding = "pytorch/rust", .task = Task::kInferSerialization};
  Facts facts = made_up_facts(study);
  facts.bindings[2].capabilities->writes.clear();

  auto plan = planned(study, facts);
  EXPECT_EQ(find(study, plan, wanted).decision, Decision::kUnavailable);
  EXPECT_THAT(plan.reason_of(find(study, plan, wanted)), HasSubstr("serializes models"));

  facts.bindings.push_back({"pytorch/python", everything(), "first build", ""});
  plan = planned(study, facts);
  EXPECT_EQ(find(study, plan, wanted).decision, Decision::kRun);
  EXPECT_EQ(plan.serializers, std::vector<std::string>{"pytorch/python"});
  const TrialId id = find(study, plan, wanted).id;

  facts.bindings.back().build = "second build";
  EXPECT_NE(find(study, planned(study, facts), wanted).id, id);

  facts.bindings.back().capabilities->lacks = {"conv2d.bias=true"};
  plan = planned(study, facts);
  EXPECT_EQ(plan.reason_of(find(study, plan, wanted)),
            "unsupported: serialized by pytorch/python: conv2d.bias=true");

  facts.bindings.back().unavailable = "not set up: crossbind setup pytorch/python";
  plan = planned(study, facts);
  EXPECT_EQ(find(study, plan, wanted).decision, Decision::kUnavailable);
  EXPECT_THAT(plan.reason_of(find(study, plan, wanted)),
              HasSubstr("crossbind setup pytorch/python"));
}

}  // namespace
}  // namespace crossbind::plan
