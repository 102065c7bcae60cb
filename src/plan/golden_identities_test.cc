// Whole plans, held to what they were: identities in their order, and what is said of each trial.
// Results in stores are found by identity, so a change here makes them unknown, and must be meant.
#include <gtest/gtest.h>

#include <span>
#include <string>

#include "base/digest.h"
#include "plan/estimate.h"
#include "plan/made_up.h"
#include "plan/plan.h"
#include "spec/parsed.h"
#include "testing/testing.h"

namespace crossbind::plan {
namespace {

using trial::Task;
using trial::Variant;

// Every task, variant and measure at once, with parameters from everywhere that they come from.
constexpr const char* kEverything = R"(name = "everything"
title = "Everything"
bindings = ["*"]
seeds = [3, 1, 2]
devices = ["cpu", "cuda"]
tasks = ["judge", "infer-serialization", "train", "infer-parameters"]
loaders = ["idiomatic", "resident"]
variants = ["fit", "step", "savedmodel"]
measures = ["total", "parts"]
repeats = 2
shuffle_seed = 7
except = [
  { variant = "fit", measure = "parts" },
  { variant = "savedmodel", measure = "parts" },
  { model = "lenet1", task = "train", loader = "idiomatic", binding = "pytorch/rust" },
]
[training]
epochs = 3
[inference]
weights = ["pytorch/*", "reference/cpp"]
[[models]]
model = "lenet1"
dataset = "glyphs-2000-500"
seeds = [1, 3]
[[models]]
model = "lenet5"
dataset = "glyphs-2000-500"
parameters = "mine"
repeats = 1
[[models]]
model = "lenet1"
dataset = "glyphs-2000-500"
steps = 3
[[models]]
model = "gru-small"
train_samples = 100
evaluate = "last"
training_accuracy = "eval"
)";

// Bindings of every kind: one that serializes, one without worker, and some that lack something.
Facts facts_for(const spec::Study& study) {
  Facts facts = made_up_facts(study);
  facts.bindings.clear();
  const auto add = [&](const std::string& name) -> trial::Capabilities& {
    facts.bindings.push_back({name, everything(), "build of " + name, ""});
    auto& able = *facts.bindings.back().capabilities;
    able.writes.clear();
    able.probe = trial::ProbeLevel::kGradients;
    return able;
  };
  add("reference/cpp");
  add("reference/python").probe = trial::ProbeLevel::kLayers;
  add("pytorch/python").writes = {trial::Format::kTorchScript};
  add("pytorch/cpp").variants = {Variant::kStep, Variant::kGraph};
  add("pytorch/rust").saves = false;
  add("pytorch/java").tasks = {Task::kInferParameters, Task::kInferSerialization};
  add("pytorch/javascript").tasks = {Task::kInferSerialization};
  add("tensorflow/python").writes = {trial::Format::kTorchScript};
  add("tensorflow/cpp").variants = {Variant::kSavedModel};
  add("tensorflow/rust").lacks = {"conv2d.bias=false"};
  add("tensorflow/java").layers = {"linear"};
  add("tensorflow/javascript").training_accuracies = {trial::TrainingAccuracy::kRunning};
  facts.bindings.push_back({"none/yet", std::nullopt, "", ""});
  facts.supplied["mine"] = {"sha of mine", ""};
  facts.supplied["bert-base-squad"] = {"", "they are not there"};
  for (auto& dataset : facts.datasets) {
    dataset.train = 60000;
    dataset.test = 10000;
  }
  return facts;
}

spec::Study ready_study(const std::string& id) {
  auto study = spec::load_study(testing::source_path("studies") / (id + ".toml"),
                                testing::source_path("models"));
  EXPECT_THAT(study, testing::is_ok());
  return study.value_or(spec::Study{});
}

struct Golden {
  size_t trials = 0;
  std::string identities;  // hash of them all, a line each, as the others
  std::string said;        // decisions, reasons, sources, weights
  int64_t milliseconds = 0;

  bool operator==(const Golden&) const = default;
};

void PrintTo(const Golden& golden, std::ostream* out) {
  *out << fmt::format("{{{}, \"{}\", \"{}\", {}}}",
                      golden.trials,
                      golden.identities,
                      golden.said,
                      golden.milliseconds);
}

std::string hash_of(const std::string& text) {
  return sha256_hex(std::as_bytes(std::span(text))).substr(0, 16);
}

Golden golden_of(const spec::Study& study) {
  const Facts facts = facts_for(study);
  const Plan plan = planned(study, facts);
  std::string identities;
  std::string said;
  for (const Trial& trial : plan.trials) {
    identities += trial.id.to_string() + "\n";
    said += fmt::format("{} {} {} {} {}\n",
                        word(trial.decision),
                        plan.reason_of(trial),
                        trial.source,
                        trial.feeds_others,
                        plan.weights_of(trial));
  }
  const Estimate time = estimate(study, facts, plan);
  return {plan.trials.size(),
          hash_of(identities),
          hash_of(said),
          static_cast<int64_t>((time.to_run + time.unavailable).count() * 1e3)};
}

TEST(GoldenIdentities, OfTheReadyStudiesAreWhatTheyWere) {
  EXPECT_EQ(golden_of(ready_study("quick")),
            (Golden{96, "560ed7ec878d2375", "6e1ac908a0c507aa", 536580}));
  EXPECT_EQ(golden_of(ready_study("steps")),
            (Golden{180, "a70fe17faada0e36", "7d7c3d5126b961f7", 2096531}));
  EXPECT_EQ(golden_of(ready_study("bindings")),
            (Golden{7550, "dc5bf4e3cd638ace", "0cfb709797d8e9be", 2223361773}));
  EXPECT_EQ(golden_of(ready_study("bindings-cpu")),
            (Golden{670, "f868b8ba17202040", "e27f2d34c6160a4b", 1756925}));
  EXPECT_EQ(golden_of(ready_study("bindings-gpu")),
            (Golden{120, "25cb9d230c1514e3", "80ad899d5f2bf78a", 0}));
}

TEST(GoldenIdentities, OfEveryTaskInEveryFormAreWhatTheyWere) {
  EXPECT_EQ(golden_of(parsed_study(kEverything)),
            (Golden{20590, "4759daaa4cadaec4", "1faba2842c2a4cbc", 28730375}));
}

}  // namespace
}  // namespace crossbind::plan
