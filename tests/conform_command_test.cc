// crossbind conform, as users run it: against the referee's own worker, which is right, and against
// programs that are not.
#include <nlohmann/json.hpp>

#include "process/command.h"
#include "testing/testing.h"

namespace crossbind {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::is_ok;
using Json = nlohmann::json;

const std::string kWorker = testing::source_path("tests/workers/linear.py");

class ConformCommandTest : public testing::ScratchTest {
 protected:
  ConformCommandTest() {
    EXPECT_THAT(write_file(scratch("single.toml"), R"(id = "single"
title = "One linear layer"
dataset = "glyphs"
loss = "cross_entropy"
init = "fan_in_uniform"
batch = 4
layers = [{ name = "fc", type = "linear", out = 4, bias = true }]
[inputs]
image = { shape = [16] }
[optimizer]
type = "sgd"
momentum = 0.0
rate = 0.05
[conform]
batch = 4
)"),
                is_ok());
  }

  [[nodiscard]] process::Outcome conform(std::vector<std::string> arguments) const {
    const std::vector<std::string> program = {testing::build_path("crossbind"), "conform"};
    arguments.insert(arguments.begin(), program.begin(), program.end());
    return process::run({.arguments = std::move(arguments), .directory = scratch("")}).value();
  }

  [[nodiscard]] Json json_of(std::vector<std::string> arguments, int exit_code) const {
    arguments.insert(arguments.begin(), "--json");
    const auto outcome = conform(std::move(arguments));
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.out << outcome.error;
    auto json = Json::parse(outcome.out, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << outcome.out << outcome.error;
    return json;
  }

  // What it says of the single layer in linear.py.
  [[nodiscard]] Json single(const std::string& mode, int exit_code) const {
    return json_of({"--model", scratch("single.toml"), "--", "python3", kWorker, mode}, exit_code)
        .at("verdicts")
        .at(0);
  }
};

TEST_F(ConformCommandTest, TheReferencesAgreeWithTheReferee) {
  const auto json =
      json_of({"reference/cpp", "--model", "lenet5", "--model", "resnet20", "--steps", "2"}, 0);
  EXPECT_EQ(json["against"], "referee");
  EXPECT_EQ(json["geometry"], "conform");
  EXPECT_EQ(json["steps"], 2);
  EXPECT_EQ(json["bound_constant"], 32);
  EXPECT_GT(json["seconds"]["crossbind"], 0);
  EXPECT_GT(json["seconds"]["bindings"], 0);
  ASSERT_EQ(json["verdicts"].size(), 2U);
  for (const auto& verdict : json["verdicts"]) {
    EXPECT_EQ(verdict["binding"], "reference/cpp");
    EXPECT_EQ(verdict["verdict"], "agrees within rounding");
    EXPECT_EQ(verdict["level"], "gradients");
    EXPECT_GT(verdict["ratio"], 0);
    EXPECT_LT(verdict["ratio"], 1);
    EXPECT_TRUE(verdict["divergence"].is_null());
    ASSERT_EQ(verdict["parts"].size(), 3U);
    EXPECT_EQ(verdict["parts"][0]["part"], "probe");
    EXPECT_EQ(verdict["parts"][1]["part"], "evaluation");
    EXPECT_EQ(verdict["parts"][2]["part"], "loader");
  }
  EXPECT_LT(json["largest_ratio_of_agreement"], 1);
}

TEST_F(ConformCommandTest, PrintsATableAndWritesJunit) {
  const auto outcome = conform(
      {"reference/cpp", "--model", "lenet1", "--steps", "1", "--junit", scratch("conform.xml")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_THAT(outcome.out, HasSubstr("reference/cpp  lenet1  agrees within rounding"));
  EXPECT_THAT(outcome.error, HasSubstr("reference/cpp on lenet1: agrees within rounding\n"));
  EXPECT_THAT(read_file(scratch("conform.xml")).value(),
              AllOf(HasSubstr("tests=\"3\" failures=\"0\""),
                    HasSubstr("classname=\"reference/cpp\" name=\"lenet1 loader\"/>")));
}

TEST_F(ConformCommandTest, ABindingIsNotBitForBitAnotherOne) {
  const auto doctor =
      process::run({.arguments = {testing::build_path("crossbind"), "doctor", "reference/python"}})
          .value();
  if (doctor.exit_code != 0) {
    CROSSBIND_SKIP("reference/python", "it is not set up: crossbind setup reference/python");
  }
  const auto json = json_of(
      {"reference/cpp", "--model", "lenet1", "--steps", "2", "--against", "reference/python"}, 0);
  EXPECT_EQ(json["against"], "reference/python");
  ASSERT_EQ(json["verdicts"].size(), 2U);
  EXPECT_EQ(json["verdicts"][0]["verdict"], "agrees within rounding");
  EXPECT_EQ(json["verdicts"][1]["binding"], "reference/python");
}

TEST_F(ConformCommandTest, AProgramThatShowsOutputsOnlyIsJudgedByThose) {
  const auto verdict = single("", 0);
  EXPECT_EQ(verdict["binding"], "candidate");
  EXPECT_EQ(verdict["verdict"], "agrees within rounding");
  EXPECT_EQ(verdict["level"], "outputs");
  EXPECT_EQ(verdict["parts"][0]["verdict"], "unsupported");
  EXPECT_EQ(verdict["parts"][2]["verdict"], "agrees within rounding");
}

TEST_F(ConformCommandTest, TheLastPartialBatchIsMissedWhenItIsDropped) {
  const auto verdict = single("drops-the-last-batch", 1);
  EXPECT_EQ(verdict["verdict"], "diverges");
  EXPECT_EQ(verdict["divergence"]["part"], "loader");
  EXPECT_EQ(verdict["divergence"]["kind"], "data");
  EXPECT_EQ(verdict["divergence"]["step"], 4);
  EXPECT_THAT(verdict["divergence"]["detail"].get<std::string>(), HasSubstr("dropped"));
}

TEST_F(ConformCommandTest, AProgramThatIsNoWorkerCouldNotRun) {
  const auto json =
      json_of({"--model", "lenet1", "--", "sh", "-c", "echo no framework here >&2; exit 3"}, 3);
  EXPECT_EQ(json["verdicts"][0]["verdict"], "failed");
}

TEST_F(ConformCommandTest, AKnownDivergenceIsNoFailureUntilItVanishes) {
  const std::string known = R"([[divergence]]
model = "single"
part = "loader"
kind = "data"
why = "it drops what does not fill a batch"
)";
  ASSERT_THAT(write_file(scratch("known.toml"), known), is_ok());
  EXPECT_EQ(single("drops-the-last-batch", 0)["verdict"], "known");
  const auto verdict = single("", 1);
  EXPECT_EQ(verdict["verdict"], "agrees within rounding");
  EXPECT_THAT(verdict["missed"].at(0).get<std::string>(), HasSubstr("has vanished"));
}

TEST_F(ConformCommandTest, RefusesWhatMakesNoSense) {
  EXPECT_EQ(conform({"reference/cpp", "--", "true"}).exit_code, 2);
  EXPECT_EQ(conform({"reference/cpp", "--steps", "0"}).exit_code, 2);
  EXPECT_EQ(conform({"reference/cpp", "--seeds", "one"}).exit_code, 2);
  EXPECT_EQ(conform({"reference/cobol"}).exit_code, 1);
  EXPECT_THAT(conform({"--help"}).out, HasSubstr("Exit codes: 0 all agree"));
}

}  // namespace
}  // namespace crossbind
