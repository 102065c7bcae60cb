#include "conform/verdict.h"

#include "testing/testing.h"

namespace crossbind::conform {
namespace {

using trial::ProbeLevel;

PartFinding finding(Part part, Outcome outcome, double ratio = 0, const std::string& reason = "") {
  PartFinding made{.part = part, .outcome = outcome, .ratio = ratio, .reason = reason};
  if (outcome == Outcome::kDiverges) {
    made.divergence = Divergence{.part = part};
  }
  return made;
}

Verdict concluded(std::vector<PartFinding> parts, std::vector<std::string> conventions = {}) {
  Verdict verdict;
  verdict.level = ProbeLevel::kGradients;
  verdict.parts = std::move(parts);
  verdict.conventions = std::move(conventions);
  conclude(verdict);
  return verdict;
}

TEST(Conclude, AgreementHasTheLargestRatioOfAllParts) {
  const auto verdict = concluded({finding(Part::kProbe, Outcome::kRounding, 0.25),
                                  finding(Part::kEvaluation, Outcome::kRounding, 0.5),
                                  finding(Part::kLoader, Outcome::kUnsupported)});
  EXPECT_EQ(verdict.outcome, Outcome::kRounding);
  EXPECT_EQ(verdict.ratio, 0.5);
  EXPECT_EQ(to_words(verdict), "agrees within rounding");
}

TEST(Conclude, TheFirstPartThatDivergesIsTheVerdictAndOutweighsFailures) {
  const auto verdict = concluded({finding(Part::kProbe, Outcome::kFailed, 0, "died"),
                                  finding(Part::kEvaluation, Outcome::kDiverges, 7),
                                  finding(Part::kLoader, Outcome::kDiverges, 9)});
  EXPECT_EQ(verdict.outcome, Outcome::kDiverges);
  EXPECT_EQ(verdict.divergence->part, Part::kEvaluation);
  EXPECT_EQ(verdict.ratio, 7);
}

TEST(Conclude, AFailureIsNamedWithItsPart) {
  const auto verdict = concluded({finding(Part::kProbe, Outcome::kRounding),
                                  finding(Part::kLoader, Outcome::kFailed, 0, "died")});
  EXPECT_EQ(verdict.outcome, Outcome::kFailed);
  EXPECT_EQ(verdict.reason, "loader: died");
}

TEST(Conclude, ConventionsAreSaidWhereAllElseAgrees) {
  const auto verdict =
      concluded({finding(Part::kProbe, Outcome::kRounding)}, {"adam.epsilon_form = hat"});
  EXPECT_EQ(to_words(verdict), "convention: adam.epsilon_form = hat");
  EXPECT_EQ(concluded({finding(Part::kProbe, Outcome::kDiverges)}, {"x.y = z"}).outcome,
            Outcome::kDiverges);
}

TEST(Conclude, WhatCanDoNothingIsUnsupported) {
  const auto verdict = concluded({finding(Part::kProbe, Outcome::kUnsupported, 0, "layer gru"),
                                  finding(Part::kLoader, Outcome::kUnsupported, 0, "layer gru")});
  EXPECT_EQ(verdict.outcome, Outcome::kUnsupported);
  EXPECT_EQ(verdict.reason, "layer gru");
}

TEST(ToWords, SaysHowDeepOneCouldLook) {
  auto verdict = concluded({finding(Part::kEvaluation, Outcome::kRounding)});
  verdict.level = ProbeLevel::kOutputs;
  EXPECT_EQ(to_words(verdict), "agrees within rounding (outputs only)");
  verdict.level = ProbeLevel::kLayers;
  EXPECT_EQ(to_words(verdict), "agrees within rounding (layers in evaluation mode only)");
}

TEST(Merge, KeepsTheFirstDivergenceOfTheSeeds) {
  auto merged = finding(Part::kProbe, Outcome::kRounding, 0.5);
  merge(merged, finding(Part::kProbe, Outcome::kRounding, 0.25));
  EXPECT_EQ(merged.ratio, 0.5);
  merge(merged, finding(Part::kProbe, Outcome::kDiverges, 7));
  merge(merged, finding(Part::kProbe, Outcome::kDiverges, 9));
  merge(merged, finding(Part::kProbe, Outcome::kFailed));
  EXPECT_EQ(merged.outcome, Outcome::kDiverges);
  EXPECT_EQ(merged.ratio, 7);
}

TEST(Settled, TellsWhatIsLackingFromWhatFailed) {
  EXPECT_EQ(settled(Part::kProbe, converse::Lack{"layer gru"}).outcome, Outcome::kUnsupported);
  EXPECT_EQ(settled(Part::kProbe, converse::Failure{"died"}).outcome, Outcome::kFailed);
  EXPECT_EQ(settled(Part::kProbe, converse::Failure{"died"}).reason, "died");
}

}  // namespace
}  // namespace crossbind::conform
