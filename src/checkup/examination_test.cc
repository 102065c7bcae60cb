// The examination of workers that are no processes: what each does wrong is found, and said in the
// right words.
#include "checkup/examination.h"

#include "checkup/features.h"
#include "converse/fakes.h"
#include "model/features.h"
#include "testing/testing.h"

namespace crossbind::checkup {
namespace {

using converse::Answers;
using converse::Heard;
using converse::Script;
using protocol::Event;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

trial::Capabilities able() {
  return {.tasks = {trial::Task::kTrain, trial::Task::kInferParameters},
          .devices = {"cpu"},
          .loaders = {trial::Loader::kResident},
          .variants = {trial::Variant::kStep},
          .measures = {trial::Measure::kTotal},
          .training_accuracies = {trial::TrainingAccuracy::kRunning},
          .layers = model::all_layer_types(),
          .losses = {"cross_entropy"},
          .optimizers = {"sgd"},
          .saves = true};
}

class ExaminationTest : public testing::ScratchTest {
 protected:
  ExaminationTest() {
    hello_.capabilities = able();
    std::filesystem::create_directories(scratch("check"));
  }

  // What playing checks with a worker that greets with hello_, answers so and ends with end_ comes
  // to.
  [[nodiscard]] std::vector<Finding> play(const std::vector<Check>& checks,
                                          const converse::Answer& answer) {
    converse::FakeLauncher launcher([&](const std::string&) -> Result<Script> {
      return Script{.greeting = Heard(Event(hello_)), .answer = answer, .end = end_};
    });
    const Facilities facilities{
        launcher, testing::source_path("models"), scratch("check"), std::chrono::seconds(1)};
    size_t shown = 0;
    auto findings =
        Examination(candidate_, facilities).play(checks, [&](const Finding&) { ++shown; });
    EXPECT_EQ(shown, findings.size());
    log_ = launcher.log();
    return findings;
  }
  [[nodiscard]] std::vector<Finding> greet() {
    return play(greeting_checks(), converse::well_behaved());
  }
  // The worker is greeted first, as all other checks expect; of that, nothing is told.
  [[nodiscard]] std::vector<Finding> examine(const std::vector<Check>& wanted,
                                             const converse::Answer& answer) {
    std::vector<Check> checks = greeting_checks();
    const auto greeted = std::ssize(checks);
    checks.insert(checks.end(), wanted.begin(), wanted.end());
    const auto findings = play(checks, answer);
    return {findings.begin() + greeted, findings.end()};
  }

