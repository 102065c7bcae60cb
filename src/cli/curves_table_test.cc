#include "cli/curves_table.h"

#include "cli/study_fixture.h"

namespace crossbind::cli {
namespace {

class CurvesTableTest : public StudyTest {
 protected:
  static store::TrialRecord trained(const std::string& identity, double loss, double accuracy) {
    auto made = trial(identity, "train");
    made.curve = {{1, 2.0, 0.1, 0.25}, {2, loss, 0.5, accuracy}};
    return made;
  }

  static store::TrialRecord judged(const std::string& identity, double error) {
    auto made = trial(identity, "judge");
    made.series = {{"judge.forward", 1, {error}}, {"judge.gradient", 1, {error / 2}}};
    made.facts["verdict"] = "within rounding";
    return made;
  }

  [[nodiscard]] std::string table() const {
    return curves_table(store_, study_, identities_).value();
  }
};

TEST_F(CurvesTableTest, ShowsEachEpochAndTheRefereesRuling) {
  add(trained("a1", 1.0, 0.5));
  add(trained("a2", 0.5, 0.75));
  add(judged("b1", 0.125));
  add(judged("b2", 0.0625));
  EXPECT_EQ(
      table(),
      "MODEL   DATA SET  DEVICE  BINDING  HOW                    REFEREE                      "
      "         EPOCH 1          EPOCH 2\n"
      "lenet1  glyphs    cpu     toy/cpp  step, resident, total  rounding (0.12 of the bound) "
      " 2.0000, 25.00 %  0.7500, 62.50 %\n");
}

TEST_F(CurvesTableTest, SaysWhereAStepDiverges) {
  auto off = judged("b1", 70);
  off.facts = {{"verdict", "diverges"}, {"verdict.where", "step 1, forward 'conv1.out'[3]"}};
  add(off);
  add(judged("b2", 0.5));
  EXPECT_THAT(table(), ::testing::HasSubstr("diverges: step 1, forward 'conv1.out'[3]"));
}

TEST_F(CurvesTableTest, OfManyEpochsShowsFive) {
  auto made = trial("a1", "train");
  for (int epoch = 1; epoch <= 200; ++epoch) {
    made.curve.push_back({epoch, 1.0 / epoch, 0.5, 0.5});
  }
  add(made);
  for (const char* shown :
       {" EPOCH 1 ", " EPOCH 50 ", " EPOCH 100 ", " EPOCH 150 ", " EPOCH 200\n"}) {
    EXPECT_THAT(table(), ::testing::HasSubstr(shown));
  }
  EXPECT_THAT(table(), ::testing::Not(::testing::HasSubstr("EPOCH 2 ")));
  EXPECT_THAT(table(), ::testing::HasSubstr("not judged"));
}

TEST_F(CurvesTableTest, IsEmptyWhenNothingWasTrained) {
  EXPECT_EQ(table(), "");
}

}  // namespace
}  // namespace crossbind::cli
