#include "conform/shrink.h"

#include "conform/made_up_case.h"
#include "conform/workbench.h"
#include "testing/testing.h"

namespace crossbind::conform {
namespace {

using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

template <typename Layer>
const Layer* find_layer(const Case& subject) {
  for (const auto& node : subject.model.nodes) {
    if (const auto* layer = std::get_if<Layer>(&node.layer)) {
      return layer;
    }
  }
  return nullptr;
}

std::vector<std::string> types_of(const Case& subject) {
  std::vector<std::string> types;
  for (const auto& node : subject.model.nodes) {
    types.emplace_back(model::type_name(node.layer));
  }
  return types;
}

// Whether a condition holds; every case that is asked for must be whole.
Diverges when(const std::function<bool(const Case&)>& condition) {
  return [condition](const Case& subject) -> Result<bool> {
    EXPECT_THAT(start_of(subject), is_ok());
    for (const auto& parameter : subject.model.parameters) {
      EXPECT_EQ(subject.state.at(parameter.name).shape(), parameter.shape);
    }
    return condition(subject);
  };
}

TEST(Shrink, LeavesTheLayerThatDivergesAtTheSmallestSizeThatDoes) {
  const auto diverges = when([](const Case& subject) {
    const auto* gru = find_layer<model::Gru>(subject);
    return gru != nullptr && gru->hidden >= 3;
  });
  const auto shrunk = shrink(made_up_case("gru"), "gru", diverges, {});
  ASSERT_THAT(shrunk, is_ok());
  EXPECT_TRUE(shrunk->is_minimal);
  EXPECT_THAT(types_of(shrunk->subject), ElementsAre("gru", "flatten", "linear"));
  EXPECT_EQ(find_layer<model::Gru>(shrunk->subject)->hidden, 3);
  EXPECT_EQ(shrunk->subject.model.batch, 1);
  EXPECT_EQ(shrunk->subject.model.inputs.front().shape, (tensor::Shape{1, 1}));
}

TEST(Shrink, FindsTheLayersThatMatterWithoutAHint) {
  const auto diverges = when([](const Case& subject) {
    const auto* norm = find_layer<model::BatchNorm>(subject);
    return norm != nullptr && find_layer<model::GlobalAvgPool>(subject) != nullptr &&
           norm->features >= 2 && subject.model.batch >= 3;
  });
  const auto shrunk = shrink(made_up_case("resnet20"), "", diverges, {});
  ASSERT_THAT(shrunk, is_ok());
  EXPECT_TRUE(shrunk->is_minimal);
  EXPECT_THAT(types_of(shrunk->subject), ElementsAre("batchnorm", "global_avg_pool"));
  EXPECT_EQ(shrunk->subject.model.batch, 3);
  EXPECT_EQ(shrunk->subject.model.inputs.front().shape, (tensor::Shape{2, 1, 1}));
}

TEST(Shrink, KeepsBothInputsOfASum) {
  const auto shrunk =
      shrink(made_up_case("resnet20"),
             "stage1.0.add",
             when([](const Case& subject) { return find_layer<model::Add>(subject) != nullptr; }),
             {});
  ASSERT_THAT(shrunk, is_ok());
  EXPECT_THAT(types_of(shrunk->subject), ElementsAre("add", "flatten"));
  EXPECT_EQ(shrunk->subject.model.inputs.size(), 2);
}

TEST(Shrink, MakesAClassifierOfASpanModelWhereTheSpanDoesNotMatter) {
  const auto shrunk =
      shrink(made_up_case("bert-base"),
             "encoder.1.attention",
             when([](const Case& subject) {
               const auto* attention = find_layer<model::SelfAttention>(subject);
               return attention != nullptr && attention->masked && attention->heads >= 2;
             }),
             {});
  ASSERT_THAT(shrunk, is_ok());
  EXPECT_THAT(types_of(shrunk->subject), ElementsAre("self_attention", "flatten"));
  EXPECT_EQ(find_layer<model::SelfAttention>(shrunk->subject)->heads, 2);
  EXPECT_EQ(shrunk->subject.model.loss, model::Loss::kCrossEntropy);
}

TEST(Shrink, EndsWhenItsAttemptsAreUsedUp) {
  int last = 0;
  const auto shrunk = shrink(
      made_up_case("lenet5"),
      "",
      when([](const Case&) { return false; }),
      [&last](const Try& attempt) {
        last = attempt.number;
        EXPECT_FALSE(attempt.words.empty());
      },
      7);
  ASSERT_THAT(shrunk, is_ok());
  EXPECT_FALSE(shrunk->is_minimal);
  EXPECT_EQ(shrunk->attempts, 7);
  EXPECT_EQ(last, 7);
}

TEST(Shrink, FailsWhenTheBindingCannotBeRunAnyMore) {
  const auto shrunk =
      shrink(made_up_case("lenet5"),
             "",
             [](const Case&) -> Result<bool> { return fail(ErrorKind::kIo, "no worker"); },
             {});
  EXPECT_THAT(shrunk, fails_with(HasSubstr("no worker")));
}

TEST(Shrink, KeepsARealDivergence) {
  // A worker whose GRU resets before the product.
  const Diverges diverges = [](const Case& subject) -> Result<bool> {
    CB_ASSIGN(const auto start, start_of(subject));
    Work work{subject.model, start.state, start.batch, start.number, start.trains};
    for (auto& node : work.model.nodes) {
      if (auto* gru = std::get_if<model::Gru>(&node.layer)) {
        gru->reset_after = false;
      }
    }
    auto step = recorded(work);
    return !first_divergence(subject.model, step).tensor.empty();
  };
  const auto shrunk = shrink(made_up_case("gru"), "gru", diverges, {});
  ASSERT_THAT(shrunk, is_ok());
  EXPECT_THAT(types_of(shrunk->subject), ElementsAre("gru", "flatten"));
  EXPECT_EQ(find_layer<model::Gru>(shrunk->subject)->hidden, 1);
  EXPECT_EQ(diverges(shrunk->subject), true);
}

}  // namespace
}  // namespace crossbind::conform
