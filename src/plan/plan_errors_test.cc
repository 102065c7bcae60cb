#include "plan/made_up.h"
#include "testing/testing.h"

namespace crossbind::plan {
namespace {

using ::testing::AllOf;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

Result<Plan> plan_of(const std::string& keys, const std::vector<std::string>& only = {}) {
  const spec::Study study = made_up_study(keys);
  Facts facts = made_up_facts(study);
  for (const auto& term : only) {
    CB_ASSIGN(auto parsed, parse_only(term));
    facts.only.push_back(std::move(parsed));
  }
  return make_plan(study, facts);
}

TEST(PlanErrors, SuggestTheBindingThatWasMeant) {
  EXPECT_THAT(plan_of(R"(bindings = ["reference/cpp", "pytorch/rusty"])"),
              fails_with(AllOf(HasSubstr("there is no binding 'pytorch/rusty'"),
                               HasSubstr("Did you mean 'pytorch/rust'?"))));
  EXPECT_THAT(plan_of(R"(bindings = ["reference/cpp", "mxnet/*"])"),
              fails_with(AllOf(HasSubstr("there is no binding 'mxnet/*'"),
                               HasSubstr("There are: reference/cpp, reference/python"))));
}

TEST(PlanErrors, NameAnExceptionThatMatchesNothing) {
  EXPECT_THAT(plan_of("bindings = [\"reference/*\"]\nexcept = [\n{ model = \"lenet1\", "
                      "binding = \"*/python\" },\n{ model = \"vgg*\" }]"),
              fails_with(AllOf(HasSubstr("mine.toml:7"), HasSubstr("matches no trial"))));
  EXPECT_THAT(plan_of("bindings = [\"reference/*\"]\nexcept = [{ binding = \"pytorch/*\" }]"),
              fails_with(HasSubstr("matches no trial")));
}

TEST(PlanErrors, RefuseInferenceWithParametersThatNobodyTrains) {
  const std::string except = R"(bindings = ["reference/*"]
except = [{ binding = "reference/cpp", task = "train", model = "lenet5" })";
  EXPECT_THAT(plan_of(except + "]"),
              fails_with(AllOf(HasSubstr("removes its training of model 'lenet5' on cpu"),
                               HasSubstr("mine.toml:"))));
  EXPECT_THAT(plan_of(except + R"(, { task = "infer*", model = "lenet5" }])"), is_ok());
}

TEST(PlanErrors, RefuseInferenceWithParametersThatNobodySaves) {
  spec::Study study = made_up_study(R"(bindings = ["reference/*"])");
  Facts facts = made_up_facts(study);
  study.inference_weights = {"reference/cpp", "*/python"};
  EXPECT_THAT(make_plan(study, facts), is_ok());
  facts.bindings[1].capabilities->saves = false;
  EXPECT_THAT(make_plan(study, facts),
              fails_with(HasSubstr("no binding of the study that '*/python' stands for trains")));
  study.inference_weights = {"reference/python"};
  EXPECT_THAT(make_plan(study, facts), is_ok());  // it is said of every trial instead
}

TEST(PlanErrors, RefuseTheSameModelTwice) {
  const std::string twice = R"(name = "mine"
title = "Mine"
bindings = ["reference/cpp"]
seeds = [1]
tasks = ["train"]
training = { epochs = 3 }
[[models]]
model = "lenet1"
[[models]]
model = "lenet1"
)";
  const spec::Study same = parsed_study(twice);
  EXPECT_THAT(make_plan(same, made_up_facts(same)),
              fails_with(AllOf(HasSubstr("mine.toml:9"), HasSubstr("same as an earlier entry"))));
  const spec::Study other = parsed_study(twice + "epochs = 4\n");
  EXPECT_THAT(make_plan(other, made_up_facts(other)), is_ok());
}

TEST(PlanErrors, RefuseMoreSamplesThanThereAre) {
  spec::Study study = made_up_study(R"(bindings = ["reference/cpp"])");
  Facts facts = made_up_facts(study);
  study.models[1].test_samples = 501;
  EXPECT_THAT(make_plan(study, facts), fails_with(HasSubstr("model 'lenet5': data set")));
  facts.datasets.clear();
  EXPECT_THAT(make_plan(study, facts), fails_with(HasSubstr("nothing is known of data set")));
}

TEST(PlanErrors, RefuseAStudyOfTooManyTrialsBeforeItGrows) {
  EXPECT_THAT(plan_of("bindings = [\"*\"]\nrepeats = 2147483648"),
              fails_with(HasSubstr("expected at most 10,000,000")));
}

TEST(PlanErrors, NameATermOfOnlyThatMatchesNothing) {
  const std::string keys = R"(bindings = ["reference/*"])";
  EXPECT_THAT(plan_of(keys, {"model=lenet6"}), fails_with(HasSubstr("Did you mean 'lenet")));
  EXPECT_THAT(plan_of(keys, {"binding=pytorch/rust"}), fails_with(HasSubstr("matches nothing")));
  EXPECT_THAT(plan_of(keys, {"seed=3"}), fails_with(HasSubstr("--only seed=3")));
  EXPECT_THAT(plan_of(keys, {"repeat=2"}), fails_with(HasSubstr("--only repeat=2")));
  EXPECT_THAT(plan_of(keys, {"trial=xyz"}), fails_with(HasSubstr("matches no trial")));
  EXPECT_THAT(plan_of(keys, {"models=lenet5"}), fails_with(HasSubstr("is not KEY=PATTERN")));
  EXPECT_THAT(plan_of(keys, {"model"}), fails_with(HasSubstr("is not KEY=PATTERN")));
  EXPECT_THAT(plan_of(keys, {"model="}), fails_with(HasSubstr("is not KEY=PATTERN")));
  EXPECT_THAT(plan_of(keys, {"model=lenet5", "seed=2", "task=*"}), is_ok());
}

}  // namespace
}  // namespace crossbind::plan
