// The program as users run it: compare.
#include <nlohmann/json.hpp>

#include "process/command.h"
#include "testing/testing.h"

namespace crossbind {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::is_ok;

class CompareCommandTest : public testing::ScratchTest {
 protected:
  void write(const std::string& name, const std::string& text) const {
    ASSERT_THAT(write_file(scratch(name), text), is_ok());
  }

  [[nodiscard]] process::Outcome compare(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {testing::build_path("crossbind"), "compare"});
    return process::run({.arguments = std::move(arguments), .directory = scratch("")}).value();
  }

  [[nodiscard]] json compared(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const auto outcome = compare(std::move(arguments));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
    return json::parse(outcome.out);
  }
};

TEST_F(CompareCommandTest, SaysWhatIsKnownOfTwoFilesOfNumbers) {
  write("a.txt", "10\n11\n12\n13\n14\n");
  write("b.txt", "# seconds\n+20\n 22 \r\n\n24 # the third\n2.6e1\n28");
  const auto found = compared({"a.txt", "b.txt"});
  EXPECT_EQ(found["n_a"], 5);
  EXPECT_EQ(found["n_b"], 5);
  EXPECT_EQ(found["median_a"], 12.0);
  EXPECT_EQ(found["median_b"], 24.0);
  EXPECT_EQ(found["ratio"], 2.0);
  EXPECT_LT(found["ratio_low"].get<double>(), 2.0);
  EXPECT_GT(found["ratio_high"].get<double>(), 2.0);
  EXPECT_EQ(found["above_noise"], true);
  EXPECT_EQ(found["u"], 0.0);
  EXPECT_NEAR(found["p"].get<double>(), 2.0 / 252, 1e-15);
  EXPECT_EQ(found["method"], "exact");
  EXPECT_EQ(found["cliffs_delta"], -1.0);
  EXPECT_EQ(found["effect"], "large");
  EXPECT_FALSE(found.contains("dtw_exact"));
  const auto text = compare({"a.txt", "b.txt"});
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("B / A          2  (95 % interval "),
                    HasSubstr("U = 0, p = 0.00794 (exact): they differ at 0.05\n"),
                    HasSubstr("Cliff's delta  -1.000 (large)\n")));
}

TEST_F(CompareCommandTest, ComputesPAsItIsTold) {
  write("a.txt", "1\n2\n2\n3\n");
  write("b.txt", "2\n4\n4\n5\n");
  const auto with = [&](const std::string& method) {
    return compared({"a.txt", "b.txt", "--method", method});
  };
  EXPECT_EQ(compared({"a.txt", "b.txt"}), with("auto"));
  EXPECT_EQ(with("auto")["method"], "asymptotic");
  EXPECT_EQ(with("exact"), with("permutation"));
  EXPECT_EQ(with("permutation")["method"], "permutation");
  EXPECT_NEAR(with("permutation")["p"].get<double>(), 8.0 / 70, 1e-15);
  EXPECT_EQ(compare({"a.txt", "b.txt", "--method", "guess"}).exit_code, 2);
}

TEST_F(CompareCommandTest, TellsNotSignificantFromCouldNotHaveBeen) {
  write("a.txt", "1\n2\n3\n");
  write("b.txt", "4\n5\n6\n");
  write("c.txt", "1.5\n2.5\n3.5\n0\n1.7\n");
  write("d.txt", "1\n2\n3\n4\n5\n");
  EXPECT_THAT(compare({"a.txt", "b.txt"}).out,
              HasSubstr("samples of 3 and 3 cannot reach 0.05: the least p is 0.1\n"));
  EXPECT_THAT(compare({"c.txt", "d.txt"}).out, HasSubstr("no difference at 0.05 was found\n"));
}

