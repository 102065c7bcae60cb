#include "cli/plan_report.h"

#include <nlohmann/json.hpp>

#include <algorithm>

#include "plan/made_up.h"
#include "testing/testing.h"

namespace crossbind::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class PlanReportTest : public ::testing::Test {
 protected:
  PlanReportTest() {
    facts_.bindings[1].unavailable = "not set up: crossbind setup reference/python";
    std::erase(facts_.bindings[2].capabilities->tasks, trial::Task::kInferParameters);
    const plan::Plan first = plan::planned(study_, facts_);
    facts_.past[plan::find(study_, first, {.binding = "pytorch/rust"}).id] = {
        plan::PastState::kFailed, "it said\n\"no\" \xff"};
    plan_ = plan::planned(study_, facts_);
  }

  template <typename Report>
  [[nodiscard]] std::vector<std::string> pieces(Report report) const {
    std::vector<std::string> all;
    report(study_, plan_, [&](std::string_view piece) { all.emplace_back(piece); });
    return all;
  }

  spec::Study study_ = plan::made_up_study("bindings = [\"*\"]");
  plan::Facts facts_ = plan::made_up_facts(study_);
  plan::Plan plan_;
};

TEST_F(PlanReportTest, SummaryCountsByBindingAndModel) {
  study_.cuts = {"all but three bindings", "all but two models"};
  EXPECT_EQ(plan_summary(study_, plan_, {plan::Seconds(125), plan::Seconds(3600)}),
            R"(mine: Mine
24 trials in 8 comparisons
What is to run takes about 2 min 05 s; what is unavailable here would take about 1 h 00 min, by the arithmetic of the models

What it leaves out:
  - all but three bindings
  - all but two models

BINDING           MODEL   RUN  DONE  FAILED  UNSUPPORTED  UNAVAILABLE  EXCLUDED
reference/cpp     lenet1    4     -       -            -            -         -
reference/cpp     lenet5    4     -       -            -            -         -
reference/python  lenet1    -     -       -            -            4         -
reference/python  lenet5    -     -       -            -            4         -
pytorch/rust      lenet1    1     -       1            2            -         -
pytorch/rust      lenet5    2     -       -            2            -         -
all                        11     -       1            4            8         -

        8  unavailable: not set up: crossbind setup reference/python
        4  unsupported: task infer-parameters
        1  failed before (--retry-failed runs it again): it said "no" )"
            "\xff\n");
}

TEST_F(PlanReportTest, ExplainsEveryTrialOnALineOfItsOwn) {
  const auto lines = pieces(explain_plan);
  ASSERT_THAT(lines, SizeIs(plan_.trials.size()));
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(std::ranges::count(lines[i], '\n'), 1);
    EXPECT_THAT(lines[i],
                AllOf(HasSubstr(plan_.trials[i].id.to_string().substr(0, 12)),
                      HasSubstr(plan_.bindings[plan_.trials[i].binding]),
                      HasSubstr(is_run(plan_.trials[i].decision) ? "  run: " : "  skip: ")));
  }
  EXPECT_THAT(lines[0], AllOf(HasSubstr(" 1  "), HasSubstr("cpu train resident step total")));
}

TEST_F(PlanReportTest, JsonIsOneDocumentWrittenInPieces) {
  const auto written = pieces([](const auto& study, const auto& plan, const auto& output) {
    plan_json(study, plan, {plan::Seconds(61.7), plan::Seconds(0)}, output);
  });
  EXPECT_THAT(written, SizeIs(plan_.trials.size() + 2));
  std::string text;
  for (const auto& piece : written) {
    text += piece;
  }
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["study"]["name"], "mine");
  EXPECT_EQ(json["counts"]["trials"], 24);
  EXPECT_EQ(json["counts"]["run"], 11);
  EXPECT_EQ(json["counts"]["estimated_s"], 62);
  EXPECT_EQ(json["counts"]["unavailable"], 8);
  ASSERT_EQ(json["trials"].size(), 24U);
  for (size_t i = 0; i < plan_.trials.size(); ++i) {
    const auto& trial = json["trials"][i];
    EXPECT_EQ(trial["trial"], plan_.trials[i].id.to_string());
    EXPECT_EQ(trial["decision"], plan::word(plan_.trials[i].decision));
    EXPECT_EQ(trial["source"].is_null(), trial["task"] == "train");
  }
}

TEST_F(PlanReportTest, JsonOfNoTrialsIsADocumentToo) {
  plan_.trials.clear();
  std::string text;
  plan_json(study_, plan_, {}, [&](std::string_view piece) { text += piece; });
  EXPECT_TRUE(nlohmann::json::parse(text)["trials"].empty());
}

}  // namespace
}  // namespace crossbind::cli
