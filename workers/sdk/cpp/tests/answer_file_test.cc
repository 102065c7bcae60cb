#include "crossbind_worker/answer_file.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tensor/safetensors.h"
#include "testing/testing.h"

namespace crossbind::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

tensor::TensorMap answer_of(const std::vector<float>& outputs) {
  tensor::TensorMap tensors;
  tensors.emplace("outputs", tensor::Tensor({static_cast<int64_t>(outputs.size())}, outputs));
  tensors.emplace("an \"image\".grad", tensor::Tensor({1, 2}, std::vector<float>{3, 4}));
  return tensors;
}

class AnswerFileTest : public testing::ScratchTest {
 protected:
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(scratch(""))) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }
};

TEST_F(AnswerFileTest, IsASafetensorsFileThatTakesTheOldOnesPlace) {
  for (const std::vector<float>& outputs :
       {std::vector<float>(1000, 7), std::vector<float>{1, 2}}) {
    ASSERT_THAT(write_answer(scratch("answer"), answer_of(outputs)), testing::is_ok());
    const auto file = tensor::load_safetensors(scratch("answer")).value();
    EXPECT_THAT(file, SizeIs(2));
    EXPECT_THAT(file.at("outputs").view().as<float>().value(),
                ::testing::ElementsAreArray(outputs));
    EXPECT_THAT(file.at("an \"image\".grad").shape(), ElementsAre(1, 2));
    EXPECT_THAT(file.at("an \"image\".grad").view().as<float>().value(), ElementsAre(3, 4));
  }
  EXPECT_THAT(files(), ElementsAre("answer"));
}

TEST_F(AnswerFileTest, LeavesNothingWhereItCannotWrite) {
  EXPECT_THAT(write_answer(scratch("none/answer"), answer_of({1})),
              testing::fails_with(HasSubstr("none/answer")));
  std::filesystem::create_directories(scratch("folder/answer"));
  EXPECT_THAT(write_answer(scratch("folder/answer"), answer_of({1})),
              testing::fails_with(HasSubstr("folder/answer")));
  EXPECT_THAT(files(), ElementsAre("folder"));
  EXPECT_TRUE(std::filesystem::is_directory(scratch("folder/answer")));
  EXPECT_FALSE(std::filesystem::exists(scratch("folder/.answer.unfinished")));
}

}  // namespace
}  // namespace crossbind::worker
