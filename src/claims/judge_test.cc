// Every kind of test, the quantifiers and the verdicts, on small tables.
#include "claims/judge.h"

#include "claims/cell_file.h"
#include "claims/claim_reader.h"
#include "claims/wording.h"
#include "testing/testing.h"

namespace crossbind::claims {
namespace {

using ::testing::HasSubstr;
using testing::is_ok;

constexpr std::string_view kCells = R"(model,binding,=time,=outcome
a,python,10,good
a,rust,5,good
b,python,20,good
b,rust,25,bad
c,python,30,good
d,python,oom,good
d,rust,4,good
many,python,1 2 3 4 5,
many,rust,6 7 8 9 10,
many,csharp,1.5 2.5 3.5 4.5 0.5,
few,python,1 2 3,
few,rust,4 5 6,
)";

class JudgeTest : public ::testing::Test {
 protected:
  JudgeTest() {
    EXPECT_THAT(read_cells(kCells, "cells", cells_), is_ok());
    EXPECT_THAT(read_cells("model,=time.p,=time.effect\np,0.01,large\nq,0.2,\nr,0.01,\n"
                           "s,0.01,small\n",
                           "tests",
                           cells_),
                is_ok());
  }

  struct Answer {
    JudgedClaim judged;
    Wording words;
  };

  [[nodiscard]] Answer answer(const std::string& check) const {
    const auto list = read_claims(
        "title = \"t\"\n[[claim]]\nid = \"x\"\ntext = \"t\"\n[[claim.check]]\n" + check, "c.toml");
    EXPECT_THAT(list, is_ok());
    auto judged = judge(list->claims[0], cells_);
    EXPECT_THAT(judged, is_ok());
    auto words = wording(list->claims[0], *judged);
    return {std::move(*judged), std::move(words)};
  }

  [[nodiscard]] std::string conclusion(const std::string& check) const {
    return std::string(to_string(answer(check).judged.conclusion));
  }

  // What comes out for a test of the times of the model `a`, or of another.
  [[nodiscard]] std::string conclusion_of(const std::string& test,
                                          const std::string& model = "a") const {
    return conclusion("each = { quantity = \"time\", model = \"" + model + "\" }\n" + test);
  }

