#include "cli/conform_report.h"

#include <nlohmann/json.hpp>

#include <limits>

#include "testing/testing.h"

namespace crossbind::cli {
namespace {

using conform::Kind;
using conform::Outcome;
using conform::Part;
using ::testing::AllOf;
using ::testing::HasSubstr;

conform::Verdict agreeing() {
  conform::Verdict verdict{
      {.level = trial::ProbeLevel::kGradients, .outcome = Outcome::kRounding, .ratio = 0.125},
      "toy/cpp",
      "lenet5"};
  verdict.parts = {{.part = Part::kProbe, .outcome = Outcome::kRounding, .ratio = 0.125}};
  verdict.same_as = {"toy/rust"};
  return verdict;
}

conform::Verdict diverging(const conform::Divergence& divergence) {
  conform::Verdict verdict{
      {.level = trial::ProbeLevel::kGradients, .outcome = Outcome::kDiverges, .ratio = 400},
      "toy/rust",
      "lenet5"};
  verdict.divergence = divergence;
  verdict.parts = {{.part = divergence.part,
                    .outcome = Outcome::kDiverges,
                    .ratio = 400,
                    .divergence = divergence}};
  return verdict;
}

conform::Divergence in_gradient() {
  return {.part = Part::kProbe,
          .kind = Kind::kGradient,
          .seed = 1,
          .step = 3,
          .layer = "conv1",
          .tensor = "conv1.weight.grad",
          .error = 1e-3,
          .bound = 2.5e-6};
}

TEST(ConformReport, SaysWhereABindingIsOff) {
  auto divergence = in_gradient();
  EXPECT_EQ(divergence_text("toy/rust", "lenet5", divergence),
            "toy/rust on lenet5 diverges at step 3 in layer conv1, kind gradient "
            "(conv1.weight.grad), error 0.001, bound 2.5e-06 (400x the bound); cause unknown "
            "[probe, seed 1]");
  divergence.cause = "the weight is transposed";
  EXPECT_THAT(divergence_text("toy/rust", "lenet5", divergence),
              HasSubstr("; cause: the weight is transposed ["));
}

TEST(ConformReport, SaysOfDataWhichBatchAndWhat) {
  EXPECT_EQ(divergence_text("toy/rust",
                            "lenet5",
                            {.part = Part::kLoader,
                             .kind = Kind::kData,
                             .seed = 1,
                             .step = 4,
                             .tensor = "count",
                             .detail = "dropped"}),
            "toy/rust on lenet5 diverges at batch 4, kind data (count): dropped [loader, seed 1]");
}

TEST(ConformReport, IsATableWithAParagraphForEachDivergence) {
  const auto text = conform_text({.verdicts = {agreeing(), diverging(in_gradient())}});
  EXPECT_THAT(text,
              AllOf(HasSubstr("toy/cpp   lenet5  agrees within rounding  0.125\n"),
                    HasSubstr("toy/rust  lenet5  diverges                  400\n"),
                    HasSubstr("\ntoy/rust on lenet5 diverges at step 3 in layer conv1")));
}

TEST(ConformReport, IsJsonThatProgramsRead) {
  auto exact = in_gradient();
  exact.error = std::numeric_limits<double>::infinity();
  const auto json = nlohmann::json::parse(
      conform_json({.verdicts = {agreeing(), diverging(exact)}}, {.steps = 5, .seeds = {1, 2}}));
  EXPECT_EQ(json["seeds"], nlohmann::json({1, 2}));
  EXPECT_EQ(json["largest_ratio_of_agreement"], 0.125);
  EXPECT_EQ(json["verdicts"][0]["same_as"][0], "toy/rust");
  EXPECT_EQ(json["verdicts"][0]["divergence"], nullptr);
  const auto& divergence = json["verdicts"][1]["divergence"];
  EXPECT_EQ(divergence["layer"], "conv1");
  EXPECT_EQ(divergence["error"], nullptr);
  EXPECT_EQ(divergence["bound"], 2.5e-6);
}

TEST(ConformReport, IsATestCaseForEachPart) {
  auto missing = agreeing();
  missing.missed = {"the known divergence has vanished"};
  const auto xml = conform_junit({.verdicts = {missing, diverging(in_gradient())}});
  EXPECT_THAT(xml,
              AllOf(HasSubstr("tests=\"3\" failures=\"2\" errors=\"0\""),
                    HasSubstr("<testcase classname=\"toy/cpp\" name=\"lenet5 probe\"/>"),
                    HasSubstr("<failure message=\"the known divergence has vanished\"/>"),
                    HasSubstr("<failure message=\"toy/rust on lenet5 diverges at step 3")));
}

}  // namespace
}  // namespace crossbind::cli
