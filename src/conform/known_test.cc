#include "conform/known.h"

#include "testing/testing.h"

namespace crossbind::conform {
namespace {

using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const KnownDivergence kKnown = {
    "bert-base", Part::kProbe, Kind::kUpdate, "span", 2, "beta2 is a float"};

Verdict diverging(const std::string& layer) {
  Verdict verdict{{.outcome = Outcome::kDiverges}, "toy/cpp", "bert-base"};
  verdict.parts = {{.part = Part::kProbe,
                    .outcome = Outcome::kDiverges,
                    .divergence = Divergence{.kind = Kind::kUpdate, .layer = layer}}};
  verdict.divergence = verdict.parts[0].divergence;
  return verdict;
}

Verdict agreeing() {
  Verdict verdict{{.outcome = Outcome::kRounding}, "toy/cpp", "bert-base"};
  verdict.parts = {{.part = Part::kProbe, .outcome = Outcome::kRounding}};
  return verdict;
}

class KnownTest : public testing::ScratchTest {
 protected:
  [[nodiscard]] Result<std::vector<KnownDivergence>> load(const std::string& text) const {
    EXPECT_THAT(write_file(scratch("known.toml"), text), is_ok());
    return load_known(scratch("known.toml"));
  }
};

TEST_F(KnownTest, ReadsWhatIsExpected) {
  const auto known = load(R"([[divergence]]
model = "bert-base"
part = "probe"
kind = "update"
layer = "span"
step = 2
why = "beta2 is a float"

[[divergence]]
model = "lenet5"
part = "loader"
kind = "data"
why = "drops"
)");
  ASSERT_THAT(known, is_ok());
  ASSERT_THAT(*known, SizeIs(2));
  EXPECT_EQ(known->at(0).layer, "span");
  EXPECT_EQ(known->at(0).step, 2);
  EXPECT_EQ(known->at(1).part, Part::kLoader);
  EXPECT_EQ(known->at(1).kind, Kind::kData);
}

TEST_F(KnownTest, AFileThatIsNotThereListsNothing) {
  EXPECT_THAT(load_known(scratch("none.toml")).value(), IsEmpty());
}

TEST_F(KnownTest, NeedsAReason) {
  EXPECT_THAT(load("[[divergence]]\nmodel = \"a\"\npart = \"probe\"\nkind = \"loss\"\n"),
              fails_with(HasSubstr("why")));
  EXPECT_THAT(load("[[divergence]]\nmodel = \"a\"\npart = \"prob\"\nkind = \"loss\"\nwhy = \"\"\n"),
              fails_with(HasSubstr("known.toml:3")));
}

TEST(ApplyKnown, WhatIsExpectedIsKnown) {
  auto verdict = diverging("span");
  apply_known({kKnown}, 5, verdict);
  EXPECT_EQ(verdict.outcome, Outcome::kKnown);
  EXPECT_EQ(verdict.reason, "beta2 is a float");
  EXPECT_THAT(verdict.missed, IsEmpty());
}

TEST(ApplyKnown, AnotherLayerIsAChange) {
  auto verdict = diverging("fc1");
  apply_known({kKnown}, 5, verdict);
  EXPECT_EQ(verdict.outcome, Outcome::kDiverges);
  EXPECT_THAT(verdict.missed, ElementsAre(HasSubstr("in layer span, kind update")));
}

TEST(ApplyKnown, OneThatVanishesIsMissed) {
  auto verdict = agreeing();
  apply_known({kKnown}, 5, verdict);
  EXPECT_EQ(verdict.outcome, Outcome::kRounding);
  EXPECT_THAT(verdict.missed, ElementsAre(HasSubstr("has vanished")));
}

TEST(ApplyKnown, OneThatCannotShowYetIsNotMissed) {
  auto verdict = agreeing();
  apply_known({kKnown}, 1, verdict);
  EXPECT_THAT(verdict.missed, IsEmpty());
  verdict.model = "lenet5";
  apply_known({kKnown}, 5, verdict);
  EXPECT_THAT(verdict.missed, IsEmpty());
}

TEST(ApplyKnown, AtAnotherSizeItIsKnownButNeverMissed) {
  auto verdict = agreeing();
  apply_known({kKnown}, 0, verdict);
  EXPECT_THAT(verdict.missed, IsEmpty());
  verdict = diverging("span");
  apply_known({kKnown}, 0, verdict);
  EXPECT_EQ(verdict.outcome, Outcome::kKnown);
}

}  // namespace
}  // namespace crossbind::conform
