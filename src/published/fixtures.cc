#include "published/fixtures.h"

#include <fmt/format.h>

#include "base/file.h"
#include "published/seeds.h"
#include "testing/testing.h"

namespace crossbind::published {

std::string five(const std::string& line) {
  std::string lines;
  for (size_t i = 0; i < kSeeds.size(); ++i) {
    lines += line + "\n";
  }
  return lines;
}

std::string python_inference(double seconds, double accuracy, double expected) {
  const std::string score = fmt::format("[true, {}, {}]", accuracy, expected);
  return fmt::format(R"({{"test": [{0}, {0}, {0}, {0}, {0}], "test_average": {0},)"
                     R"( "testset_same_acc": [{1}, {1}, {1}, {1}, {1}]}})",
                     seconds,
                     score);
}

std::string csharp_inference(double seconds, double accuracy) {
  return fmt::format("Test Eval Average Time:\n{0}\nTest Eval Time:\n{1}",
                     seconds,
                     five(fmt::format("{}", seconds))) +
         "Test Accuracy0 Same as Original:\n" + five(fmt::format("True, {}", accuracy)) +
         "Test Accuracy Stable:\n" + five("True");
}

std::string rust_inference(double seconds, double accuracy) {
  return fmt::format("Test Eval Average Time: {}\n", seconds) + five(fmt::format("{}", seconds)) +
         "Test Accuracy Same as Original:\n" + five(fmt::format("true, {}", accuracy));
}

std::string javascript_inference(double seconds) {
  const std::string times = five(fmt::format("{}", seconds));
  return fmt::format(
             "Test average:\n{0}\nTest:\n{1}Train average:\n{0}\nTrain:\n{1}", seconds, times) +
         "Test Set Same Acc:\n" + five("true") + "Train Set Same Acc:\n" + five("true");
}

std::string roc(double accuracy) {
  return fmt::format(
      R"({{"macro_roc_auc": 0.5, "roc_aucs": {{"0": 0.5, "1": 0.5}},)"
      R"( "fprs": {{"0": [0.0, 1.0], "1": [0.0, 1.0]}},)"
      R"( "tprs": {{"0": [0.0, 1.0], "1": [0.0, 1.0]}},)"
      R"( "thresholds": {{"0": [2.0, 0.0], "1": [2.0, 0.0]}}, "evaluation": [true, {0}, {0}]}})",
      accuracy);
}

void put(const std::filesystem::path& path, const std::string& content) {
  std::filesystem::create_directories(path.parent_path());
  ASSERT_THAT(write_file(path, content), testing::is_ok());
}

void put_tiny_study(const std::filesystem::path& root) {
  const auto model = root / "tensorflow" / "tiny";
  for (size_t i = 0; i < kSeeds.size(); ++i) {
    for (const std::string language : {"py", "ts"}) {
      const auto file = [&](const std::string& kind, const std::string& ending) {
        return model / language / fmt::format("{}_{}{}", kind, i, ending);
      };
      put(file("training_errors", ".txt"), language == "py" ? "0.25\n0.5\n" : "0.25\n0.75");
      put(file("testing_errors", ".txt"), "0.125\n0.5\n");
      put(file("roc_aucs", ".json"), roc(0.5));
      put(file("time_cost", language == "py" ? ".json" : ".txt"),
          language == "py" ? fmt::format(R"({{"training_time": {}, "seed": {}}})", i + 1, kSeeds[i])
                           : fmt::format("Training Time:\n{}\nSeed:\n{}", i + 11, kSeeds[i]));
    }
  }
  put(model / "py" / "deploy_eval_cpu_states.json", python_inference(2, 0.5, 0.5));
  put(model / "py" / "deploy_eval_cpu_serialization.json", python_inference(3, 0.5, 0.5));
  put(model / "rs" / "deploy_eval_cpu_serialization.txt", rust_inference(1, 0.5));
}

}  // namespace crossbind::published