// Both files have the same noise; every number of B is 0.1 % larger than the same of A.
TEST_F(CompareCommandTest, CallsNothingADifferenceThatIsBelowTheNoise) {
  std::string a;
  std::string b;
  for (int i = 0; i < 12; ++i) {
    const double time = i < 6 ? 1 : 1.5;
    a += fmt::format("{}\n", time);
    b += fmt::format("{}\n", time * 1.001);
  }
  b += "1.5\n1.5\n1.5\n1.5\n1.5\n1.5\n1.5\n";
  write("a.txt", a);
  write("b.txt", b);
  const auto found = compared({"a.txt", "b.txt"});
  EXPECT_LE(found["p"].get<double>(), 0.05);
  EXPECT_GT(found["noise"].get<double>(), found["ratio"].get<double>());
  EXPECT_EQ(found["above_noise"], false);
  EXPECT_THAT(compare({"a.txt", "b.txt"}).out,
              AllOf(HasSubstr("noise          1."),
                    HasSubstr("but the medians differ by less than the noise\n")));
}

// Numbers below 0 have no ratio that could be held against itself.
TEST_F(CompareCommandTest, CallsNothingADifferenceWithoutANoiseFloor) {
  write("a.txt", "-1\n-2\n-3\n-4\n-5\n");
  write("b.txt", "-11\n-12\n-13\n-14\n-15\n");
  const auto found = compared({"a.txt", "b.txt"});
  EXPECT_LE(found["p"].get<double>(), 0.05);
  EXPECT_TRUE(found["noise"].is_null());
  EXPECT_EQ(found["above_noise"], false);
  EXPECT_THAT(compare({"a.txt", "b.txt"}).out,
              AllOf(HasSubstr("significant at 0.05 with n = 5 and 5"),
                    HasSubstr("; no noise floor is known to hold it against\n")));
}

TEST_F(CompareCommandTest, WarpsCurves) {
  write("a.txt", "1\n2\n3\n4\n5\n");
  write("b.txt", "2\n3\n4\n");
  const auto found = compared({"a.txt", "b.txt", "--curves"});
  EXPECT_EQ(found["dtw_exact"], 2.0);
  EXPECT_EQ(found["dtw_fastdtw"], 2.0);
  EXPECT_EQ(found["dtw_exact_normalised"], 0.4);
  EXPECT_EQ(found["dtw_fastdtw_normalised"], 0.4);
  EXPECT_THAT(compare({"a.txt", "b.txt", "--curves"}).out,
              HasSubstr("DTW, exact     2, 0.4000 a point\n"));
}

TEST_F(CompareCommandTest, SaysUnavailableWhereThereIsNoRatio) {
  write("a.txt", "0\n0\n");
  write("b.txt", "3\n");
  const auto found = compared({"a.txt", "b.txt"});
  EXPECT_TRUE(found["ratio"].is_null());
  EXPECT_TRUE(found["ratio_low"].is_null());
  EXPECT_THAT(compare({"a.txt", "b.txt"}).out,
              HasSubstr("B / A          unavailable: the median of A is 0\n"));
  EXPECT_THAT(compare({"b.txt", "a.txt"}).out,
              HasSubstr("B / A          0  (interval unavailable)"));
}

TEST_F(CompareCommandTest, NamesTheLineThatIsNoNumber) {
  write("a.txt", "1\n2\n");
  write("bad.txt", "1\n\n2 3\n");
  write("nan.txt", "nan\n");
  write("huge.txt", "1e999\n");
  write("empty.txt", "# nothing\n");
  const auto bad = compare({"a.txt", "bad.txt"});
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.error, HasSubstr("bad.txt:3: '2 3' is not a finite number"));
  EXPECT_THAT(compare({"nan.txt", "a.txt"}).error, HasSubstr("nan.txt:1: 'nan' is not"));
  EXPECT_THAT(compare({"huge.txt", "a.txt"}).error, HasSubstr("huge.txt:1"));
  EXPECT_THAT(compare({"empty.txt", "a.txt"}).error, HasSubstr("empty.txt: there is no number"));
  EXPECT_EQ(compare({"a.txt", "missing.txt"}).exit_code, 1);
}

TEST_F(CompareCommandTest, ExplainsItselfWithAnExample) {
  const auto help = compare({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("Example: crossbind compare"));
  EXPECT_EQ(compare({"a.txt"}).exit_code, 2);
}

}  // namespace
}  // namespace crossbind