  Candidate candidate_{.binding = "toy/cpp"};
  protocol::Hello hello_ = converse::made_up_hello("toy/cpp");
  process::End end_ = converse::made_up_end();
  std::vector<std::string> log_;
};

Finding finding_of(const std::vector<Finding>& findings, std::string_view name) {
  const auto found = std::ranges::find_if(
      findings, [&](const Finding& finding) { return finding.check.name == name; });
  EXPECT_NE(found, findings.end()) << name;
  return found == findings.end() ? Finding{} : *found;
}

std::string wrong_with(const std::vector<Finding>& findings, std::string_view name) {
  const Finding finding = finding_of(findings, name);
  EXPECT_EQ(finding.mark, Mark::kWrong) << name;
  return finding.detail;
}

// An answer to each request but bye, which has none.
converse::Answer always(const std::function<Event(protocol::RequestId)>& reply) {
  return [reply](const protocol::Request& request) {
    const auto id = protocol::id_of(request);
    return id ? Answers{Heard(reply(*id))} : Answers{};
  };
}

TEST_F(ExaminationTest, ARightGreetingHasNothingWrong) {
  EXPECT_THAT(greet(), Each(Field(&Finding::mark, Not(Mark::kWrong))));
}

TEST_F(ExaminationTest, AWrongTokenStopsEverything) {
  hello_.token = "guessed";
  const auto findings = examine(ending_checks(), converse::well_behaved());
  EXPECT_EQ(std::ranges::count(log_, "launch toy/cpp"), 1) << "nothing more was played";
  EXPECT_THAT(findings,
              Each(AllOf(Field(&Finding::mark, Mark::kSkipped), Field(&Finding::waits, true))));
  EXPECT_THAT(wrong_with(greet(), "gives back the token"), HasSubstr("\"guessed\""));
}

TEST_F(ExaminationTest, AnotherVersionOfTheProtocolIsNamed) {
  hello_.protocol = protocol::kVersion + 4;
  EXPECT_THAT(wrong_with(greet(), "speaks this version of the protocol"),
              HasSubstr(fmt::format("came {}", protocol::kVersion + 4)));
}

TEST_F(ExaminationTest, AnotherNameAndAnUnknownWordAndNoVersionsAreNamed) {
  hello_.binding = "toy/other";
  hello_.capabilities.layers.emplace_back("mirror");
  hello_.versions.clear();
  const auto findings = greet();
  EXPECT_THAT(wrong_with(findings, "calls itself framework/language"), HasSubstr("toy/other"));
  EXPECT_THAT(wrong_with(findings, "claims in the words of the protocol"), HasSubstr("mirror"));
  EXPECT_THAT(wrong_with(findings, "names the versions that decide its results"),
              HasSubstr("no versions"));
}

TEST_F(ExaminationTest, WhatTheManifestSaysAndTheHelloDoesNotIsNamed) {
  candidate_.declared = able();
  candidate_.declared->losses = {"cross_entropy", "binary_cross_entropy"};
  EXPECT_THAT(wrong_with(greet(), "claims what its manifest says"),
              HasSubstr("losses (worker.toml alone has binary_cross_entropy)"));
}

TEST_F(ExaminationTest, AWorkerThatDiesIsFoundWithItsLastWords) {
  end_.code = 3;
  end_.log = "a banner\nout of cheese\n";
  const auto findings =
      examine(training_checks(), [](const protocol::Request&) { return Answers{}; });
  EXPECT_THAT(findings, Contains(Field(&Finding::mark, Mark::kWrong)));
  EXPECT_THAT(findings.front().detail,
              AllOf(HasSubstr("exited with code 3"), HasSubstr("out of cheese")));
}

TEST_F(ExaminationTest, AWorkerThatSaysNothingIsNotWaitedForForEver) {
  const auto findings = examine(training_checks(), [](const protocol::Request&) {
    return Answers{Heard(converse::Silent{})};
  });
  EXPECT_THAT(findings.front().detail, HasSubstr("said nothing for 1 s"));
}

TEST_F(ExaminationTest, AnAnswerToAnotherRequestIsNamed) {
  const auto findings =
      examine(training_checks(),
              always([](protocol::RequestId id) { return protocol::Done{.id = id + 7}; }));
  EXPECT_THAT(findings.front().detail, HasSubstr("belongs to no request in progress"));
}

TEST_F(ExaminationTest, ARefusalOfWhatIsClaimedIsWrong) {
  const auto findings = examine(training_checks(), always([](protocol::RequestId id) {
                                  return protocol::Unsupported{id, "everything"};
                                }));
  EXPECT_THAT(findings.front().detail, HasSubstr("unsupported: everything"));
}

TEST_F(ExaminationTest, WhatAWorkerDoesNotClaimIsSkippedWithTheReason) {
  hello_.capabilities.tasks = {trial::Task::kInferParameters};
  EXPECT_THAT(examine(training_checks(), converse::well_behaved()),
              Each(AllOf(Field(&Finding::mark, Mark::kSkipped),
                         Field(&Finding::detail, HasSubstr("does not claim the task 'train'")))));
}

TEST_F(ExaminationTest, AnExitCodeThatIsNotTheExpectedOneIsNamed) {
  const auto findings = examine(ending_checks(), converse::well_behaved());
  EXPECT_EQ(finding_of(findings, "exits with 0 when told bye").mark, Mark::kOk);
  EXPECT_THAT(wrong_with(findings, "says why and ends with 1 at a line that is no message"),
              AllOf(HasSubstr("expected exit code 1"), HasSubstr("exited with code 0")));
  EXPECT_THAT(log_, AllOf(Contains("bye"), Contains("hang up"), Contains("no message")));
}

TEST_F(ExaminationTest, OutputsThatAreNotTheRefereesAreWrong) {
  EXPECT_THAT(examine(inference_checks(), converse::well_behaved()),  // its outputs are zeros
              Contains(AllOf(Field(&Finding::mark, Mark::kWrong),
                             Field(&Finding::detail, HasSubstr("of the outputs, came 0.000000")))));
}

class FeaturesTest : public ExaminationTest {
 protected:
  [[nodiscard]] std::vector<Tried> try_with(const converse::Answer& answer) {
    candidate_.declared = hello_.capabilities;
    converse::FakeLauncher launcher([&](const std::string&) -> Result<Script> {
      return Script{.greeting = Heard(Event(hello_)), .answer = answer};
    });
    return try_features(
        candidate_,
        {launcher, testing::source_path("models"), scratch("check"), std::chrono::seconds(1)});
  }
};

std::vector<Tried> of_task(const std::vector<Tried>& attempts, trial::Task task) {
  std::vector<Tried> some;
  std::ranges::copy_if(attempts, std::back_inserter(some), [&](const Tried& attempt) {
    return attempt.task == task;
  });
  return some;
}

TEST_F(FeaturesTest, WhatIsClaimedIsTriedAndWhatIsNotIsLacking) {
  hello_.capabilities.tasks = {trial::Task::kTrain};
  const auto attempts = try_with(converse::well_behaved());
  EXPECT_THAT(of_task(attempts, trial::Task::kTrain),
              Contains(Field(&Tried::experience, Experience::kWorks)));
  EXPECT_THAT(of_task(attempts, trial::Task::kInferParameters),
              AllOf(Not(IsEmpty()), Each(Field(&Tried::experience, Experience::kLacks))));
}

TEST_F(FeaturesTest, AClaimThatDoesNotHoldFailsWithTheReason) {
  const auto attempts = try_with(always([](protocol::RequestId id) {
    return protocol::Failed{id, protocol::FailureCode::kInternal, "it is Monday"};
  }));
  EXPECT_THAT(of_task(attempts, trial::Task::kTrain),
              Contains(AllOf(Field(&Tried::experience, Experience::kFails),
                             Field(&Tried::reason, HasSubstr("it is Monday")))));
}

}  // namespace
}  // namespace crossbind::checkup
