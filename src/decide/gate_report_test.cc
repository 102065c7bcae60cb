#include "decide/gate_report.h"

#include <nlohmann/json.hpp>

#include "decide/github.h"
#include "decide/made_up.h"
#include "testing/testing.h"

namespace crossbind::decide {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kEvil = "a|b<script>alert(1)</script>*_[x](y)`\n::error::%0A&";

TEST(GitHub, AnAnnotationIsOneLineWhateverItSays) {
  EXPECT_EQ(annotation(Severity::kError, "a: b, c", "100 %: done, or\nnot"),
            "::error title=a%3A b%2C c::100 %25: done, or%0Anot\n");
  EXPECT_EQ(annotation(Severity::kWarning, "t", "\r::stop-commands::x"),
            "::warning title=t::%0D::stop-commands::x\n");
}

Gate evil_gate() {
  auto trial = made_training("pytorch/rust", 1, 1);
  trial.axes.binding = kEvil;
  auto times = noisy_trainings(kEvil, 5, 1);
  auto slow = noisy_trainings(kEvil, 5, 3);
  slow[0] = made_failure(slow[0], kEvil);
  return compare_stores(store_of(times), store_of(slow, "b")).value();
}

TEST(GateReport, KeepsNamesFromBecomingMarkup) {
  const auto gate = evil_gate();
  EXPECT_EQ(gate.decision, GateDecision::kFailed);
  const std::string markdown = gate_markdown(gate);
  EXPECT_THAT(markdown, HasSubstr("## crossbind gate: failed\n"));
  EXPECT_THAT(markdown, HasSubstr("a\\|b&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_THAT(markdown, Not(HasSubstr("<script>")));
  EXPECT_THAT(markdown, Not(HasSubstr("\n::error")));
  const std::string annotations = gate_annotations(gate);
  EXPECT_THAT(annotations, HasSubstr("::error title=crossbind gate%3A outcome::a|b<script>"));
  EXPECT_THAT(annotations, HasSubstr("%0A::error::%250A&"));
  EXPECT_THAT(annotations, Not(HasSubstr("\n::error::")));
}

TEST(GateReport, IsJsonWithEveryComparison) {
  const auto json = nlohmann::json::parse(gate_json(evil_gate()));
  EXPECT_EQ(json["verdict"], "failed");
  EXPECT_EQ(json["changes"][0]["kind"], "outcome");
  EXPECT_EQ(json["times"][0]["verdict"], "slower");
  EXPECT_EQ(json["times"][0]["n_baseline"], 5);
  EXPECT_EQ(json["times"][0]["n_candidate"], 4);
}

TEST(GateReport, WarnsThatTimesComeFromDifferentMachines) {
  auto here = noisy_trainings("pytorch/rust", 5, 1);
  auto there = here;
  for (size_t i = 0; i < here.size(); ++i) {
    here[i].host["cpu"] = "A";
    there[i].host["cpu"] = "B";
  }
  const auto gate = compare_stores(store_of(here), store_of(there, "b")).value();
  EXPECT_EQ(gate.decision, GateDecision::kPassed);
  EXPECT_THAT(gate_annotations(gate),
              HasSubstr("::warning title=crossbind gate%3A machines differ::times are of different "
                        "machines: A and B\n"));
}

TEST(GateReport, SpeaksOfOneTrialAsOne) {
  Gate gate{.compared = 1, .repaired = 2};
  gate.missing = {{"pytorch/rust lenet5", 1}};
  EXPECT_THAT(
      notes_on(gate),
      ElementsAre("1 trial is in both stores.", "2 trials were done that had not been before."));
  EXPECT_EQ(remarks_on(gate)[0].text, "pytorch/rust lenet5: 1 trial of the baseline, none here");
}

TEST(GateReport, SaysTheRateOfFalseAlarms) {
  SelfTest test{.resamplings = 200, .comparisons = 3, .can_alarm = 2, .alarms = 4};
  EXPECT_THAT(self_test_text(test, {}), HasSubstr("4 of 200 resamplings (2.0 %)"));
  test.can_alarm = 0;
  EXPECT_THAT(self_test_text(test, {}), HasSubstr("undecided"));
  EXPECT_EQ(nlohmann::json::parse(self_test_json(test, {}))["rate"], 0.02);
}

}  // namespace
}  // namespace crossbind::decide
