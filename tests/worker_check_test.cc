// crossbind worker check, as users run it: against workers that are right, and against one that is
// wrong in one way at a time.
#include <nlohmann/json.hpp>

#include <set>

#include "process/command.h"
#include "testing/testing.h"

namespace crossbind {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

const std::string kWorker = testing::source_path("tests/workers/linear.py");

class WorkerCheckTest : public testing::ScratchTest {
 protected:
  [[nodiscard]] process::Outcome check(std::vector<std::string> arguments,
                                       const std::filesystem::path& directory = {}) const {
    const std::vector<std::string> program = {testing::build_path("crossbind"), "worker", "check"};
    arguments.insert(arguments.begin(), program.begin(), program.end());
    return process::run({.arguments = std::move(arguments), .directory = directory}).value();
  }

  struct Verdicts {
    std::set<std::string> ok;
    std::set<std::string> wrong;
    std::set<std::string> skipped;
    std::string details;
  };

  [[nodiscard]] static Verdicts verdicts_of(const process::Outcome& outcome) {
    Verdicts verdicts;
    const auto json = nlohmann::json::parse(outcome.out, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << outcome.out << outcome.error;
    for (const auto& check : json["checks"]) {
      const std::string verdict = check["verdict"];
      const std::string name = check["check"];
      (verdict == "ok"      ? verdicts.ok
       : verdict == "wrong" ? verdicts.wrong
                            : verdicts.skipped)
          .insert(name);
      if (verdict == "wrong") {
        verdicts.details += name + ": " + check["detail"].get<std::string>() + "\n";
      }
    }
    EXPECT_EQ(outcome.exit_code, verdicts.wrong.empty() ? 0 : 1) << outcome.error;
    EXPECT_EQ(json["ok"], verdicts.ok.size());
    EXPECT_EQ(json["wrong"], verdicts.wrong.size());
    return verdicts;
  }

  // Patience is what a silent worker costs; the others answer long before.
  [[nodiscard]] Verdicts mistaken(const std::string& mode,
                                  const std::string& patience = "60") const {
    return verdicts_of(check({"--json", "--patience", patience, "--", "python3", kWorker, mode}));
  }
};

TEST_F(WorkerCheckTest, FindsNothingWrongWithTheReferee) {
  const auto verdicts = verdicts_of(check({"--binding", "reference/cpp", "--json"}));
  EXPECT_THAT(verdicts.wrong, IsEmpty()) << verdicts.details;
  EXPECT_GE(verdicts.ok.size(), 50U);
  EXPECT_THAT(verdicts.ok,
              IsSupersetOf({"claims what its manifest says",
                            "shows the batches of the order",
                            "computes loss and gradients within the referee's bound",
                            "updates each parameter within the referee's bound"}));
}

TEST_F(WorkerCheckTest, FindsNothingWrongWithThePythonWorker) {
  const auto doctor =
      process::run({.arguments = {testing::build_path("crossbind"), "doctor", "reference/python"}})
          .value();
  if (doctor.exit_code != 0) {
    CROSSBIND_SKIP("reference/python", "it is not set up: crossbind setup reference/python");
  }
  const auto verdicts = verdicts_of(check({"--binding", "reference/python", "--json"}));
  EXPECT_THAT(verdicts.wrong, IsEmpty()) << verdicts.details;
  EXPECT_GE(verdicts.ok.size(), 50U);
}

TEST_F(WorkerCheckTest, SkipsWithAReasonWhatAWorkerDoesNotClaim) {
  const auto outcome = check({"--", "python3", kWorker});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("ok       greeting  says hello over a Unix socket\n"),
                    HasSubstr("skipped  train     times each part of each step: it does not claim "
                              "the measure 'parts'\n"),
                    HasSubstr("skipped  probe     lists what it cannot show: it claims no probe "
                              "level\n"),
                    HasSubstr(" ok, 0 wrong, ")));
}

