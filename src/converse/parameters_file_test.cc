#include "converse/parameters_file.h"

#include <limits>

#include "model/initial_weights.h"
#include "tensor/safetensors.h"
#include "testing/testing.h"

namespace crossbind::converse {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

class ParametersFileTest : public testing::ScratchTest {
 protected:
  ParametersFileTest()
      : model_(model::find_model("lenet1", testing::source_path("models"), model::Geometry::kFull)
                   .value()),
        tensors_(model::initial_weights(model_, 1)) {}

  [[nodiscard]] Result<std::string> hash(const tensor::TensorMap& tensors) const {
    EXPECT_THAT(tensor::save_safetensors(scratch("saved"), tensors, {}), is_ok());
    return hash_parameters(scratch("saved"), model_);
  }

  model::Model model_;
  tensor::TensorMap tensors_;
};

TEST_F(ParametersFileTest, TheHashIsOfTheValuesAlone) {
  const std::string hashed = hash(tensors_).value();
  // Written backwards, with metadata and with something nobody asked for.
  std::vector<tensor::SafetensorsWriter::Entry> entries{{"extra", tensor::DType::kF32, {1}}};
  for (auto tensor = tensors_.rbegin(); tensor != tensors_.rend(); ++tensor) {
    entries.push_back({tensor->first, tensor::DType::kF32, tensor->second.view().shape});
  }
  auto writer =
      tensor::SafetensorsWriter::create(scratch("backwards"), entries, {{"by", "somebody"}})
          .value();
  const std::vector<float> extra{1};
  ASSERT_THAT(writer.append(std::span<const float>(extra)), is_ok());
  for (auto tensor = tensors_.rbegin(); tensor != tensors_.rend(); ++tensor) {
    ASSERT_THAT(writer.append(tensor->second.view().bytes), is_ok());
  }
  ASSERT_THAT(writer.finish(), is_ok());
  EXPECT_EQ(hash_parameters(scratch("backwards"), model_).value(), hashed);
  EXPECT_NE(hash(model::initial_weights(model_, 2)).value(), hashed);
}

TEST_F(ParametersFileTest, WhatIsWrongIsNamed) {
  EXPECT_THAT(hash_parameters(scratch("nothing"), model_), fails_with(HasSubstr("nothing")));
  tensor::TensorMap missing = tensors_;
  missing.erase("fc.bias");
  EXPECT_THAT(hash(missing), fails_with(HasSubstr("fc.bias")));
  tensor::TensorMap reshaped = tensors_;
  reshaped.insert_or_assign("fc.bias", tensor::Tensor({2, 5}, std::vector<float>(10)));
  EXPECT_THAT(hash(reshaped), fails_with(HasSubstr("'fc.bias' is [2, 5], expected [10]")));
  tensor::TensorMap of_another_type = tensors_;
  of_another_type.insert_or_assign("fc.bias", tensor::Tensor({10}, std::vector<double>(10)));
  EXPECT_THAT(hash(of_another_type), fails_with(HasSubstr("fc.bias")));
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    tensor::TensorMap not_finite = tensors_;
    std::vector<float> values(10);
    values[9] = bad;
    not_finite.insert_or_assign("fc.bias", tensor::Tensor({10}, values));
    EXPECT_THAT(hash(not_finite), fails_with(HasSubstr("'fc.bias' is not finite")));
  }
}

TEST_F(ParametersFileTest, OutputsHaveTheShapeOfAllSamples) {
  const auto save = [&](const tensor::Shape& shape, size_t count) {
    tensor::TensorMap tensors;
    tensors.emplace("outputs", tensor::Tensor(shape, std::vector<float>(count)));
    EXPECT_THAT(tensor::save_safetensors(scratch("outputs"), tensors, {}), is_ok());
    return hash_outputs(scratch("outputs"), model_, 3);
  };
  EXPECT_THAT(save({3, 10}, 30), is_ok());
  EXPECT_THAT(save({2, 10}, 20), fails_with(HasSubstr("'outputs' is [2, 10], expected [3, 10]")));
}

}  // namespace
}  // namespace crossbind::converse
