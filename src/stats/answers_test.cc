#include "stats/answers.h"

#include "stats/fixtures.h"

namespace crossbind::stats {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using Texts = std::vector<std::string>;

TEST(Answers, AgreeWithPythonsNotionOfLettersAndSpaces) {
  for (const auto& test : fixtures("answers")) {
    const auto prediction = test["prediction"].get<std::string>();
    const auto right = test["right"].get<Texts>();
    EXPECT_EQ(normalised_answer(prediction), test["normalised"].get<std::string>());
    EXPECT_EQ(exact_match(prediction, right).value(), test["exact_match"].get<double>()) << test;
    EXPECT_THAT(answer_f1(prediction, right), is_close_to(test["f1"].get<double>())) << test;
  }
}

TEST(Answers, TakeTheBestOfTheRightOnes) {
  const Texts right = {"Saint Bernadette Soubirous", "Bernadette"};
  EXPECT_EQ(exact_match("the Bernadette.", right).value(), 1);
  EXPECT_EQ(exact_match("Saint Bernadette", right).value(), 0);
  EXPECT_NEAR(answer_f1("Saint Bernadette", right).value(), 0.8, 1e-15);  // 2 of 2 and 2 of 3
  EXPECT_EQ(answer_f1("Lourdes", right).value(), 0);
}

TEST(Answers, CountRepeatedWords) {
  EXPECT_NEAR(answer_f1("no no no", Texts{"no no"}).value(), 0.8, 1e-15);
}

TEST(Answers, BytesThatAreNotUtf8AreOneUnknownCharacter) {
  EXPECT_EQ(normalised_answer("x\xff y\xc3"), "x\xEF\xBF\xBD y\xEF\xBF\xBD");
}

TEST(Answers, NeedARightOne) {
  EXPECT_THAT(exact_match("x", {}), fails_with(HasSubstr("without a right answer")));
  EXPECT_THAT(answer_f1("x", {}), fails_with(HasSubstr("without a right answer")));
}

}  // namespace
}  // namespace crossbind::stats
