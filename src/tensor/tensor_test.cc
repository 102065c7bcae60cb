#include "tensor/tensor.h"

#include "testing/testing.h"

namespace crossbind::tensor {
namespace {

using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;

TEST(Tensor, KeepsItsElementsAndShape) {
  const Tensor tensor({2, 2}, std::vector<float>{1, 2, 3, 4});
  EXPECT_EQ(tensor.dtype(), DType::kF32);
  EXPECT_THAT(tensor.view().as<float>().value(), ElementsAre(1, 2, 3, 4));
}

TEST(Tensor, RefusesToBeReadAsAnotherType) {
  const Tensor tensor({1}, std::vector<int64_t>{7});
  EXPECT_THAT(tensor.view().as<float>(), fails_with("holds I64, not F32"));
}

TEST(Shape, CountsAndRefusesWhatOverflows) {
  EXPECT_EQ(element_count({}).value(), 1);
  EXPECT_EQ(element_count({3, 0, 5}).value(), 0);
  EXPECT_EQ(element_count({128, 3, 32, 32}).value(), 393216);
  EXPECT_THAT(element_count({int64_t{1} << 40, int64_t{1} << 40}),
              fails_with(HasSubstr("more elements")));
  EXPECT_THAT(element_count({2, -1}), fails_with(HasSubstr("negative")));
}

TEST(DType, NamesRoundTrip) {
  for (const auto* name : {"BOOL",
                           "U8",
                           "I8",
                           "U16",
                           "I16",
                           "F16",
                           "BF16",
                           "U32",
                           "I32",
                           "F32",
                           "U64",
                           "I64",
                           "F64"}) {
    EXPECT_EQ(name_of(dtype_from(name).value()), name);
  }
  EXPECT_THAT(dtype_from("F8"), fails_with(HasSubstr("'F8'")));
}

}  // namespace
}  // namespace crossbind::tensor
