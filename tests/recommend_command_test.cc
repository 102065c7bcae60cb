// The program as users run it: recommend.
#include <nlohmann/json.hpp>

#include "process/command.h"
#include "store/open.h"
#include "testing/testing.h"

namespace crossbind {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::is_ok;

class RecommendCommandTest : public testing::ScratchTest {
 protected:
  // Five passes each of a model that Python trained: 1 s in Rust, 3 in Python, 9 in JavaScript.
  void make_store() {
    const auto store = store::open(scratch("lab.db")).value();
    const auto study = store->add_study({"quick", "epochs = 1"}).value();
    const std::map<std::string, double> seconds = {
        {"pytorch/rust", 1}, {"pytorch/python", 3}, {"pytorch/javascript", 9}};
    int count = 0;
    for (const auto& [binding, base] : seconds) {
      for (uint32_t seed = 1; seed <= 5; ++seed) {
        store::TrialRecord trial;
        trial.identity = fmt::format("{:064x}", ++count);
        trial.axes = {.binding = binding,
                      .model = "lenet5",
                      .dataset = "mnist",
                      .device = "cpu",
                      .task = "infer-serialization",
                      .loader = "resident",
                      .variant = "step",
                      .measure = "total",
                      .weights = "pytorch/python",
                      .seed = seed};
        trial.series = {{"infer.total", 0, {base * (1 + 0.01 * seed)}}};
        trial.peak_memory = 1U << 30;
        ASSERT_THAT(store->add_trial(study, trial), is_ok());
      }
    }
  }

  process::Outcome recommend(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {testing::build_path("crossbind"), "recommend", "--store", "lab.db"});
    return process::run({.arguments = std::move(arguments), .directory = scratch("")}).value();
  }
};

TEST_F(RecommendCommandTest, RanksBindingsWithTheirNumbers) {
  make_store();
  const auto outcome = recommend({});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_THAT(
      outcome.out,
      AllOf(HasSubstr("lenet5 on mnist: inference on cpu (loader resident, variant step)"),
            HasSubstr("first     pytorch/rust by serialization"),
            HasSubstr("1.0 GiB"),
            HasSubstr("recommended\npytorch/rust by serialization: 1.03 s a pass (n = 5); the "
                      "next, pytorch/python by serialization, takes 3 (")));
  EXPECT_EQ(recommend({}).out, outcome.out);
}

TEST_F(RecommendCommandTest, AnswersAboutOneLanguageInJson) {
  make_store();
  const auto parsed = json::parse(recommend({"--language", "javascript", "--json"}).out);
  ASSERT_EQ(parsed.size(), 1U);
  EXPECT_EQ(parsed[0]["answer"], "recommended");
  EXPECT_EQ(parsed[0]["options"][0]["binding"], "pytorch/javascript");
  EXPECT_EQ(parsed[0]["options"][0]["mode"], "serialization");
  EXPECT_NEAR(parsed[0]["options"][0]["to_fastest"]["ratio"].get<double>(), 9, 1e-12);
  EXPECT_EQ(parsed[0]["fastest_in_any_language"], "pytorch/rust by serialization");
}

TEST_F(RecommendCommandTest, SaysWhenNothingIsLeft) {
  make_store();
  EXPECT_THAT(recommend({"--must-match"}).out,
              HasSubstr("left out: pytorch/rust by serialization"));
  EXPECT_THAT(recommend({"--task", "both"}).out, HasSubstr("nothing measured"));
  for (const std::string option : {"--language", "--model", "--device"}) {
    EXPECT_THAT(recommend({option, "rsut"}).out,
                AllOf(HasSubstr("nothing measured"),
                      HasSubstr("\nmeasured\ninference of lenet5 on cpu in javascript, python, "
                                "rust\n")));
  }
  EXPECT_THAT(recommend({"--language", "javascript", "--max-slowdown", "2x"}).out,
              HasSubstr("takes 9 ("));
  EXPECT_EQ(recommend({"--max-slowdown", "2"}).exit_code, 2);
  EXPECT_EQ(recommend({"--task", "attack"}).exit_code, 2);
}

TEST_F(RecommendCommandTest, ExplainsItselfWithTheThreeScenarios) {
  const auto help = recommend({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("--task both --language javascript"));
  EXPECT_EQ(recommend({}).exit_code, 1);  // there is no store
}

}  // namespace
}  // namespace crossbind
