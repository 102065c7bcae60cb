// An identity changes with every input that matters and with none that does not.
#include "plan/identity.h"

#include <functional>
#include <set>

#include "plan/made_up.h"
#include "testing/testing.h"

namespace crossbind::plan {
namespace {

using spec::Study;
using trial::Task;

const std::string kKeys = R"(bindings = ["reference/*"])";

using Change = std::function<void(Study&, Facts&)>;

// The identities of a training and of an inference that uses its parameters.
struct Pair {
  TrialId train;
  TrialId infer;
};

Pair identities(const Change& change) {
  Study study = made_up_study(kKeys);
  Facts facts = made_up_facts(study);
  change(study, facts);
  const uint32_t seed = study.seeds.front();
  const std::string model = study.models.front().model.id;
  const Plan plan = planned(study, facts);
  return {find(study, plan, {.model = model, .seed = seed}).id,
          find(study,
               plan,
               {.binding = "reference/python",
                .model = model,
                .task = Task::kInferParameters,
                .seed = seed})
              .id};
}

struct Named {
  std::string what;
  Change change;
};

model::Sgd& sgd(Study& study) {
  return std::get<model::Sgd>(study.models[0].model.optimizer);
}

const std::vector<Named> kChanges = {
    {"seed", [](Study& s, Facts&) { s.seeds[0] = 9; }},
    {"device", [](Study& s, Facts&) { s.devices[0] = "cuda"; }},
    {"loader", [](Study& s, Facts&) { s.loaders[0] = trial::Loader::kIdiomatic; }},
    {"variant", [](Study& s, Facts&) { s.variants[0] = trial::Variant::kFit; }},
    {"measure", [](Study& s, Facts&) { s.measures[0] = trial::Measure::kParts; }},
    {"threads", [](Study& s, Facts&) { s.run.threads = 2; }},
    {"warm-up", [](Study& s, Facts&) { s.run.warmup_steps = 3; }},
    {"epochs", [](Study& s, Facts&) { s.models[0].epochs = 4; }},
    {"batch size", [](Study& s, Facts&) { s.models[0].model.batch = 4; }},
    {"accuracy",
     [](Study& s, Facts&) { s.models[0].training_accuracy = trial::TrainingAccuracy::kEval; }},
    {"evaluate", [](Study& s, Facts&) { s.models[0].evaluate = trial::Evaluate::kLast; }},
    {"training samples", [](Study& s, Facts&) { s.models[0].train_samples = 1999; }},
    {"test samples", [](Study& s, Facts&) { s.models[0].test_samples = 499; }},
    {"order of samples", [](Study& s, Facts&) { s.models[0].shuffle = false; }},
    {"rate", [](Study& s, Facts&) { sgd(s).rate += 1e-9; }},
    {"momentum", [](Study& s, Facts&) { sgd(s).momentum = 0.5; }},
    {"layer",
     [](Study& s, Facts&) { std::get<model::Pad>(s.models[0].model.nodes[0].layer).value = 1; }},
    {"initial weights",
     [](Study& s, Facts&) { s.models[0].model.parameters[0].initial.amount *= 2; }},
    {"data", [](Study&, Facts& f) { f.datasets[0].sha256 = "other"; }},
    {"absent data", [](Study&, Facts& f) { f.datasets[0].sha256 = ""; }},
    {"the source's build", [](Study&, Facts& f) { f.bindings[0].build = "other"; }},
};

TEST(Identity, ChangesWithEveryInputThatMatters) {
  const Pair plain = identities([](Study&, Facts&) {});
  std::set<TrialId> seen = {plain.train, plain.infer};
  for (const auto& [what, change] : kChanges) {
    SCOPED_TRACE(what);
    const Pair changed = identities(change);
    EXPECT_TRUE(seen.insert(changed.train).second);
    EXPECT_TRUE(seen.insert(changed.infer).second);
  }
}

TEST(Identity, OfInferenceChangesWithTheSourceOfItsWeights) {
  const Pair plain = identities([](Study&, Facts&) {});
  const Pair initial = identities([](Study& s, Facts&) { s.inference_weights.clear(); });
  const Pair other =
      identities([](Study& s, Facts&) { s.inference_weights = {"reference/python"}; });
  EXPECT_EQ(std::set<TrialId>({plain.train, initial.train, other.train}).size(), 1U);
  EXPECT_EQ(std::set<TrialId>({plain.infer, initial.infer, other.infer}).size(), 3U);
}

TEST(Identity, ChangesWithWhatTheUserSupplies) {
  const auto supplied = [](const std::string& sha) {
    return identities([&](Study& s, Facts& f) {
      s.models[0].parameters = "mine";
      f.supplied["mine"] = {sha, ""};
    });
  };
  EXPECT_EQ(supplied("a").infer, supplied("a").infer);
  EXPECT_NE(supplied("a").infer, supplied("b").infer);
}

TEST(Identity, OfStepsIsNotThatOfAShortTraining) {
  const auto training = [](std::optional<int64_t> steps) {
    return identities([&](Study& s, Facts&) {
             s.models[0].epochs = 1;
             s.models[0].train_samples = s.models[0].test_samples = 256;
             s.models[0].steps = steps;
           })
        .train;
  };
  EXPECT_NE(training(2), training(std::nullopt));
}

TEST(Identity, OfTrainingDoesNotDependOnOtherBindings) {
  const Pair plain = identities([](Study&, Facts&) {});
  const Pair changed = identities([](Study&, Facts& f) { f.bindings[1].build = "other"; });
  EXPECT_EQ(plain.train, changed.train);
  EXPECT_NE(plain.infer, changed.infer);
}

const std::vector<Named> kIndifferent = {
    {"name", [](Study& s, Facts&) { s.name = "other"; }},
    {"title", [](Study& s, Facts&) { s.title = "other"; }},
    {"place", [](Study& s, Facts&) { s.models[0].place = "other"; }},
    {"model title", [](Study& s, Facts&) { s.models[0].model.title = "other"; }},
    {"time limit", [](Study& s, Facts&) { s.run.time_limit = std::chrono::seconds(1); }},
    {"memory limit", [](Study& s, Facts&) { s.run.memory_limit_mib = 1; }},
    {"order", [](Study& s, Facts&) { s.shuffle_seed = 7; }},
    {"repeats", [](Study& s, Facts&) { s.repeats = 3; }},
    {"more seeds", [](Study& s, Facts&) { s.seeds.push_back(8); }},
    {"more devices", [](Study& s, Facts&) { s.devices.emplace_back("cuda"); }},
    {"more bindings", [](Study& s, Facts&) { s.bindings = {"*"}; }},
    {"no further model", [](Study& s, Facts&) { s.models.pop_back(); }},
    {"a limit of all samples", [](Study& s, Facts&) { s.models[0].train_samples = 2000; }},
    {"capabilities", [](Study&, Facts& f) { f.bindings[0].capabilities->lacks = {"lstm"}; }},
    {"availability", [](Study&, Facts& f) { f.bindings[0].unavailable = "not set up"; }},
    {"retry", [](Study&, Facts& f) { f.retry_failed = true; }},
    {"only",
     [](Study&, Facts& f) {
       f.only = {{"binding", "reference/cpp"}};
     }},
};

TEST(Identity, StaysTheSameWithEverythingElse) {
  const Pair plain = identities([](Study&, Facts&) {});
  for (const auto& [what, change] : kIndifferent) {
    SCOPED_TRACE(what);
    const Pair changed = identities(change);
    EXPECT_EQ(plain.train, changed.train);
    EXPECT_EQ(plain.infer, changed.infer);
  }
}

// Results in stores are found by identity: a change here makes every store's results unknown, and
// must be meant.
TEST(Identity, IsTheSameOnEveryMachine) {
  EXPECT_EQ(identities([](Study&, Facts&) {}).train.to_string(),
            "bde605aa7cdd414e115cdd6c2139f27e");
}

TEST(TrialId, IsReadBackFromItsText) {
  const TrialId id = identities([](Study&, Facts&) {}).train;
  EXPECT_EQ(id.to_string().size(), 32U);
  EXPECT_EQ(parse_trial_id(id.to_string()), id);
  EXPECT_EQ(parse_trial_id("0123"), std::nullopt);
  EXPECT_EQ(parse_trial_id("0123456789ABCDEF0123456789abcdef"), std::nullopt);
  EXPECT_EQ(parse_trial_id("0123456789abcdef0123456789abcdeg"), std::nullopt);
}

}  // namespace
}  // namespace crossbind::plan
