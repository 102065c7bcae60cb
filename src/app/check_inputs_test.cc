#include "app/check_inputs.h"

#include "model/initial_weights.h"
#include "referee/training.h"
#include "tensor/safetensors.h"
#include "testing/testing.h"

namespace crossbind::app {
namespace {

using ::testing::AllOf;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

class CheckInputsTest : public testing::ScratchTest {
 protected:
  CheckInputsTest()
      : model_(model::find_model("lenet1", testing::source_path("models"), model::Geometry::kFull)
                   .value()) {}

  [[nodiscard]] std::string write(const std::string& name, const std::string& content) const {
    EXPECT_THAT(write_file(scratch(name), content), is_ok());
    return scratch(name).string();
  }

  // Three images, with labels or without.
  [[nodiscard]] std::string write_data(bool labels, int64_t side = 28) const {
    constexpr int64_t kSamples = 3;
    tensor::TensorMap tensors;
    std::vector<float> pixels(static_cast<size_t>(kSamples * side * side));
    for (size_t i = 0; i < pixels.size(); ++i) {
      pixels[i] = static_cast<float>(i % 7) / 7;
    }
    tensors.emplace("test.image", tensor::Tensor({kSamples, 1, side, side}, pixels));
    if (labels) {
      tensors.emplace("test.label", tensor::Tensor({kSamples}, std::vector<int64_t>{1, 2, 3}));
    }
    EXPECT_THAT(tensor::save_safetensors(scratch("mine.safetensors"), tensors, {}), is_ok());
    return scratch("mine.safetensors").string();
  }

  model::Model model_;
};

TEST_F(CheckInputsTest, ModelsAreRecognizedByWhatTheyAre) {
  EXPECT_EQ(kind_of(write("a.pt", "PK\x03\x04 and so on")).value(), FileKind::kTorchScript);
  const std::string saved = write("saved/saved_model.pb", "anything");
  EXPECT_EQ(kind_of(std::filesystem::path(saved).parent_path()).value(), FileKind::kSavedModel);
  EXPECT_EQ(kind_of(write_data(true)).value(), FileKind::kParameters);
}

TEST_F(CheckInputsTest, WhatIsNoModelIsNamed) {
  EXPECT_THAT(kind_of(scratch("none.pt")),
              fails_with(AllOf(HasSubstr("none.pt"), HasSubstr("there is no such file"))));
  EXPECT_THAT(kind_of(write("text.pt", "hello")), fails_with(HasSubstr("no TorchScript file")));
  EXPECT_THAT(kind_of(write("empty.pt", "")), fails_with(HasSubstr("no TorchScript file")));
  EXPECT_THAT(kind_of(scratch("")), fails_with(HasSubstr("no saved_model.pb")));
  EXPECT_THAT(kind_of(write("bad.safetensors", "hello")), fails_with(HasSubstr("bad.safetensors")));
}

TEST_F(CheckInputsTest, DataWithLabelsIsTakenAsItIs) {
  const std::string path = write_data(true);
  const auto data = find_data(path, model_, 0, scratch("cache"), scratch("")).value();
  EXPECT_EQ(data.file.path, path);
  EXPECT_EQ(data.file.test_samples, 3);
  EXPECT_TRUE(data.has_labels);
  EXPECT_EQ(find_data(path, model_, 2, scratch("cache"), scratch(""))->file.test_samples, 2);
  EXPECT_EQ(find_data(path, model_, 9, scratch("cache"), scratch(""))->file.test_samples, 3);
}

TEST_F(CheckInputsTest, DataWithoutLabelsGetsSomeForTheWorkers) {
  const auto data = find_data(write_data(false), model_, 0, scratch("cache"), scratch("")).value();
  EXPECT_FALSE(data.has_labels);
  const auto file = tensor::SafetensorsFile::open(data.file.path).value();
  EXPECT_THAT(referee::Split::open(file, "test", model_, 0), is_ok());
}

TEST_F(CheckInputsTest, DataThatDoesNotFitIsRefused) {
  EXPECT_THAT(find_data(write_data(true, 20), model_, 0, scratch("cache"), scratch("")),
              fails_with(HasSubstr("image")));
  EXPECT_THAT(find_data(write_data(false, 20), model_, 0, scratch("cache"), scratch("")),
              fails_with(HasSubstr("image")));
  EXPECT_THAT(find_data("minst", model_, 0, scratch("cache"), scratch("")),
              fails_with(HasSubstr("Did you mean 'mnist'?")));
}

TEST_F(CheckInputsTest, TheRefereeAnswersEverySample) {
  ASSERT_THAT(model::save_initial_weights(scratch("weights.safetensors"), model_, 1, {}), is_ok());
  const auto data = find_data(write_data(true), model_, 2, scratch("cache"), scratch("")).value();
  const auto path = scratch("outputs.safetensors");
  ASSERT_THAT(save_referee_outputs(model_, scratch("weights.safetensors"), data.file, path),
              is_ok());
  const auto outputs = tensor::load_safetensors(path).value();
  EXPECT_EQ(outputs.at("outputs").shape(), (tensor::Shape{2, 10}));
}

}  // namespace
}  // namespace crossbind::app
