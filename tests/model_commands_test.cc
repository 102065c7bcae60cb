// The program as users run it: models, weights and tensors.
#include <nlohmann/json.hpp>

#include "process/command.h"
#include "testing/testing.h"

namespace crossbind {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class ModelCommandsTest : public testing::ScratchTest {
 protected:
  static process::Outcome crossbind(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), testing::build_path("crossbind"));
    return process::run({.arguments = std::move(arguments)}).value();
  }
};

TEST_F(ModelCommandsTest, ModelsListsIdsAndCounts) {
  const auto listed = crossbind({"models"});
  EXPECT_EQ(listed.exit_code, 0);
  EXPECT_THAT(
      listed.out,
      HasSubstr("resnet20          70      274,442      273,066  cifar10   image [3, 32, 32]\n"));
  const auto json = nlohmann::json::parse(crossbind({"models", "--json"}).out);
  ASSERT_EQ(json.size(), 14U);
  EXPECT_EQ(json[4].dump(),
            R"({"batch":128,"dataset":"mnist","id":"lenet1",)"
            R"("inputs":[{"entries":null,"name":"image","shape":[1,28,28]}],"layers":9,)"
            R"("parameters":4326,"title":"LeNet-1 on images padded to 32 x 32","trainable":4326})");
  const auto conform = nlohmann::json::parse(crossbind({"models", "--conform", "--json"}).out);
  EXPECT_EQ(conform[0]["id"], "bert-base");
  EXPECT_EQ(conform[0]["layers"], 28);
}

TEST_F(ModelCommandsTest, ModelsShowPrintsLayersOrTheGraph) {
  const auto shown = crossbind({"models", "show", "lenet1"});
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_THAT(shown.out,
              AllOf(StartsWith("lenet1: LeNet-1 on images padded to 32 x 32\n"),
                    HasSubstr("\nconv2    conv2d      [12, 10, 10]       1,212  pool1\n"),
                    EndsWith("\n9 layers, 4,326 parameters, 4,326 trainable, batch 128\n")));
  const auto graph =
      nlohmann::json::parse(crossbind({"models", "show", "lenet1", "--conform", "--json"}).out);
  EXPECT_EQ(graph["batch"], 8);
  const auto missing = crossbind({"models", "show", "lenet"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_EQ(missing.error, "crossbind: there is no model 'lenet'\n  Did you mean 'lenet1'?\n");
}

TEST_F(ModelCommandsTest, ModelsLayersPrintsThePageForPeopleWhoWriteWorkers) {
  const auto written = crossbind({"models", "layers"});
  EXPECT_EQ(written.exit_code, 0);
  EXPECT_EQ(written.out, read_file(testing::source_path("docs/layers.md")).value());
}

TEST_F(ModelCommandsTest, ModelsCheckTellsARightFileFromAWrongOne) {
  const std::string models = testing::source_path("models/");
  const auto right = crossbind({"models", "check", models + "lenet5.toml"});
  EXPECT_EQ(right.exit_code, 0);
  EXPECT_THAT(right.out, HasSubstr("full     13 layers, 61,706 parameters"));
  const std::string file = scratch("mine.toml").string();
  ASSERT_THAT(write_file(file, "id = \"mine\"\ntitel = \"Mine\"\n"), testing::is_ok());
  const auto wrong = crossbind({"models", "check", file});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.out, IsEmpty());
  EXPECT_THAT(wrong.error, StartsWith("crossbind: " + file + ":2: unknown key \"titel\""));
  const auto json_run = crossbind({"models", "check", file, "--json"});
  EXPECT_EQ(json_run.exit_code, 1);
  const auto json = nlohmann::json::parse(json_run.out);
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["error"]["where"], file + ":2");
}

TEST_F(ModelCommandsTest, WeightsAreWrittenAndTensorsListsThem) {
  const std::string file = scratch("lenet1.safetensors").string();
  const auto written =
      crossbind({"weights", "--model", "lenet1", "--seed", "1", "-o", file, "--json"});
  ASSERT_EQ(written.exit_code, 0) << written.error;
  const auto report = nlohmann::json::parse(written.out);
  EXPECT_EQ(report["tensors"], 6);
  EXPECT_EQ(report["parameters"], 4326);
  const auto again = crossbind({"weights", "--model", "lenet1", "--seed", "1", "-o", file});
  EXPECT_THAT(again.out, HasSubstr(report["sha256"].get<std::string>()));
  const auto other = crossbind({"weights", "--model", "lenet1", "--seed", "2", "-o", file});
  EXPECT_THAT(other.out, ::testing::Not(HasSubstr(report["sha256"].get<std::string>())));

  EXPECT_THAT(crossbind({"tensors", file}).out,
              AllOf(HasSubstr("conv1.weight  F32   [4, 1, 5, 5]      400\n"),
                    HasSubstr("\n6 tensors, 16.9 KiB\n"),
                    HasSubstr("\nseed      2\n")));
  const auto tensors = nlohmann::json::parse(crossbind({"tensors", file, "--json"}).out);
  EXPECT_EQ(tensors["tensors"][0].dump(),
            R"({"bytes":16,"name":"conv1.bias","shape":[4],"type":"F32"})");
  EXPECT_EQ(tensors["metadata"]["geometry"], "full");
}

TEST_F(ModelCommandsTest, FailuresHaveExitCodeOneAndWrongUsageTwo) {
  ASSERT_THAT(write_file(scratch("bad"), "not a safetensors file"), testing::is_ok());
  const auto corrupt = crossbind({"tensors", scratch("bad").string()});
  EXPECT_EQ(corrupt.exit_code, 1);
  EXPECT_THAT(corrupt.error, StartsWith("crossbind: " + scratch("bad").string()));
  EXPECT_EQ(
      crossbind({"weights", "--model", "lenet1", "--seed", "1", "-o", scratch("bad/w").string()})
          .exit_code,
      1);
  EXPECT_EQ(crossbind({"weights", "--model", "lenet1", "--seed", "-1", "-o", "w"}).exit_code, 2);
  EXPECT_EQ(crossbind({"weights", "--model", "lenet1"}).exit_code, 2);
  EXPECT_EQ(crossbind({"models", "shwo"}).exit_code, 2);
  EXPECT_EQ(crossbind({}).exit_code, 2);
}

TEST_F(ModelCommandsTest, EveryCommandExplainsItselfWithAnExample) {
  const std::vector<std::vector<std::string>> commands = {
      {"models"}, {"models", "show"}, {"models", "check"}, {"weights"}, {"tensors"}};
  for (auto command : commands) {
    const std::string example = fmt::format("crossbind {}", command.front());
    command.emplace_back("--help");
    const auto help = crossbind(command);
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.out, AllOf(HasSubstr("Example"), HasSubstr(example)));
  }
}

}  // namespace
}  // namespace crossbind
