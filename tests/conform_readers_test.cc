// What conform says, in the commands that read it from a file or from a store: report, recommend.
#include <nlohmann/json.hpp>

#include "process/command.h"
#include "store/open.h"
#include "testing/testing.h"

namespace crossbind {
namespace {

using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::Not;

class ConformReadersTest : public testing::ScratchTest {
 protected:
  // Five passes of a model through a binding.
  void make_store(const std::string& name,
                  const std::string& binding = "reference/cpp",
                  const std::string& model = "lenet1") const {
    const auto store = store::open(scratch(name)).value();
    const auto study = store->add_study({"quick", "epochs = 1"}).value();
    for (uint32_t seed = 1; seed <= 5; ++seed) {
      store::TrialRecord trial;
      trial.identity = fmt::format("{:064x}", seed);
      trial.axes = {.binding = binding,
                    .model = model,
                    .dataset = "mnist",
                    .device = "cpu",
                    .task = "infer-parameters",
                    .loader = "resident",
                    .variant = "step",
                    .measure = "total",
                    .weights = "initial",
                    .seed = seed};
      trial.series = {{"infer.total", 0, {1 + 0.01 * seed}}};
      ASSERT_THAT(store->add_trial(study, trial), is_ok());
    }
  }

  [[nodiscard]] std::string out_of(std::vector<std::string> arguments, int exit_code = 0) const {
    arguments.insert(arguments.begin(), testing::build_path("crossbind"));
    const auto outcome =
        process::run({.arguments = std::move(arguments), .directory = scratch("")}).value();
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.out << outcome.error;
    return outcome.out;
  }

  // What is said of a program that drops the last batch of a model "single".
  [[nodiscard]] std::string conform_program(const std::vector<std::string>& options) const {
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
    std::vector<std::string> arguments = {"conform", "--model", scratch("single.toml")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const std::string worker = testing::source_path("tests/workers/linear.py");
    arguments.insert(arguments.end(), {"--", "python3", worker, "drops-the-last-batch"});
    return out_of(std::move(arguments), 1);
  }

  [[nodiscard]] std::string text(const std::string& name) const {
    return read_file(scratch(name)).value();
  }
};

TEST_F(ConformReadersTest, AReportSaysTheSameOfAFileAndOfAStore) {
  make_store("with.db");
  make_store("without.db");
  const auto json = out_of({"conform",
                            "reference/cpp",
                            "--model",
                            "lenet1",
                            "--steps",
                            "1",
                            "--json",
                            "--store",
                            "with.db"});
  ASSERT_THAT(write_file(scratch("conform.json"), json), is_ok());

  (void)out_of({"report", "--store", "with.db", "-o", "with"});
  (void)out_of({"report", "--store", "without.db", "--conform", "conform.json", "-o", "file"});
  (void)out_of({"report", "--store", "without.db", "-o", "without"});
  EXPECT_THAT(text("with/verdicts.csv"), HasSubstr("reference/cpp,rounding"));
  EXPECT_EQ(text("file/verdicts.csv"), text("with/verdicts.csv"));
  EXPECT_THAT(text("with/why.csv"), HasSubstr("conform: agrees within rounding."));
  EXPECT_EQ(text("file/why.csv"), text("with/why.csv"));
  EXPECT_THAT(text("without/verdicts.csv"), Not(HasSubstr("rounding")));
}

TEST_F(ConformReadersTest, AReportHasTheDivergenceOfAProgram) {
  make_store("lab.db");
  ASSERT_THAT(write_file(scratch("conform.json"), conform_program({"--json"})), is_ok());
  (void)out_of({"report", "--store", "lab.db", "--conform", "conform.json", "-o", "out"});
  EXPECT_THAT(text("out/verdicts.csv"), HasSubstr("candidate,not measured,diverges"));
  EXPECT_THAT(text("out/why.csv"), HasSubstr("conform: data of loader"));
}

TEST_F(ConformReadersTest, RecommendTakesItsWordFromTheStore) {
  make_store("lab.db", "candidate", "single");
  const std::vector<std::string> recommend = {"recommend", "--store", "lab.db"};
  EXPECT_THAT(out_of(recommend), Not(HasSubstr("diverges")));
  EXPECT_THAT(conform_program({"--store", "lab.db"}), HasSubstr("lab.db: 1 verdict added"));
  EXPECT_THAT(out_of(recommend), HasSubstr("diverges (conform: data of loader"));
}

}  // namespace
}  // namespace crossbind
