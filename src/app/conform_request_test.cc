#include "app/conform_request.h"

#include "app/made_up.h"
#include "app/ready_models.h"

namespace crossbind::app {
namespace {

using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

auto participant(const std::string& name) {
  return Field(&conform::Participant::name, name);
}

class ConformRequestTest : public MachineTest {
 protected:
  ConformRequestTest() {
    add_ready_worker("cpp");
    add_other_worker("go");
    add_ready_worker("rust");
  }

  [[nodiscard]] Result<ConformPlan> plan(ConformRequest request) const {
    if (request.models.empty()) {
      request.models = {"lenet1"};
    }
    return plan_conformance(request, machine_);
  }
};

TEST_F(ConformRequestTest, WithoutNamesIsToAllThatAreReady) {
  const auto found = plan({}).value();
  EXPECT_THAT(found.participants, ElementsAre(participant("toy/cpp"), participant("toy/rust")));
  EXPECT_THAT(found.participants.front().known, IsEmpty());
  EXPECT_EQ(found.questions.against, std::nullopt);
  EXPECT_EQ(found.verdicts(), 2U);
}

TEST_F(ConformRequestTest, NamesWhatMustBeReady) {
  EXPECT_THAT(plan({.bindings = {"toy/r*"}})->participants, ElementsAre(participant("toy/rust")));
  EXPECT_THAT(plan({.bindings = {"toy/go"}}), fails_with(HasSubstr("setup toy/go")));
}

TEST_F(ConformRequestTest, ReadsWhatIsKnownToDiverge) {
  write("toy-cpp/known.toml", "no = \"list\"\n");
  EXPECT_THAT(plan({}), fails_with(HasSubstr("toy-cpp/known.toml")));
}

TEST_F(ConformRequestTest, OfAProgramStandsAlone) {
  const auto found = plan({.program = {"python3", "worker.py"}, .device = "cuda"}).value();
  ASSERT_THAT(found.participants, ElementsAre(participant("candidate")));
  EXPECT_EQ(found.participants.front().candidate.device, "cuda");
}

TEST_F(ConformRequestTest, AgainstABindingBringsItAlong) {
  const auto found = plan({.program = {"python3", "worker.py"}, .against = "toy/rust"}).value();
  EXPECT_THAT(found.participants, ElementsAre(participant("candidate"), participant("toy/rust")));
  EXPECT_EQ(found.questions.against, 1U);
  EXPECT_THAT(plan({.bindings = {"toy/cpp"}, .against = "toy/?ust"}),
              fails_with(HasSubstr("--against takes one binding")));
}

TEST_F(ConformRequestTest, TakesFewerStepsAtRealSizeUnlessItSaysHowMany) {
  EXPECT_EQ(plan({})->questions.steps, conform::Questions().steps);
  EXPECT_EQ(plan({.full = true})->questions.steps, 2);
  EXPECT_EQ(plan({.steps = 7, .full = true})->questions.steps, 7);
  EXPECT_TRUE(plan({.full = true})->questions.is_full);
}

TEST_F(ConformRequestTest, WithoutModelsIsAboutAllThatAreReady) {
  const auto found = plan_conformance({.bindings = {"toy/cpp"}}, machine_).value();
  EXPECT_THAT(found.questions.models,
              SizeIs(ready_models(machine_.models, model::Geometry::kConform)->size()));
}

TEST(Seeds, AreNumbersBetweenCommas) {
  EXPECT_THAT(parse_seeds("1,22,3").value(), ElementsAre(1U, 22U, 3U));
  EXPECT_THAT(parse_seeds("1,,2"), fails_with(HasSubstr("numbers like 1,2,3")));
  EXPECT_THAT(parse_seeds("4294967296"), fails_with(HasSubstr("numbers like 1,2,3")));
}

}  // namespace
}  // namespace crossbind::app
