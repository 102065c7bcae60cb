#include "tasks/infer/compared_outputs.h"

#include "converse/parameters_file.h"
#include "tasks/made_up_assignment.h"
#include "tensor/safetensors.h"
#include "testing/testing.h"

namespace crossbind::tasks {
namespace {

using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

constexpr int64_t kAnswered = 4;

class ComparedOutputsTest : public testing::ScratchTest {
 protected:
  ComparedOutputsTest()
      : model_(model::find_model("lenet1", testing::source_path("models"), model::Geometry::kFull)
                   .value()),
        job_(made_up_assignment(model_, trial::Task::kInferParameters, scratch(""))) {
    job_.data.test_samples = kAnswered;
    job_.expected = scratch("expected.safetensors");
    inferred_.test.accuracy = {0.5};
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
    return compare_outputs(job_, scratch("outputs.safetensors"), inferred_);
  }

  model::Model model_;
  Assignment job_;
  Inferred inferred_;
};

TEST_F(ComparedOutputsTest, SayHowManyPredictionsDifferAndByHowMuch) {
  write_outputs("expected.safetensors", {1, 2, 3, 4});
  write_outputs("outputs.safetensors", {1, 2, 7, 4});
  write_labels({1, 2, 3, 0, 9, 9});  // only the first four count
  ASSERT_THAT(compare(), is_ok());
  EXPECT_THAT(inferred_.test.expected, ElementsAre(0.75));
  EXPECT_THAT(inferred_.answers.differing, ElementsAre(1));
  EXPECT_THAT(inferred_.answers.margins, ElementsAre(2, 2));
  EXPECT_THAT(inferred_.answers.output_difference, ElementsAre(2));
  EXPECT_EQ(inferred_.expected_outputs_sha256,
            converse::hash_outputs(job_.expected, model_, kAnswered).value());
  EXPECT_THAT(inferred_.contradictions, ElementsAre());
}

TEST_F(ComparedOutputsTest, NameAnAccuracyThatItsOutputsDoNotBearOut) {
  write_outputs("expected.safetensors", {1, 2, 3, 4});
  write_outputs("outputs.safetensors", {1, 2, 3, 4});
  write_labels({1, 2, 3, 0});
  ASSERT_THAT(compare(), is_ok());
  EXPECT_THAT(inferred_.answers.margins, ElementsAre());
  EXPECT_THAT(inferred_.contradictions, ElementsAre(Contradiction{"accuracy", "0.5", 0.5, 0.75}));
}

TEST_F(ComparedOutputsTest, SayNothingOfAccuracyWithoutLabels) {
  write_outputs("expected.safetensors", {1, 2, 3, 4});
  write_outputs("outputs.safetensors", {1, 2, 3, 4});
  tensor::TensorMap map;
  map.emplace("test.image", tensor::Tensor({1}, std::vector<float>{0}));
  ASSERT_THAT(tensor::save_safetensors(job_.data.path, map, {}), is_ok());
  ASSERT_THAT(compare(), is_ok());
  EXPECT_THAT(inferred_.test.expected, ElementsAre());
  EXPECT_THAT(inferred_.answers.differing, ElementsAre(0));
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
}  // namespace crossbind::tasks
