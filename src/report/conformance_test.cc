#include "report/conformance.h"

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
  report.verdicts = {{"pytorch/python", "lenet1", Agreement::kRounding, 1, 0.05, {"judged"}}};
  return report;
}

TEST(Conformance, FillsTheMatrix) {
  Report report = judged_report();
  ASSERT_THAT(add_conformance(R"({"verdicts": [
    {"binding": "pytorch/python", "model": "lenet1", "verdict": "convention", "ratio": 0.5,
     "conventions": ["gru.reset = before"]},
    {"binding": "pytorch/rust", "model": "gru", "verdict": "known", "ratio": null, "reason": "old",
     "divergence": {"part": "probe", "kind": "update", "layer": "out", "ratio": 700, "cause": ""}}
  ]})",
                              "c.json",
                              report),
              is_ok());
  EXPECT_THAT(report.bindings, ElementsAre("pytorch/python", "pytorch/rust"));
  EXPECT_THAT(report.models, ElementsAre("lenet1", "gru"));
  ASSERT_THAT(report.verdicts, SizeIs(4));
  EXPECT_EQ(report.verdicts[0].agreement, Agreement::kConvention);
  EXPECT_EQ(report.verdicts[0].largest_error, 0.5);
  EXPECT_THAT(report.verdicts[0].why, Contains(HasSubstr("gru.reset = before")));
  EXPECT_THAT(report.verdicts[0].why, Contains("judged"));
  EXPECT_EQ(report.verdicts[1].agreement, Agreement::kNotMeasured);
  EXPECT_EQ(report.verdicts[3].agreement, Agreement::kDiverges);
  EXPECT_THAT(report.verdicts[3].why,
              Contains(HasSubstr("update of probe, layer out, 700 times its bound")));
}

TEST(Conformance, KeepsADivergenceOfTheStore) {
  Report report = judged_report();
  report.verdicts[0].agreement = Agreement::kDiverges;
  const auto* const json =
      R"({"verdicts": [{"binding": "pytorch/python", "model": "lenet1", "verdict": "agrees bit for bit"}]})";
  ASSERT_THAT(add_conformance(json, "c.json", report), is_ok());
  EXPECT_EQ(report.verdicts[0].agreement, Agreement::kDiverges);
}

TEST(Conformance, RefusesWhatItDoesNotKnow) {
  Report report = judged_report();
  EXPECT_THAT(add_conformance("[]", "c.json", report), fails_with(HasSubstr("c.json")));
  EXPECT_THAT(add_conformance("{", "c.json", report), fails_with(HasSubstr("conform --json")));
  EXPECT_THAT(
      add_conformance(R"({"verdicts": [{"binding": "a/b", "model": "m", "verdict": "fine"}]})",
                      "c.json",
                      report),
      fails_with(HasSubstr("'fine'")));
  EXPECT_THAT(add_conformance(R"({"verdicts": [1]})", "c.json", report),
              fails_with(HasSubstr("c.json")));
}

}  // namespace
}  // namespace crossbind::report
