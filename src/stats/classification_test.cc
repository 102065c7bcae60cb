#include "stats/classification.h"

#include <limits>

#include "stats/fixtures.h"

namespace crossbind::stats {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using Classes = std::vector<int64_t>;
using Scores = std::vector<double>;

TEST(Classification, AgreesWithScikitLearn) {
  for (const auto& test : fixtures("classification")) {
    const auto actual = test["actual"].get<Classes>();
    const auto predicted = test["predicted"].get<Classes>();
    const auto scores = test["scores"].get<Scores>();
    const auto classes = test["classes"].get<size_t>();
    EXPECT_THAT(accuracy(predicted, actual), is_close_to(test["accuracy"].get<double>()));
    EXPECT_THAT(macro_f1(predicted, actual), is_close_to(test["macro_f1"].get<double>()));
    if (classes == 2) {
      Scores second;
      for (size_t i = 1; i < scores.size(); i += 2) {
        second.push_back(scores[i]);
      }
      EXPECT_THAT(roc_auc(second, actual), is_close_to(test["auc"].get<double>()));
    } else {
      EXPECT_THAT(macro_roc_auc(scores, actual, classes),
                  is_close_to(test["macro_auc"].get<double>()));
    }
  }
}

TEST(MacroF1, CountsClassesThatWereOnlyPredicted) {
  EXPECT_EQ(macro_f1(Classes{0, 2}, Classes{0, 1}).value(), 1.0 / 3);
  EXPECT_EQ(macro_f1(Classes{7}, Classes{7}).value(), 1);
}

TEST(RocAuc, IsAHalfWhereAllScoresTie) {
  EXPECT_EQ(roc_auc(Scores{3, 3, 3}, Classes{0, 1, 1}).value(), 0.5);
  EXPECT_EQ(roc_auc(Scores{-kInfinity, kInfinity}, Classes{0, 1}).value(), 1);
}

TEST(Classification, RefusesWhatCannotBeScored) {
  EXPECT_THAT(accuracy(Classes{}, Classes{}), fails_with(HasSubstr("no labels")));
  EXPECT_THAT(accuracy(Classes{1}, Classes{1, 2}), fails_with(HasSubstr("1 predictions for 2")));
  EXPECT_THAT(macro_f1(Classes{1, 2, 3}, Classes{1}), fails_with(HasSubstr("3 predictions for 1")));
  EXPECT_THAT(roc_auc(Scores{1, 2}, Classes{1, 1}), fails_with(HasSubstr("every label is 1")));
  EXPECT_THAT(roc_auc(Scores{1, 2}, Classes{0, 0}), fails_with(HasSubstr("no label is 1")));
  EXPECT_THAT(roc_auc(Scores{1, 2}, Classes{0, 2}), fails_with(HasSubstr("label 2 is not")));
  EXPECT_THAT(roc_auc(Scores{1, kNan}, Classes{0, 1}), fails_with(HasSubstr("not a number")));
  EXPECT_THAT(macro_roc_auc(Scores{1, 2, 3}, Classes{0}, 2), fails_with(HasSubstr("no rows")));
  EXPECT_THAT(macro_roc_auc(Scores{1}, Classes{0}, 0), fails_with(HasSubstr("no rows")));
  EXPECT_THAT(macro_roc_auc(Scores(6), Classes{0, 1}, 3), fails_with(HasSubstr("no label is 2")));
}

}  // namespace
}  // namespace crossbind::stats
