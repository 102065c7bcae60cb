#include "cli/comparison_text.h"

#include "testing/testing.h"

namespace crossbind::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Five numbers against five larger ones.
ComparedFiles made_up_files() {
  ComparedFiles files{.a = "a.txt", .b = "b.txt"};
  files.comparison = {.n_a = 5,
                      .n_b = 5,
                      .median_a = 12,
                      .median_b = 24,
                      .ratio = 2,
                      .ratio_interval = stats::Interval{1.5, 2.5},
                      .noise = 1.25,
                      .smallest_p = 0.008,
                      .cliffs_delta = -1};
  files.comparison.test = {.u = 0, .p = 0.008, .method = stats::UMethod::kExact};
  return files;
}

TEST(ComparisonText, SaysThatFilesDifferWhereTheRatioIsAboveTheNoise) {
  EXPECT_THAT(comparison_text(made_up_files()),
              AllOf(HasSubstr("A              a.txt: n = 5, median 12\n"),
                    HasSubstr("B / A          2  (95 % interval 1.5 to 2.5)\n"),
                    HasSubstr("noise          1.25 times: "),
                    HasSubstr("they differ at 0.05\n")));
}

TEST(ComparisonText, SaysNoMoreThanWhatWasFoundWhereNoNoiseFloorIsKnown) {
  auto files = made_up_files();
  files.comparison.noise.reset();
  EXPECT_THAT(comparison_text(files),
              AllOf(HasSubstr("p = 0.008"),
                    HasSubstr("significant at 0.05 with n = 5 and 5 and a ratio of 1.5 to 2.5; no "
                              "noise floor is known to hold it against\n"),
                    Not(HasSubstr("they differ"))));
  files.comparison.ratio.reset();
  files.comparison.ratio_interval.reset();
  EXPECT_THAT(comparison_text(files),
              HasSubstr("significant at 0.05 with n = 5 and 5; no noise floor is known to hold it "
                        "against\n"));
}

TEST(ComparisonText, TellsWhatIsBelowTheNoiseFromWhatIsNotSignificant) {
  auto files = made_up_files();
  files.comparison.noise = 3;
  EXPECT_THAT(comparison_text(files), HasSubstr("but the medians differ by less than the noise\n"));
  files.comparison.test.p = 0.2;
  EXPECT_THAT(comparison_text(files), HasSubstr("no difference at 0.05 was found\n"));
}

}  // namespace
}  // namespace crossbind::cli
