#include "tasks/conform/json.h"

#include <nlohmann/json.hpp>

#include <rapidcheck/gtest.h>

#include <limits>

#include "tasks/conform/made_up_verdict.h"
#include "testing/testing.h"

namespace crossbind::tasks {
namespace {

using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

// Texts are UTF-8, as JSON is: also characters of several bytes.
const std::vector<std::string> kCharacters = {"a", "\"", "\\", "\n", "\x01", "é", "→"};

rc::Gen<std::string> utf8() {
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kCharacters)),
                      [](const std::vector<std::string>& characters) {
                        std::string text;
                        for (const auto& character : characters) {
                          text += character;
                        }
                        return text;
                      });
}

// As conform prints it, read again.
Result<std::vector<Verdict>> through_json(const std::vector<Verdict>& verdicts) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const auto& verdict : verdicts) {
    all.push_back(verdict_json(verdict));
  }
  return read_verdicts(nlohmann::ordered_json{{kVerdicts, all}}.dump(2), "c.json");
}

Result<std::vector<Verdict>> read_one(const std::string& members) {
  return read_verdicts(
      R"({"verdicts": [{"binding": "pytorch/rust", "model": "gru", )" + members + "}]}", "c.json");
}

RC_GTEST_PROP(VerdictJson, AVerdictComesBackFromIt, ()) {
  Verdict verdict{made_up_verdict(utf8()), "pytorch/rust", "lenet5"};
  if (!has_ratio(verdict)) {
    verdict.ratio = 0;
  }
  const auto came = through_json({verdict});
  RC_ASSERT(came.has_value());
  RC_ASSERT(*came == std::vector{verdict});
}

TEST(VerdictJson, KeepsTheOrder) {
  Verdict first{{.outcome = ConformOutcome::kRounding}, "b/b", "m"};
  Verdict second{{.outcome = ConformOutcome::kFailed, .reason = "it died"}, "a/a", "m"};
  const auto came = through_json({first, second});
  ASSERT_THAT(came, is_ok());
  EXPECT_THAT(*came, ElementsAre(first, second));
}

TEST(VerdictJson, TheRatioSaysWhatABoundWithoutEndLeaves) {
  const auto came =
      read_one(R"("verdict": "diverges", "ratio": null, "divergence": {"part": "probe",
      "kind": "update", "error": null, "bound": null, "ratio": 700})");
  ASSERT_THAT(came, is_ok());
  EXPECT_EQ(came->front().ratio, std::numeric_limits<double>::infinity());
  EXPECT_EQ(came->front().divergence->error, 700);
  EXPECT_EQ(came->front().divergence->bound, 1);
}

TEST(VerdictJson, TakesMembersThatAreNotThereForEmpty) {
  const auto came = read_one(R"("verdict": "agrees bit for bit")");
  ASSERT_THAT(came, is_ok());
  EXPECT_THAT(came->front().parts, ElementsAre());
  EXPECT_EQ(came->front().divergence, std::nullopt);
  EXPECT_EQ(came->front().level, trial::ProbeLevel::kNone);
}

TEST(VerdictJson, IsNamedWhereItIsNotConforms) {
  EXPECT_THAT(read_verdicts("[]", "c.json"), fails_with(HasSubstr("c.json")));
  EXPECT_THAT(read_verdicts("{", "c.json"), fails_with(HasSubstr("conform --json")));
  EXPECT_THAT(read_verdicts(R"({"verdicts": [1]})", "c.json"), fails_with(HasSubstr("c.json")));
  EXPECT_THAT(read_one(R"("verdict": "fine")"), fails_with(HasSubstr("'fine'")));
  EXPECT_THAT(read_one(R"("verdict": "failed", "parts": [{"part": "soul"}])"),
              fails_with(HasSubstr("'soul'")));
}

}  // namespace
}  // namespace crossbind::tasks
