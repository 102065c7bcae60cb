#include "report/conformance.h"

#include "tasks/conform/json.h"
#include "testing/testing.h"

namespace crossbind::report {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::SizeIs;

Report judged_report() {
  Report report;
  report.bindings = {"pytorch/python"};
  report.models = {"lenet1"};
  report.graded = {{"pytorch/python", "lenet1", Grade::kRounding, 1, 0.05, {"judged"}}};
  return report;
}

Status add_file(std::string_view json, Report& report) {
  CB_ASSIGN(const auto filed, tasks::read_verdicts(json, "c.json"));
  add_conformance({}, filed, report);
  return {};
}

analysis::StoredVerdict stored(const std::string& binding, tasks::ConformOutcome outcome) {
  analysis::StoredVerdict one;
  one.axes.binding = binding;
  one.axes.model = "lenet1";
  one.verdict.outcome = outcome;
  one.verdict.ratio = 0.25;
  return one;
}

TEST(Conformance, FillsTheMatrix) {
  Report report = judged_report();
  ASSERT_THAT(add_file(R"({"verdicts": [
    {"binding": "pytorch/python", "model": "lenet1", "verdict": "convention", "ratio": 0.5,
     "conventions": ["gru.reset = before"]},
    {"binding": "pytorch/rust", "model": "gru", "verdict": "known", "ratio": null, "reason": "old",
     "divergence": {"part": "probe", "kind": "update", "layer": "out", "ratio": 700, "cause": ""}}
  ]})",
                       report),
              is_ok());
  EXPECT_THAT(report.bindings, ElementsAre("pytorch/python", "pytorch/rust"));
  EXPECT_THAT(report.models, ElementsAre("lenet1", "gru"));
  ASSERT_THAT(report.graded, SizeIs(4));
  EXPECT_EQ(report.graded[0].grade, Grade::kConvention);
  EXPECT_EQ(report.graded[0].largest_error, 0.5);
  EXPECT_THAT(report.graded[0].why, Contains(HasSubstr("gru.reset = before")));
  EXPECT_THAT(report.graded[0].why, Contains("judged"));
  EXPECT_EQ(report.graded[1].grade, Grade::kNotMeasured);
  EXPECT_EQ(report.graded[3].grade, Grade::kDiverges);
  EXPECT_THAT(report.graded[3].why,
              Contains(HasSubstr("update of probe, layer out, 700 times its bound")));
}

TEST(Conformance, DivergesWhereTheRulingDoes) {
  for (const auto& [word, outcome] : tasks::kConformOutcomes) {
    Report report;
    add_conformance({stored("pytorch/rust", outcome)}, {}, report);
    EXPECT_EQ(report.graded[0].grade == Grade::kDiverges,
              tasks::ruling_of(outcome) == tasks::Ruling::kDiverges)
        << word;
    EXPECT_NE(report.graded[0].grade, Grade::kNotMeasured) << word;
  }
}

TEST(Conformance, KeepsADivergenceOfTheStore) {
  Report report = judged_report();
  report.graded[0].grade = Grade::kDiverges;
  const auto* const json =
      R"({"verdicts": [{"binding": "pytorch/python", "model": "lenet1", "verdict": "agrees bit for bit"}]})";
  ASSERT_THAT(add_file(json, report), is_ok());
  EXPECT_EQ(report.graded[0].grade, Grade::kDiverges);
}

TEST(Conformance, ComesFromTheStoreWithoutAFile) {
  Report report = judged_report();
  add_conformance({stored("pytorch/python", tasks::ConformOutcome::kConvention),
                   stored("pytorch/rust", tasks::ConformOutcome::kDiverges)},
                  {},
                  report);
  EXPECT_THAT(report.bindings, ElementsAre("pytorch/python", "pytorch/rust"));
  EXPECT_EQ(report.graded[0].grade, Grade::kConvention);
  EXPECT_EQ(report.graded[0].largest_error, 0.25);
  EXPECT_EQ(report.graded[1].grade, Grade::kDiverges);
}

TEST(Conformance, TheFileStandsBeforeTheStoreAndSaysSo) {
  Report report = judged_report();
  tasks::Conformed agrees;
  agrees.outcome = tasks::ConformOutcome::kRounding;
  add_conformance({stored("pytorch/python", tasks::ConformOutcome::kDiverges)},
                  {{agrees, "pytorch/python", "lenet1"}},
                  report);
  EXPECT_EQ(report.graded[0].grade, Grade::kRounding);
  EXPECT_THAT(report.graded[0].why,
              Contains("conform: the file's verdict stands; the store's is 'diverges'."));
}

TEST(Conformance, RefusesWhatItDoesNotKnow) {
  Report report = judged_report();
  EXPECT_THAT(add_file("[]", report), fails_with(HasSubstr("c.json")));
  EXPECT_THAT(add_file("{", report), fails_with(HasSubstr("conform --json")));
  EXPECT_THAT(
      add_file(R"({"verdicts": [{"binding": "a/b", "model": "m", "verdict": "fine"}]})", report),
      fails_with(HasSubstr("'fine'")));
  EXPECT_THAT(add_file(R"({"verdicts": [1]})", report), fails_with(HasSubstr("c.json")));
}

}  // namespace
}  // namespace crossbind::report
