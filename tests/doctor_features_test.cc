// crossbind doctor --features, as users run it.
#include <nlohmann/json.hpp>

#include "process/command.h"
#include "testing/testing.h"

namespace crossbind {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kSource = testing::source_path();

class DoctorFeaturesTest : public testing::ScratchTest {
 protected:
  [[nodiscard]] process::Outcome doctor(const std::filesystem::path& home,
                                        const std::vector<std::string>& options) const {
    std::vector<std::string> arguments = {testing::build_path("crossbind"), "doctor", "--features"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return process::run({.arguments = std::move(arguments),
                         .environment = {"CROSSBIND_HOME=" + home.string(),
                                         "CROSSBIND_CACHE=" + scratch("cache").string()}})
        .value();
  }

  // "cnn train": what became of it.
  [[nodiscard]] static std::map<std::string, json> attempts_of(const process::Outcome& outcome) {
    std::map<std::string, json> attempts;
    const json bindings = json::parse(outcome.out);
    for (const auto& attempt : bindings.at(0).at("attempts")) {
      const std::string family = attempt.at("family");
      attempts[family + " " + attempt.at("task").get<std::string>()] = attempt;
    }
    return attempts;
  }

  // A worker with one linear layer that claims to have all that LeNet-5 needs.
  void add_boaster() const {
    ASSERT_THAT(write_file(scratch("home/workers/linear-python/worker.toml"),
                           fmt::format(R"(framework = "linear"
language = "python"
title = "A boaster"
start = ["python3", "{}/tests/workers/linear.py"]
[capabilities]
tasks = ["train", "infer-parameters"]
devices = ["cpu"]
loaders = ["resident"]
variants = ["step"]
measures = ["total"]
training_accuracies = ["running"]
layers = ["pad", "conv2d", "tanh", "max_pool2d", "flatten", "linear"]
losses = ["cross_entropy"]
optimizers = ["sgd", "adam"]
probe = "none"
saves = true
)",
                                       kSource)),
                testing::is_ok());
    ASSERT_THAT(write_file(scratch("home/workers/bindings.toml"),
                           "[[bindings]]\nname = \"toy/sh\"\nmissing = \"no worker yet\"\n"),
                testing::is_ok());
    std::filesystem::create_symlink(kSource + "/models", scratch("home/models"));
  }
};

TEST_F(DoctorFeaturesTest, TriesWhatABindingClaims) {
  const auto outcome = doctor(kSource, {"reference/cpp", "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  const auto attempts = attempts_of(outcome);
  for (const std::string family : {"cnn", "rnn", "bert"}) {
    EXPECT_EQ(attempts.at(family + " train")["experience"], "works");
    EXPECT_EQ(attempts.at(family + " infer-parameters")["experience"], "works");
    EXPECT_EQ(attempts.at(family + " infer-serialization")["reason"], "task infer-serialization");
  }
}

TEST_F(DoctorFeaturesTest, ABindingThatCannotDoWhatItClaimsFails) {
  add_boaster();
  const auto outcome = doctor(scratch("home"), {});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.error;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("\nlinear/python  fails     fails  no   no    fails          no\n"),
                    HasSubstr("linear/python fails to prepare: expected done, came unsupported: "),
                    HasSubstr("linear/python lacks layer embedding: rnn train, ")));
}

}  // namespace
}  // namespace crossbind