  Cells cells_;
};

TEST_F(JudgeTest, ComparesAValueWithBounds) {
  const std::string value = "value = { binding = \"python\" }\n";
  EXPECT_EQ(conclusion_of(value + "above = 9.9"), "confirmed");
  EXPECT_EQ(conclusion_of(value + "above = 10"), "refuted");
  EXPECT_EQ(conclusion_of(value + "at_least = 10"), "confirmed");
  EXPECT_EQ(conclusion_of(value + "at_most = 10"), "confirmed");
  EXPECT_EQ(conclusion_of(value + "below = 10"), "refuted");
  EXPECT_EQ(conclusion_of(value + "above = 9\nbelow = 11"), "confirmed");
  EXPECT_EQ(conclusion_of(value + "below = 10", "none"), "not measured");
  EXPECT_EQ(conclusion_of(value + "stat = \"mean\"\nat_least = 3\nat_most = 3", "many"),
            "confirmed");
  EXPECT_EQ(conclusion_of(value + "stat = \"min\"\nat_most = 1", "many"), "confirmed");
  EXPECT_EQ(conclusion_of(value + "stat = \"max\"\nat_least = 5", "many"), "confirmed");
  EXPECT_EQ(conclusion_of(value + "at_least = 3\nat_most = 3", "many"), "confirmed") << "median";
}

TEST_F(JudgeTest, ComparesWords) {
  const std::string value = "value = { quantity = \"outcome\", binding = \"rust\" }\n";
  EXPECT_EQ(conclusion_of(value + "is = \"good\""), "confirmed");
  EXPECT_EQ(conclusion_of(value + "is = [\"bad\", \"good\"]"), "confirmed");
  EXPECT_EQ(conclusion_of(value + "is = \"bad\""), "refuted");
  EXPECT_EQ(conclusion_of(value + "is_not = \"bad\""), "confirmed");
  EXPECT_EQ(conclusion_of("value = { binding = \"python\" }\nis_not = \"oom\""), "confirmed");
  EXPECT_EQ(conclusion_of("value = { binding = \"python\" }\nis = \"oom\"", "d"), "confirmed");
  const std::string same =
      "same = [{ quantity = \"outcome\", binding = \"python\" }, { quantity = \"outcome\", binding "
      "= \"rust\" }]";
  EXPECT_EQ(conclusion_of(same), "confirmed");
  EXPECT_EQ(conclusion_of(same, "b"), "refuted");
  EXPECT_EQ(conclusion_of(same, "c"), "not measured");
}

TEST_F(JudgeTest, ComparesRatiosDifferencesAndOrders) {
  const std::string cells = "[{ binding = \"python\" }, { binding = \"rust\" }]\n";
  EXPECT_EQ(conclusion_of("ratio = " + cells + "at_least = 2\nat_most = 2"), "confirmed");
  EXPECT_EQ(conclusion_of("difference = " + cells + "at_least = 5\nat_most = 5"), "confirmed");
  EXPECT_EQ(conclusion_of("rising = " + cells), "refuted");
  EXPECT_EQ(conclusion_of("rising = " + cells, "b"), "confirmed");
  EXPECT_EQ(
      conclusion_of("rising = [{ model = \"b\", binding = \"rust\" }, { model = \"none\", binding "
                    "= \"rust\" }, { binding = \"rust\" }]"),
      "refuted")
      << "whatever the missing one is";
  EXPECT_EQ(
      conclusion("each = { quantity = \"time\" }\nrising = [{ ratio = [{ model = \"b\", binding = "
                 "\"python\" }, { model = \"b\", binding = \"rust\" }] }, { ratio = [{ model = "
                 "\"a\", binding = \"python\" }, { model = \"a\", binding = \"rust\" }] }]"),
      "confirmed");
}

TEST_F(JudgeTest, DecimalFractionsAreNotHeldToTheLastBit) {
  Cells cells;
  ASSERT_THAT(read_cells("q,=x\nno,98.70\nyes,98.69\n", "cells", cells), is_ok());
  const auto list = read_claims(
      "title = \"t\"\n[[claim]]\nid = \"x\"\ntext = \"t\"\n[[claim.check]]\nat_most = 0.01\n"
      "difference = [{ quantity = \"x\", q = \"no\" }, { quantity = \"x\", q = \"yes\" }]",
      "c.toml");
  ASSERT_THAT(list, is_ok());
  EXPECT_EQ(judge(list->claims[0], cells)->conclusion, Conclusion::kConfirmed);
}

TEST_F(JudgeTest, ComparesAmongCells) {
  const std::string two = "among = { binding = [\"python\", \"rust\"] }\n";
  const std::string three = "among = { binding = [\"python\", \"rust\", \"csharp\"] }\n";
  EXPECT_EQ(conclusion_of("range = {}\nat_most = 5\n" + two), "confirmed");
  EXPECT_EQ(conclusion_of("factor = {}\nat_least = 2\n" + two), "confirmed");
  EXPECT_EQ(conclusion_of("range = {}\nat_most = 4\n" + three), "refuted") << "already";
  EXPECT_EQ(conclusion_of("range = {}\nat_least = 5\n" + three), "confirmed") << "already";
  EXPECT_EQ(conclusion_of("range = {}\nat_most = 5\n" + three), "not measured");
  EXPECT_EQ(conclusion_of("range = {}\nat_least = 6\n" + three), "not measured");
  EXPECT_EQ(conclusion_of("lowest = {}\nis = \"rust\"\n" + two), "confirmed");
  EXPECT_EQ(conclusion_of("highest = {}\nis = \"rust\"\n" + two), "refuted");
  EXPECT_EQ(conclusion_of("lowest = {}\nis_not = \"rust\"\n" + two), "refuted");
  EXPECT_EQ(conclusion_of("lowest = {}\nis = \"rust\"\n" + three), "not measured");
  EXPECT_EQ(conclusion_of("lowest = {}\nis = \"python\"\n" + three), "refuted") << "already beaten";
  EXPECT_EQ(conclusion_of("lowest = {}\nis_not = \"python\"\n" + three), "confirmed");
  ASSERT_THAT(read_cells("model,=time.lowest\na,csharp\n", "printed", cells_), is_ok());
  EXPECT_EQ(conclusion_of("lowest = {}\nis = \"csharp\"\n" + three), "confirmed") << "as printed";
}

TEST_F(JudgeTest, TestsSamples) {
  const auto test = [](const std::string& kind, const std::string& other) {
    return kind + " = [{ binding = \"python\" }, { binding = \"" + other + "\" }]\n";
  };
  EXPECT_EQ(conclusion_of(test("differs", "rust"), "many"), "confirmed");
  EXPECT_EQ(conclusion_of(test("differs", "rust") + "effect = \"large\"", "many"), "confirmed");
  EXPECT_EQ(conclusion_of(test("differs", "csharp"), "many"), "refuted");
  EXPECT_EQ(conclusion_of(test("alike", "csharp"), "many"), "confirmed");
  EXPECT_EQ(conclusion_of(test("alike", "rust"), "many"), "refuted");
  // 5 against 5 that do not overlap: p = 0.0079.
  EXPECT_EQ(conclusion_of(test("differs", "rust") + "alpha = 0.005", "many"), "not measured");
  EXPECT_EQ(
      conclusion_of(test("differs", "rust") +
                        "alpha = 0.015\nfamily = { binding = [\"rust\", \"csharp\", \"java\"] }",
                    "many"),
      "not measured")
      << "0.015 over the two that were measured";
  const auto too_few =
      answer("each = { quantity = \"time\", model = \"few\" }\n" + test("alike", "rust"));
  EXPECT_EQ(too_few.judged.conclusion, Conclusion::kNotMeasured);
  EXPECT_THAT(too_few.words.why, HasSubstr("3 and 3 samples cannot differ at 0.05"));
  EXPECT_EQ(conclusion_of(test("differs", "rust")), "not measured") << "one number each";
}

TEST_F(JudgeTest, TakesPrintedTestsWhereThereAreNoSamples) {
  const std::string differs = "differs = [{ binding = \"python\" }, { binding = \"rust\" }]\n";
  const std::string alike = "alike = [{ binding = \"python\" }, { binding = \"rust\" }]\n";
  EXPECT_EQ(conclusion_of(differs + "effect = \"large\"", "p"), "confirmed");
  EXPECT_EQ(conclusion_of(differs + "effect = \"large\"", "q"), "refuted");
  EXPECT_EQ(conclusion_of(differs + "effect = \"large\"", "r"), "not measured")
      << "no effect printed";
  EXPECT_EQ(conclusion_of(differs, "r"), "confirmed");
  EXPECT_EQ(conclusion_of(differs + "effect = \"large\"", "s"), "refuted");
  EXPECT_EQ(conclusion_of(alike, "q"), "confirmed");
  EXPECT_EQ(conclusion_of(alike, "p"), "refuted");
}

TEST_F(JudgeTest, EachPointMustHold) {
  const auto asked = [&](const std::string& models) {
    return answer("each = { quantity = \"time\", model = [" + models +
                  "] }\nratio = [{ binding = \"rust\" }, { binding = \"python\" }]\nbelow = 1");
  };
  EXPECT_EQ(asked("\"a\"").judged.conclusion, Conclusion::kConfirmed);
  const auto refuted = asked("\"a\", \"b\", \"c\"");
  EXPECT_EQ(refuted.judged.conclusion, Conclusion::kRefuted) << "whatever is missing";
  EXPECT_EQ(refuted.words.figure, "1.25");
  EXPECT_EQ(refuted.words.why, "2 of 3 measured, 1 hold; not b: 1.25");
  const auto partly = asked("\"a\", \"c\"");
  EXPECT_EQ(partly.judged.conclusion, Conclusion::kPartlyMeasured);
  EXPECT_TRUE(partly.judged.holds_so_far);
  EXPECT_EQ(partly.judged.tally.measured, 1U);
  EXPECT_EQ(partly.judged.tally.asked, 2U);
  EXPECT_THAT(partly.words.why, HasSubstr("no binding=rust model=c quantity=time"));
  const auto left_out = asked("\"a\", \"d\"");
  EXPECT_EQ(left_out.judged.conclusion, Conclusion::kConfirmed)
      << "no number, so it does not apply";
  EXPECT_THAT(left_out.words.why,
              HasSubstr("1 left out, as binding=python model=d quantity=time is oom"));
  EXPECT_EQ(asked("\"d\"").judged.conclusion, Conclusion::kNotMeasured);
}

TEST_F(JudgeTest, SomePointMustHold) {
  const auto asked = [&](const std::string& models) {
    return answer("some = { quantity = \"time\", model = [" + models +
                  "] }\nratio = [{ binding = \"rust\" }, { binding = \"python\" }]\nbelow = 1")
        .judged;
  };
  EXPECT_EQ(asked("\"a\", \"b\", \"c\"").conclusion, Conclusion::kConfirmed);
  EXPECT_EQ(asked("\"b\"").conclusion, Conclusion::kRefuted);
  EXPECT_EQ(asked("\"b\", \"c\"").conclusion, Conclusion::kPartlyMeasured);
  EXPECT_FALSE(asked("\"b\", \"c\"").holds_so_far);
  EXPECT_EQ(asked("\"c\"").conclusion, Conclusion::kNotMeasured);
}

TEST_F(JudgeTest, AShareIsCertainWhenWhatIsMissingCannotChangeIt) {
  const auto asked = [&](const std::string& share, const std::string& models) {
    return conclusion(share + "\neach = { quantity = \"time\", model = [" + models +
                      "] }\nratio = [{ binding = \"rust\" }, { binding = \"python\" }]\nbelow = 1");
  };
  EXPECT_EQ(asked("share_at_least = 0.5", "\"a\", \"b\""), "confirmed");
  EXPECT_EQ(asked("share_above = 0.5", "\"a\", \"b\""), "refuted");
  EXPECT_EQ(asked("share_above = 0.5", "\"a\", \"b\", \"c\""), "partly measured");
  EXPECT_EQ(asked("share_above = 0.7", "\"a\", \"b\", \"c\""), "refuted");
  EXPECT_EQ(asked("share_above = 0.3", "\"a\", \"b\", \"c\""), "confirmed");
  EXPECT_EQ(asked("share_above = 0.3", "\"c\""), "not measured");
}

TEST_F(JudgeTest, TestsOfOnePointHoldTogether) {
  const std::string check =
      "some = { model = [\"a\", \"b\"] }\n"
      "ratio = [{ quantity = \"time\", binding = \"rust\" }, { quantity = \"time\", binding = "
      "\"python\" }]\nbelow = 1\nalso = [{ value = { quantity = \"outcome\", binding = \"rust\" }, "
      "is = ";
  EXPECT_EQ(conclusion(check + "\"good\" }]"), "confirmed");
  EXPECT_EQ(conclusion(check + "\"bad\" }]"), "refuted")
      << "the fast one is good, the bad one slow";
}

TEST_F(JudgeTest, TakesOtherLabelsWhereACellIsMissing) {
  const std::string check =
      "each = { quantity = \"time\", model = \"c\" }\n"
      "ratio = [{ binding = \"rust\" }, { binding = \"python\" }]\nbelow = 1\n";
  EXPECT_EQ(conclusion(check), "not measured");
  EXPECT_EQ(conclusion(check + "otherwise = { model = \"a\" }"), "confirmed");
  EXPECT_EQ(conclusion(check + "otherwise = { model = \"none\" }"), "not measured");
}

TEST_F(JudgeTest, AsksInEveryConditionThatTellsCellsApart) {
  ASSERT_THAT(read_cells("model,binding,reading,=time\n"
                         "twice,python,first,10\ntwice,rust,first,5\n"
                         "twice,python,second,10\ntwice,rust,second,20\n",
                         "cells",
                         cells_),
              is_ok());
  const auto asked = answer(
      "each = { quantity = \"time\", model = [\"a\", \"twice\"] }\n"
      "ratio = [{ binding = \"rust\" }, { binding = \"python\" }]\nbelow = 1");
  EXPECT_EQ(asked.judged.conclusion, Conclusion::kRefuted);
  EXPECT_EQ(asked.judged.tally.asked, 3U);
  EXPECT_EQ(asked.words.why, "2 of 3 hold; not twice second: 2");
  EXPECT_EQ(
      conclusion("each = { quantity = \"time\" }\nratio = [{ binding = \"rust\", model = \"a\" }, "
                 "{ binding = \"python\", model = \"twice\" }]\nat_most = 0.5"),
      "confirmed")
      << "a cell that is there once counts in both";
}

}  // namespace
}  // namespace crossbind::claims
