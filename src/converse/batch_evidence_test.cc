#include "converse/batch_evidence.h"

#include "base/digest.h"
#include "testing/testing.h"

namespace crossbind::converse {
namespace {

using testing::is_ok;

using Integers = std::vector<int64_t>;

std::string sha256_of(const Integers& values) {
  return sha256_hex(std::as_bytes(std::span(values)));
}

class BatchEvidenceTest : public testing::ScratchTest {
 protected:
  [[nodiscard]] Result<protocol::Batch> expected(model::Loss loss) const {
    const Integers pixels{0, 1, 10, 11, 20, 21};
    tensor::TensorMap tensors;
    tensors.emplace("train.pixels", tensor::Tensor({3, 2}, pixels));
    tensors.emplace("train.label", tensor::Tensor({3}, Integers{4, 5, 6}));
    tensors.emplace("train.start", tensor::Tensor({3}, Integers{7, 8, 9}));
    tensors.emplace("train.end", tensor::Tensor({3}, Integers{17, 18, 19}));
    EXPECT_THAT(tensor::save_safetensors(scratch("data"), tensors, {}), is_ok());
    CB_ASSIGN(const auto file, tensor::SafetensorsFile::open(scratch("data")));
    model::Model model;
    model.inputs.push_back({.name = "pixels", .shape = {2}});
    model.loss = loss;
    return expected_batch(file, model, Integers{2, 0});
  }
};

TEST_F(BatchEvidenceTest, IsOfTheSamplesInTheirOrder) {
  for (const auto loss : {model::Loss::kCrossEntropy, model::Loss::kBinaryCrossEntropy}) {
    const auto batch = expected(loss);
    ASSERT_THAT(batch, is_ok());
    EXPECT_EQ(batch->count, 2);
    EXPECT_EQ(batch->ids, (Integers{2, 0}));
    EXPECT_EQ(batch->inputs_sha256, sha256_of({20, 21, 0, 1}));
    EXPECT_EQ(batch->labels_sha256, sha256_of({6, 4}));
  }
}

TEST_F(BatchEvidenceTest, HasTheStartsOfSpansAndThenTheirEnds) {
  const auto batch = expected(model::Loss::kSpanCrossEntropy);
  ASSERT_THAT(batch, is_ok());
  EXPECT_EQ(batch->labels_sha256, sha256_of({9, 7, 19, 17}));
}

}  // namespace
}  // namespace crossbind::converse