TEST_F(WorkerCheckTest, ComparesAProgramWithTheManifestInItsFolder) {
  ASSERT_THAT(write_file(scratch("linear-python/worker.toml"), R"(framework = "linear"
language = "python"
title = "One layer"
start = ["python3", "worker.py"]
[capabilities]
tasks = ["train", "infer-parameters"]
devices = ["cpu"]
loaders = ["resident"]
variants = ["step"]
measures = ["total", "parts"]
training_accuracies = ["running"]
layers = ["linear", "relu"]
losses = ["cross_entropy"]
optimizers = ["sgd"]
probe = "none"
queries = "gradients"
saves = true
)"),
              testing::is_ok());
  const auto verdicts =
      verdicts_of(check({"--json", "--", "python3", kWorker}, scratch("linear-python")));
  EXPECT_EQ(
      verdicts.details,
      "claims what its manifest says: hello and worker.toml differ: layers (worker.toml alone "
      "has relu); measures (worker.toml alone has parts)\n");
}

TEST_F(WorkerCheckTest, SaysWhatIsWrongAndWhereToRead) {
  const auto outcome = check({"--", "python3", kWorker, "counts-wrong"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("wrong    prepare   builds a model\n    expected 68 parameters"),
                    HasSubstr("came 69\n    See 'prepare' in protocol/PROTOCOL.md.\n"),
                    HasSubstr(" of them until what is wrong is mended\n"),
                    Not(HasSubstr("skipped  train"))));
}

struct Mistake {
  std::string mode;
  std::set<std::string> wrong;
};

class Mistakes : public WorkerCheckTest, public ::testing::WithParamInterface<Mistake> {};

TEST_P(Mistakes, AreFoundByTheCheckThatNamesThem) {
  const auto verdicts = mistaken(GetParam().mode);
  EXPECT_EQ(verdicts.wrong, GetParam().wrong) << verdicts.details;
}

INSTANTIATE_TEST_SUITE_P(
    WorkerCheck,
    Mistakes,
    ::testing::Values(
        Mistake{"wrong-token", {"gives back the token"}},
        Mistake{"wrong-version", {"speaks this version of the protocol"}},
        Mistake{"counts-wrong", {"builds a model"}},
        Mistake{"says-no-json", {"does nothing before it is prepared", "builds a model"}},
        Mistake{"drops-the-last-batch", {"reports every epoch in order, with all its steps"}},
        Mistake{"reports-no-epochs", {"reports every epoch in order, with all its steps"}},
        Mistake{"sums-the-loss", {"comes to the loss of the referee in the first epoch"}},
        Mistake{"sums-the-test-loss", {"gives the loss of the test set"}},
        Mistake{"takes-the-mean-in-queries",
                {"gives the gradients of the inputs within the referee's bound"}},
        Mistake{"changes-in-queries", {"answers queries of any size with its outputs"}},
        Mistake{"keeps-its-warm-up", {"forgets its warm-up"}},
        Mistake{"ignores-cancel", {"gives up when cancelled"}},
        Mistake{"goes-on-from-the-last-training",
                {"starts a second training from what was prepared"}}),
    [](const auto& mistake) {
      std::string name = mistake.param.mode;
      std::ranges::replace(name, '-', '_');
      return name;
    });

TEST_F(WorkerCheckTest, DoesNotWaitForEverForAWorkerThatNeverAnswers) {
  const auto verdicts = mistaken("never-answers", "5");
  EXPECT_THAT(verdicts.wrong, Contains("builds a model"));
  EXPECT_THAT(verdicts.details, HasSubstr("said nothing for 5 s"));
  EXPECT_THAT(verdicts.skipped, Contains("exits with 0 when told bye"));
}

TEST_F(WorkerCheckTest, ShowsTheLastWordsOfAProgramThatIsNoWorker) {
  const auto verdicts =
      verdicts_of(check({"--json", "--", "sh", "-c", "echo no framework here >&2; exit 3"}));
  EXPECT_THAT(verdicts.details,
              AllOf(HasSubstr("says hello over a Unix socket: "), HasSubstr("no framework here")));
  EXPECT_THAT(verdicts.ok, IsEmpty());
}

TEST_F(WorkerCheckTest, NeedsABindingOrAProgram) {
  EXPECT_EQ(check({}).exit_code, 2);
  EXPECT_EQ(check({"--binding", "reference/cpp", "--", "true"}).exit_code, 2);
  EXPECT_EQ(check({"--binding", "reference/cobol"}).exit_code, 1);
  EXPECT_THAT(check({"--help"}).out, HasSubstr("crossbind worker check -- python3 worker.py"));
}

}  // namespace
}  // namespace crossbind
