#include "published/file_name.h"

#include "testing/testing.h"

namespace crossbind::published {
namespace {

using ::testing::Eq;

TEST(FileName, SaysWhichCurveOfWhichSeed) {
  const auto training = parse_file_name("training_errors_3.txt", Language::kRust).value();
  EXPECT_EQ(training.kind, FileKind::kTrainingCurve);
  EXPECT_EQ(training.index, 3U);
  EXPECT_EQ(parse_file_name("testing_errors_0.txt", Language::kPython)->kind,
            FileKind::kTestingCurve);
  EXPECT_EQ(parse_file_name("roc_aucs_4.json", Language::kCsharp)->kind, FileKind::kRocAuc);
}

TEST(FileName, KnowsEverySpellingOfADevice) {
  for (const auto* device : {"cpu", "CPU", "Cpu"}) {
    const auto name = fmt::format("deploy_eval_{}_states.txt", device);
    EXPECT_EQ(parse_file_name(name, Language::kCsharp)->device, "cpu") << name;
  }
  for (const auto* device : {"gpu", "GPU", "CUDA", "Cuda(0)"}) {
    const auto name = fmt::format("deploy_eval_{}_serialization_scripted.txt", device);
    const auto parsed = parse_file_name(name, Language::kRust).value();
    EXPECT_EQ(parsed.device, "cuda") << name;
    EXPECT_EQ(parsed.task, trial::Task::kInferSerialization);
    EXPECT_TRUE(parsed.scripted);
  }
}

TEST(FileName, ATimeMayNameItsDeviceOrNot) {
  EXPECT_EQ(parse_file_name("time_cost_gpu_1.json", Language::kPython)->index, 1U);
  EXPECT_EQ(parse_file_name("time_cost_CUDA_2.txt", Language::kCsharp)->device, "cuda");
  EXPECT_EQ(parse_file_name("time_cost_4.txt", Language::kJavascript)->device, "cuda");
  EXPECT_EQ(parse_file_name("time_cost_cpu_4.txt", Language::kRust)->device, "cpu");
}

TEST(FileName, MeansNothingWithoutItsParts) {
  for (const auto* name : {"notes.txt",
                           "training_errors_5.txt",
                           "training_errors_.txt",
                           "training_errors_0",
                           "training_errors_0.json",
                           "time_cost.txt",
                           "deploy_eval_tpu_states.txt",
                           "deploy_eval_cpu.txt",
                           "deploy_eval_cpu_onnx.txt",
                           "deploy_eval_cpu_states.json",
                           "roc_aucs_0.txt",
                           ""}) {
    EXPECT_THAT(parse_file_name(name, Language::kRust).has_value(), Eq(false)) << name;
  }
}

}  // namespace
}  // namespace crossbind::published
