#include "converse/query_answer.h"

#include "tensor/safetensors.h"
#include "testing/testing.h"

namespace crossbind::converse {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

class QueryAnswerTest : public testing::ScratchTest {
 protected:
  QueryAnswerTest()
      : model_(
            model::find_model("lenet1", testing::source_path("models"), model::Geometry::kConform)
                .value()) {
    const auto& output = model_.nodes.back().output;
    add("outputs", {2, output.at(0)});
    const auto& image = model_.inputs.front();
    add(image.name + ".grad", {2, image.shape[0], image.shape[1], image.shape[2]});
  }

  void add(const std::string& name, const tensor::Shape& shape) {
    int64_t count = 1;
    for (const int64_t size : shape) {
      count *= size;
    }
    answer_.insert_or_assign(
        name, tensor::Tensor(shape, std::vector<float>(static_cast<size_t>(count), 0.5F)));
  }

  [[nodiscard]] Result<tensor::TensorMap> read(bool with_gradients) const {
    EXPECT_THAT(tensor::save_safetensors(scratch("answer"), answer_, {}), is_ok());
    return read_query_answer(scratch("answer"), model_, 2, with_gradients);
  }

  model::Model model_;
  tensor::TensorMap answer_;
};

TEST_F(QueryAnswerTest, HasOutputsAndWhereTheyAreWantedGradients) {
  EXPECT_THAT(read(true), is_ok());
  answer_.erase(model_.inputs.front().name + ".grad");
  EXPECT_THAT(read(false), is_ok());
  EXPECT_THAT(read(true), fails_with(HasSubstr(".grad' in the answer, came none")));
}

TEST_F(QueryAnswerTest, OfAnotherShapeIsRefused) {
  add("outputs", {3, model_.nodes.back().output.at(0)});
  EXPECT_THAT(read(false), fails_with(HasSubstr("expected 'outputs' as [2, ")));
}

TEST_F(QueryAnswerTest, ThatIsNotThereIsAnError) {
  EXPECT_THAT(read_query_answer(scratch("none"), model_, 2, false), fails_with(HasSubstr("none")));
}

}  // namespace
}  // namespace crossbind::converse
