#include "run/compared_outputs.h"

#include "run/fakes.h"
#include "run/parameters_file.h"
#include "tensor/safetensors.h"
#include "testing/testing.h"

namespace crossbind::run {
namespace {

using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

constexpr int64_t kSamples = 4;

class ComparedOutputsTest : public testing::ScratchTest {
 protected:
  ComparedOutputsTest()
      : model_(model::find_model("lenet1", testing::source_path("models"), model::Geometry::kFull)
                   .value()),
        job_(made_up_job(model_, trial::Task::kInferParameters, scratch(""))) {
    job_.data.test_samples = kSamples;
    job_.expected = scratch("expected.safetensors");
    record_.series = {{"infer.accuracy", 0, {0.5}}};
  }

  // Outputs whose predictions are these, with a margin of 2.
  void write_outputs(const std::string& name, const std::vector<size_t>& predictions) const {
    std::vector<float> values(predictions.size() * 10);
    for (size_t i = 0; i < predictions.size(); ++i) {
      values[i * 10 + predictions[i]] = 2;
    }
    tensor::TensorMap map;
    map.emplace("outputs", tensor::Tensor({static_cast<int64_t>(predictions.size()), 10}, values));
    EXPECT_THAT(tensor::save_safetensors(scratch(name), map, {}), is_ok());
  }

  void write_labels(const std::vector<int64_t>& labels) const {
    tensor::TensorMap map;
    map.emplace("test.label", tensor::Tensor({static_cast<int64_t>(labels.size())}, labels));
    EXPECT_THAT(tensor::save_safetensors(job_.data.path, map, {}), is_ok());
  }

  [[nodiscard]] Status compare() {
    return compare_outputs(job_, scratch("outputs.safetensors"), record_);
  }

  [[nodiscard]] std::vector<double> series(const std::string& metric) const {
    const auto found = std::ranges::find(record_.series, metric, &store::Series::metric);
    return found == record_.series.end() ? std::vector<double>() : found->values;
  }

  model::Model model_;
  TrialJob job_;
  store::TrialRecord record_;
};

TEST_F(ComparedOutputsTest, SayHowManyPredictionsDifferAndByHowMuch) {
  write_outputs("expected.safetensors", {1, 2, 3, 4});
  write_outputs("outputs.safetensors", {1, 2, 7, 4});
  write_labels({1, 2, 3, 0, 9, 9});  // only the first four count
  ASSERT_THAT(compare(), is_ok());
  EXPECT_THAT(series("infer.expected"), ElementsAre(0.75));
  EXPECT_THAT(series("infer.differing"), ElementsAre(1));
  EXPECT_THAT(series("infer.margin"), ElementsAre(2, 2));
  EXPECT_THAT(series("infer.output_difference"), ElementsAre(2));
  EXPECT_EQ(record_.facts.at("expected_outputs_sha256"),
            hash_outputs(job_.expected, model_, kSamples).value());
  EXPECT_FALSE(record_.facts.contains("contradiction.accuracy"));
}

TEST_F(ComparedOutputsTest, NameAnAccuracyThatItsOutputsDoNotBearOut) {
  write_outputs("expected.safetensors", {1, 2, 3, 4});
  write_outputs("outputs.safetensors", {1, 2, 3, 4});
  write_labels({1, 2, 3, 0});
  ASSERT_THAT(compare(), is_ok());
  EXPECT_THAT(series("infer.margin"), ElementsAre());
  EXPECT_EQ(record_.facts.at("contradiction.accuracy"), "0.5 0.5 0.75");
}

TEST_F(ComparedOutputsTest, SayNothingOfAccuracyWithoutLabels) {
  write_outputs("expected.safetensors", {1, 2, 3, 4});
  write_outputs("outputs.safetensors", {1, 2, 3, 4});
  tensor::TensorMap map;
  map.emplace("test.image", tensor::Tensor({1}, std::vector<float>{0}));
  ASSERT_THAT(tensor::save_safetensors(job_.data.path, map, {}), is_ok());
  ASSERT_THAT(compare(), is_ok());
  EXPECT_THAT(series("infer.expected"), ElementsAre());
  EXPECT_THAT(series("infer.differing"), ElementsAre(0));
}

TEST_F(ComparedOutputsTest, NeedTheOutputsOfEverySample) {
  write_outputs("outputs.safetensors", {1, 2, 3, 4});
  EXPECT_THAT(compare(), fails_with(HasSubstr("expected.safetensors")));
  write_outputs("expected.safetensors", {1, 2, 3});
  EXPECT_THAT(compare(), fails_with(HasSubstr("expected [4, 10]")));
  write_outputs("expected.safetensors", {1, 2, 3, 4});
  write_labels({1, 2, 3});
  EXPECT_THAT(compare(), fails_with(HasSubstr("'test.label' has 3 of 4 samples")));
}

}  // namespace
}  // namespace crossbind::run
