// The program as users run it: the referee command, and what all commands have in common.
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "process/command.h"
#include "tensor/safetensors.h"
#include "testing/testing.h"

namespace crossbind {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ProgramTest : public testing::ScratchTest {
 protected:
  process::Outcome crossbind(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), testing::build_path("crossbind"));
    return process::run({.arguments = std::move(arguments),
                         .environment = {"CROSSBIND_CACHE=" + scratch("cache").string()}})
        .value();
  }

  void get_glyphs() {
    const auto made = crossbind({"dataset", "get", "glyphs-256-64"});
    ASSERT_EQ(made.exit_code, 0) << made.error;
  }

  std::vector<std::string> train(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"referee",
                                          "--model",
                                          "lenet1",
                                          "--dataset",
                                          "glyphs-256-64",
                                          "--batch",
                                          "60",
                                          "--epochs",
                                          "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

TEST_F(ProgramTest, PrintsOneLineAnEpoch) {
  get_glyphs();
  const auto trained = crossbind(train({}));
  EXPECT_EQ(trained.exit_code, 0) << trained.error;
  EXPECT_THAT(
      trained.out,
      AllOf(StartsWith("lenet1 on glyphs-256-64: 4,326 parameters, 256 training and 64 test"),
            HasSubstr("\n    1 "),
            HasSubstr("\n    2 ")));
}

TEST_F(ProgramTest, GivesTheSameNumbersWhateverTheThreadsAndOthersForAnotherSeed) {
  get_glyphs();
  const auto losses = [&](std::vector<std::string> more) {
    more.emplace_back("--json");
    const auto result = json::parse(crossbind(train(std::move(more))).out);
    EXPECT_EQ(result["model"], "lenet1");
    EXPECT_EQ(result["batch"], 60);
    std::vector<double> values;
    for (const auto& epoch : result["epochs"]) {
      values.push_back(epoch["loss"]);
      EXPECT_GE(epoch["test_accuracy"], 0);
      EXPECT_LE(epoch["test_accuracy"], 1);
    }
    return values;
  };
  const auto one = losses({"--threads", "1"});
  EXPECT_EQ(one.size(), 2U);
  EXPECT_LT(one[1], one[0]);
  EXPECT_EQ(one, losses({"--threads", "3"}));
  EXPECT_NE(one, losses({"--seed", "2"}));
}

TEST_F(ProgramTest, SavesTheTrainedParametersAndNotTheInitialOnes) {
  get_glyphs();
  ASSERT_EQ(crossbind(train({"-o", scratch("trained").string()})).exit_code, 0);
  ASSERT_EQ(
      crossbind({"weights", "--model", "lenet1", "--seed", "1", "-o", scratch("initial").string()})
          .exit_code,
      0);
  const auto trained = tensor::load_safetensors(scratch("trained")).value();
  const auto initial = tensor::load_safetensors(scratch("initial")).value();
  ASSERT_EQ(trained.size(), initial.size());
  for (const auto& [name, tensor] : initial) {
    ASSERT_TRUE(trained.contains(name)) << name;
    EXPECT_EQ(trained.at(name).shape(), tensor.shape());
    EXPECT_FALSE(std::ranges::equal(trained.at(name).view().bytes, tensor.view().bytes)) << name;
  }
}

TEST_F(ProgramTest, SaysWhatToDoWhenTheDataSetIsAbsentOrDoesNotFit) {
  const auto absent = crossbind({"referee", "--model", "lenet1"});
  EXPECT_EQ(absent.exit_code, 1);
  EXPECT_THAT(absent.error, HasSubstr("crossbind dataset get mnist"));
  get_glyphs();
  const auto misfit = crossbind({"referee", "--model", "resnet20", "--dataset", "glyphs-256-64"});
  EXPECT_EQ(misfit.exit_code, 1);
  EXPECT_THAT(
      misfit.error,
      AllOf(HasSubstr("the model takes samples of [3, 32, 32]"), HasSubstr("crossbind models")));
  EXPECT_EQ(crossbind({"referee", "--model", "lenet1", "--epochs", "0"}).exit_code, 2);
}

TEST_F(ProgramTest, RefusesAnOutputThatCannotBeWrittenBeforeTraining) {
  get_glyphs();
  const auto refused = crossbind(train({"-o", scratch("").string()}));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.error, HasSubstr("is not a regular file"));
}

