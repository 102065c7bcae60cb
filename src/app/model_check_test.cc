#include "app/model_check.h"

#include "app/made_up.h"
#include "converse/fakes.h"
#include "model/initial_weights.h"
#include "tensor/safetensors.h"

namespace crossbind::app {
namespace {

using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::Field;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::SizeIs;

// What it was told.
class RecordedRun final : public run::RunWatch {
 public:
  void begins(size_t, size_t number, const store::Axes& axes) override {
    told.push_back(fmt::format("{} begins {}", number, axes.binding));
  }
  void goes_on(size_t, const tasks::Progress&) override {}
  void ends(size_t, size_t number, const store::TrialSummary&) override {
    told.push_back(fmt::format("{} ends", number));
  }
  void is_interrupted(size_t) override { told.emplace_back("is interrupted"); }

  std::vector<std::string> told;
};

class ModelCheckTest : public MachineTest {
 protected:
  ModelCheckTest() {
    add_ready_worker("cpp");
    add_ready_worker("rust");
    const auto model = model::find_model("lenet1", machine_.models, model::Geometry::kFull).value();
    EXPECT_THAT(model::save_initial_weights(scratch("mine.safetensors"), model, 1, {}), is_ok());
    constexpr size_t kPixels = 28 * 28;
    tensor::TensorMap tensors;
    tensors.emplace("test.image", tensor::Tensor({3, 1, 28, 28}, std::vector<float>(3 * kPixels)));
    EXPECT_THAT(tensor::save_safetensors(scratch("data.safetensors"), tensors, {}), is_ok());
  }

  [[nodiscard]] CheckQuestion question() const {
    return {.file = scratch("mine.safetensors").string(),
            .model = "lenet1",
            .data = scratch("data.safetensors").string()};
  }
  [[nodiscard]] Result<CheckPlan> plan(const CheckQuestion& question) const {
    return plan_check(question, workers::list_bindings(places_).value(), machine_, scratch(""));
  }
  [[nodiscard]] std::optional<std::vector<CheckedBinding>> check(const CheckPlan& plan,
                                                                 converse::Launcher& launcher) {
    const auto starts = starts_of(plan.bindings, places_).value();
    const auto folder = scratch("");
    return check_model(plan, {starts, launcher, stop_, folder, watch_});
  }

  process::StopSignal stop_;
  RecordedRun watch_;
};

TEST_F(ModelCheckTest, LetsTheRefereeJudgeParameters) {
  const auto found = plan(question()).value();
  EXPECT_EQ(found.subject.kind, FileKind::kParameters);
  EXPECT_EQ(found.subject.judge, "referee");
  EXPECT_EQ(found.subject.task(), trial::Task::kInferParameters);
  EXPECT_TRUE(std::filesystem::exists(found.subject.expected));
  EXPECT_THAT(found.bindings, SizeIs(2));
}

TEST_F(ModelCheckTest, NeedsABindingThatLoadsTheFile) {
  ASSERT_THAT(write_file(scratch("mine.pt"), "PK\x03\x04 and so on"), is_ok());
  auto torch = question();
  torch.file = scratch("mine.pt").string();
  EXPECT_THAT(plan(torch), fails_with(HasSubstr("none of the bindings that are ready loads")));
}

TEST_F(ModelCheckTest, LooksAtWhatTheUserBringsBeforeAnythingIsStarted) {
  auto wrong = question();
  wrong.model = "lenet5";
  EXPECT_FALSE(plan(wrong)) << "these are the parameters of lenet1";
  wrong = question();
  wrong.file = scratch("none.safetensors").string();
  EXPECT_THAT(plan(wrong), fails_with(HasSubstr("there is no such file")));
  wrong = question();
  wrong.bindings = {"toy/java"};
  EXPECT_THAT(plan(wrong), fails_with(HasSubstr("toy/java")));
}

TEST_F(ModelCheckTest, HoldsEveryBindingsAnswersAgainstTheJudges) {
  const auto found = plan(question()).value();
  converse::FakeLauncher launcher;  // answers with zeros, which is not what the referee says
  const auto checked = check(found, launcher);
  ASSERT_TRUE(checked.has_value());
  EXPECT_THAT(*checked,
              ElementsAre(Field(&CheckedBinding::binding, "toy/cpp"),
                          Field(&CheckedBinding::binding, "toy/rust")));
  const auto& answers = checked->front().answers;
  EXPECT_TRUE(answers.differing.has_value());
  EXPECT_GT(answers.output_difference.value_or(0), 0);
  EXPECT_EQ(answers.accuracy, std::nullopt) << "the data has no labels";
  EXPECT_THAT(watch_.told,
              ElementsAre("1 begins toy/cpp", "1 ends", "2 begins toy/rust", "2 ends"));
}

TEST_F(ModelCheckTest, GoesOnAfterABindingThatFails) {
  const auto found = plan(question()).value();
  converse::FakeLauncher launcher([](const std::string& binding) -> Result<converse::Script> {
    if (binding == "toy/cpp") {
      return fail(ErrorKind::kIo, "it does not start");
    }
    return converse::Script{.greeting = protocol::Event(converse::made_up_hello(binding))};
  });
  const auto checked = check(found, launcher);
  ASSERT_TRUE(checked.has_value());
  EXPECT_EQ(checked->front().answers.sameness, Sameness::kFailed);
  EXPECT_TRUE(checked->back().answers.differing.has_value());
}

TEST_F(ModelCheckTest, StartsNothingThatLacksALayer) {
  auto found = plan(question()).value();
  auto lacking = found.bindings.front();
  lacking.manifest->capabilities.layers.clear();
  found.bindings = {lacking};
  converse::FakeLauncher launcher;
  const auto checked = check(found, launcher);
  ASSERT_TRUE(checked.has_value());
  EXPECT_EQ(checked->front().answers.sameness, Sameness::kUnsupported);
  EXPECT_THAT(launcher.log(), SizeIs(0));
}

TEST_F(ModelCheckTest, GivesNothingWhenItIsInterrupted) {
  const auto found = plan(question()).value();
  converse::FakeLauncher launcher([](const std::string&) -> Result<converse::Script> {
    return converse::Script{.greeting = converse::Heard(converse::Interrupted{})};
  });
  EXPECT_FALSE(check(found, launcher).has_value());
  EXPECT_THAT(watch_.told, ElementsAre("1 begins toy/cpp", "is interrupted"));
}

}  // namespace
}  // namespace crossbind::app
