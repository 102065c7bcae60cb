#include "layouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "models.h"

namespace crossbind::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

tensor::Tensor counted(const tensor::Shape& shape) {
  std::vector<float> values(static_cast<size_t>(tensor::element_count(shape).value()));
  std::iota(values.begin(), values.end(), 0.0F);
  return {shape, values};
}

std::vector<float> floats(const tensor::TensorView& view) {
  const auto values = view.as<float>().value();
  return {values.begin(), values.end()};
}

TEST(Layouts, PutsTheChannelsOfImagesLast) {
  const tensor::Tensor image = counted({1, 2, 2, 3});
  const NativeTensor native = batch_to_native(image.view());
  EXPECT_THAT(native.view().shape, ElementsAre(1, 2, 3, 2));
  EXPECT_THAT(floats(native.view()), ElementsAre(0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11));
  const tensor::Tensor back = batch_to_canonical(native);
  EXPECT_EQ(back.shape(), image.shape());
  EXPECT_EQ(floats(back.view()), floats(image.view()));
}

TEST(Layouts, LeavesSequencesAndIntegersAsTheyAre) {
  const tensor::Tensor sequence = counted({2, 3, 4});
  EXPECT_EQ(floats(batch_to_native(sequence.view()).view()), floats(sequence.view()));
  const tensor::Tensor tokens({2, 2}, std::vector<int64_t>{3, 1, 4, 1});
  const tensor::Tensor back = batch_to_canonical(batch_to_native(tokens.view()));
  EXPECT_EQ(back.dtype(), tensor::DType::kI64);
  EXPECT_THAT(back.view().as<int64_t>().value(), ElementsAre(3, 1, 4, 1));
}

TEST(Layouts, LeavesTheOneChannelOfGreyImagesWhereItIs) {
  const tensor::Tensor image = counted({2, 1, 2, 3});
  const NativeTensor native = batch_to_native(image.view());
  EXPECT_THAT(native.view().shape, ElementsAre(2, 2, 3, 1));
  EXPECT_EQ(floats(native.view()), floats(image.view()));
  EXPECT_EQ(batch_to_canonical(native).shape(), image.shape());
}

TEST(Layouts, TakesABatchOfNothing) {
  const tensor::Tensor none = counted({0, 2, 3, 3});
  EXPECT_THAT(floats(batch_to_native(none.view()).view()), IsEmpty());
}

TEST(Layouts, TurnsKernelsToHwioAndMatricesToInOut) {
  const model::Model model = parse_layers(
      R"({ name = "conv", type = "conv2d", out = 3, kernel = [1, 2], stride = 1, pads = "valid", bias = true },
         { name = "flatten", type = "flatten" },
         { name = "fc", type = "linear", out = 2, bias = true })",
      "image = { shape = [2, 1, 2] }");
  const auto axes = parameter_axes(model);
  ASSERT_EQ(axes.size(), 4U);
  const tensor::Tensor kernel = counted({3, 2, 1, 2});
  const NativeTensor hwio = to_native(kernel.view(), axes[0]);
  EXPECT_THAT(hwio.view().shape, ElementsAre(1, 2, 2, 3));
  EXPECT_THAT(floats(hwio.view()), ElementsAre(0, 4, 8, 2, 6, 10, 1, 5, 9, 3, 7, 11));
  EXPECT_EQ(floats(to_canonical(hwio.view(), axes[0]).view()), floats(kernel.view()));
  EXPECT_THAT(axes[1], ElementsAre(0));
  const tensor::Tensor matrix = counted({2, 3});
  EXPECT_THAT(floats(to_native(matrix.view(), axes[2]).view()), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(Layouts, LeavesEmbeddingsAsTheyAre) {
  const model::Model model = parse_layers(
      R"({ name = "words", type = "embedding", kind = "token", entries = 5, width = 3 },
         { name = "last", type = "select_last" })",
      "tokens = { shape = [4], entries = 5 }");
  EXPECT_THAT(parameter_axes(model), ElementsAre(ElementsAre(0, 1)));
}

}  // namespace
}  // namespace crossbind::worker