TEST_F(ProgramTest, DivergenceIsAFailureThatSavesNothing) {
  get_glyphs();
  auto text = read_file(testing::source_path("models") / "lenet1.toml").value();
  const std::string rate = "rate = 0.05";
  ASSERT_NE(text.find(rate), std::string::npos);
  text.replace(text.find(rate), rate.size(), "rate = 1e308");
  ASSERT_THAT(write_file(scratch("wild.toml"), text), testing::is_ok());
  const auto diverged = crossbind({"referee",
                                   "--model",
                                   scratch("wild.toml").string(),
                                   "--dataset",
                                   "glyphs-256-64",
                                   "--batch",
                                   "32",
                                   "-o",
                                   scratch("weights").string()});
  EXPECT_EQ(diverged.exit_code, 1);
  EXPECT_THAT(diverged.error, HasSubstr("the loss is no longer finite in epoch"));
  EXPECT_FALSE(std::filesystem::exists(scratch("weights")));
}

TEST_F(ProgramTest, OutputThatIsLostIsAFailure) {
  const std::string program = testing::build_path("crossbind");
  for (const auto* redirection : {" > /dev/full", " >&-"}) {
    const auto lost =
        process::run({.arguments = {"sh", "-c", program + " models" + redirection}}).value();
    EXPECT_EQ(lost.exit_code, 1) << redirection;
    EXPECT_THAT(lost.error, HasSubstr("cannot write to standard output"));
  }
}

TEST_F(ProgramTest, AMisspeltCommandGetsASuggestion) {
  const auto top = crossbind({"modles"});
  EXPECT_EQ(top.exit_code, 2);
  EXPECT_THAT(top.error, HasSubstr("Did you mean 'models' instead of 'modles'?"));
  EXPECT_THAT(crossbind({"dataset", "lsit"}).error, HasSubstr("Did you mean 'list'"));
  EXPECT_EQ(crossbind({"models", "--json", "show", "lenet1"}).exit_code, 2);
}

TEST_F(ProgramTest, AFileNameThatIsNotUtf8IsPrintedAllTheSame) {
  const auto path = scratch("\xff.safetensors").string();
  const auto written =
      crossbind({"weights", "--model", "lenet1", "--seed", "1", "--json", "-o", path});
  EXPECT_EQ(written.exit_code, 0) << written.error;
  EXPECT_EQ(json::parse(written.out)["model"], "lenet1");
  EXPECT_EQ(crossbind({"tensors", "--json", path}).exit_code, 0);
}

// The commands that a help text lists.
std::vector<std::string> commands_in(const std::string& help) {
  constexpr std::string_view kHead = "\nSubcommands:\n  ";
  std::vector<std::string> names;
  for (size_t at = help.find(kHead); at != std::string::npos;) {
    at = help.find("  ", at) + 2;
    names.push_back(help.substr(at, help.find(' ', at) - at));
    at = help.find('\n', at);
    at = at != std::string::npos && help.substr(at, 3) == "\n  " ? at : std::string::npos;
  }
  return names;
}

TEST_F(ProgramTest, EveryCommandHelpsWithAnExampleAndItsExitCodes) {
  std::vector<std::vector<std::string>> commands = {{}};
  for (size_t i = 0; i < commands.size(); ++i) {
    auto arguments = commands[i];
    arguments.emplace_back("--help");
    const std::string help = crossbind(arguments).out;
    EXPECT_THAT(help.substr(std::min(help.size(), help.rfind("\n\n"))),
                AllOf(HasSubstr(" crossbind "), HasSubstr("\nExit codes: ")))
        << fmt::format("crossbind {}", fmt::join(arguments, " "));
    for (const auto& name : commands_in(help)) {
      commands.push_back(commands[i]);
      commands.back().push_back(name);
    }
  }
  EXPECT_GT(commands.size(), 30U);
}

TEST_F(ProgramTest, TheProgramSaysItsVersionAndWhereToStart) {
  EXPECT_THAT(crossbind({"--version"}).out, StartsWith("crossbind 0."));
  EXPECT_THAT(crossbind({"--help"}).out, AllOf(HasSubstr("Start here"), HasSubstr("referee")));
  EXPECT_EQ(crossbind({}).exit_code, 2);
  EXPECT_EQ(crossbind({"no-such-command"}).exit_code, 2);
}

}  // namespace
}  // namespace crossbind
