#include "model/shape_inference.h"

#include "testing/testing.h"

namespace crossbind::model {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

LayerInput floats(Shape shape) {
  return {std::move(shape), 0, false};
}

struct Case {
  std::string what;
  Layer layer;
  Shape in;
  Shape out;
};

TEST(ShapeInference, GivesTheOutputOfEveryLayer) {
  const std::vector<Case> cases = {
      {"stride that does not divide", Conv2d{0, 6, {3, 3}, {2, 2}, {}}, {3, 8, 9}, {6, 3, 4}},
      {"uneven pads", Conv2d{0, 6, {3, 5}, {1, 1}, {1, 2, 0, 3}}, {3, 8, 8}, {6, 7, 9}},
      {"kernel as large as the input", Conv2d{0, 120, {5, 5}, {1, 1}, {}}, {16, 5, 5}, {120, 1, 1}},
      {"max pool drops the rest", MaxPool2d{{2, 2}, {2, 2}, {}}, {4, 7, 7}, {4, 3, 3}},
      {"average pool", AvgPool2d{{3, 3}, {2, 2}, {1, 1, 1, 1}}, {4, 7, 8}, {4, 4, 4}},
      {"stride wider than the kernel", MaxPool2d{{1, 1}, {3, 3}, {}}, {4, 7, 8}, {4, 3, 3}},
      {"global average pool", GlobalAvgPool{}, {64, 8, 8}, {64}},
      {"linear on features", Linear{0, 10, true}, {84}, {10}},
      {"linear on steps", Linear{0, 2, true}, {384, 768}, {384, 2}},
      {"flatten", Flatten{}, {12, 5, 5}, {300}},
      {"tanh", Tanh{}, {3, 4, 5}, {3, 4, 5}},
      {"relu", Relu{}, {7}, {7}},
      {"sigmoid", Sigmoid{}, {7}, {7}},
      {"gelu", Gelu{}, {7, 2}, {7, 2}},
      {"softmax", Softmax{}, {7, 2}, {7, 2}},
      {"dropout", Dropout{0.5}, {7, 2}, {7, 2}},
      {"batch norm of channels", BatchNorm{}, {8, 4, 4}, {8, 4, 4}},
      {"batch norm of features", BatchNorm{}, {8}, {8}},
      {"layer norm", LayerNorm{}, {9, 8}, {9, 8}},
      {"position embedding of steps", Embedding{EmbeddingKind::kPosition, 9, 4}, {9, 3}, {9, 4}},
      {"lstm", Lstm{0, 5}, {20, 3}, {20, 5}},
      {"gru", Gru{0, 5}, {20, 3}, {20, 5}},
      {"pad", Pad{{1, 2, 3, 4}, 0}, {1, 28, 28}, {1, 32, 34}},
      {"attention", SelfAttention{0, 4}, {20, 8}, {20, 8}},
      {"last step", SelectLast{}, {20, 8}, {8}},
  };
  for (auto [what, layer, in, out] : cases) {
    SCOPED_TRACE(what);
    const auto shape = infer_shape(layer, false, {floats(in)});
    ASSERT_THAT(shape, is_ok());
    EXPECT_EQ(*shape, out);
  }
}

struct Same {
  int64_t in;
  int64_t kernel;
  int64_t stride;
  int64_t before;
  int64_t after;
  int64_t out;
};

// By hand from total = max((ceil(in / stride) - 1) * stride + kernel - in, 0).
TEST(ShapeInference, ResolvesSamePadsWithTheOddOneBehind) {
  const std::vector<Same> cases = {
      {32, 3, 1, 1, 1, 32},
      {32, 3, 2, 0, 1, 16},
      {33, 3, 2, 1, 1, 17},
      {32, 1, 2, 0, 0, 16},
      {7, 5, 2, 2, 2, 4},
      {8, 5, 2, 1, 2, 4},
      {28, 2, 1, 0, 1, 28},
      {7, 2, 2, 0, 1, 4},
      {5, 4, 3, 1, 1, 2},
      {2, 7, 1, 3, 3, 2},
  };
  for (const auto& same : cases) {
    SCOPED_TRACE(fmt::format("in {} kernel {} stride {}", same.in, same.kernel, same.stride));
    Layer rows = Conv2d{0, 4, {same.kernel, 1}, {same.stride, 1}, {}, true};
    EXPECT_EQ(infer_shape(rows, true, {floats({3, same.in, 9})}).value(), (Shape{4, same.out, 9}));
    EXPECT_EQ(std::get<Conv2d>(rows).pads, (Pads{same.before, 0, same.after, 0}));
    Layer columns = MaxPool2d{{1, same.kernel}, {1, same.stride}, {}};
    EXPECT_EQ(infer_shape(columns, true, {floats({3, 9, same.in})}).value(),
              (Shape{3, 9, same.out}));
    EXPECT_EQ(std::get<MaxPool2d>(columns).pads, (Pads{0, same.before, 0, same.after}));
  }
}

TEST(ShapeInference, FillsInTheSizesThatTheInputGives) {
  Layer conv = Conv2d{0, 4, {3, 3}, {1, 1}, {}, true};
  ASSERT_THAT(infer_shape(conv, false, {floats({3, 8, 8})}), is_ok());
  EXPECT_EQ(std::get<Conv2d>(conv).in_channels, 3);
  Layer linear = Linear{0, 4, true};
  ASSERT_THAT(infer_shape(linear, false, {floats({9, 84})}), is_ok());
  EXPECT_EQ(std::get<Linear>(linear).in_features, 84);
  Layer norm = BatchNorm{};
  ASSERT_THAT(infer_shape(norm, false, {floats({16, 5, 6})}), is_ok());
  EXPECT_EQ(std::get<BatchNorm>(norm).features, 16);
  Layer layer_norm = LayerNorm{};
  ASSERT_THAT(infer_shape(layer_norm, false, {floats({16, 6})}), is_ok());
  EXPECT_EQ(std::get<LayerNorm>(layer_norm).features, 6);
  Layer lstm = Lstm{0, 5};
  ASSERT_THAT(infer_shape(lstm, false, {floats({20, 3})}), is_ok());
  EXPECT_EQ(std::get<Lstm>(lstm).in_features, 3);
}

TEST(ShapeInference, LooksUpIntegersInTokenAndSegmentEmbeddingsOnly) {
  const LayerInput tokens = {{20}, 100, true};
  Layer token = Embedding{EmbeddingKind::kToken, 100, 8};
  EXPECT_EQ(infer_shape(token, false, {tokens}).value(), (Shape{20, 8}));
  EXPECT_THAT(infer_shape(token, false, {floats({20})}), fails_with(HasSubstr("integer input")));
  Layer position = Embedding{EmbeddingKind::kPosition, 20, 8};
  EXPECT_EQ(infer_shape(position, false, {tokens}).value(), (Shape{20, 8}));
  for (Layer layer : {Layer(Relu{}), Layer(Linear{0, 3, true}), Layer(Flatten{})}) {
    EXPECT_THAT(infer_shape(layer, false, {tokens}), fails_with(HasSubstr("expected floats")));
  }
}

TEST(ShapeInference, TakesTheMaskOfAnAttentionFromTheModelsInputs) {
  Layer attention = SelfAttention{0, 2};
  const LayerInput integers = {{20}, 2, true};
  ASSERT_THAT(infer_shape(attention, false, {floats({20, 8}), integers}), is_ok());
  EXPECT_TRUE(std::get<SelfAttention>(attention).masked);
  EXPECT_EQ(std::get<SelfAttention>(attention).width, 8);
  const LayerInput numbers = {{20}, 0, true};
  EXPECT_THAT(infer_shape(attention, false, {floats({20, 8}), numbers}), is_ok());
  EXPECT_THAT(infer_shape(attention, false, {floats({20, 8}), floats({20})}),
              fails_with(HasSubstr("expected a model input of shape [20]")));
  ASSERT_THAT(infer_shape(attention, false, {floats({20, 8})}), is_ok());
  EXPECT_FALSE(std::get<SelfAttention>(attention).masked);
}

TEST(ShapeInference, RefusesInputsOfTheWrongRank) {
  const std::vector<std::pair<Layer, Shape>> cases = {
      {Conv2d{0, 4, {3, 3}, {1, 1}, {}}, {8, 8}},
      {MaxPool2d{{2, 2}, {2, 2}, {}}, {8}},
      {AvgPool2d{{2, 2}, {2, 2}, {}}, {8, 8}},
      {GlobalAvgPool{}, {8}},
      {Pad{}, {8, 8}},
      {BatchNorm{}, {8, 8}},
      {Lstm{0, 4}, {8}},
      {Gru{0, 4}, {3, 8, 8}},
      {SelectLast{}, {8}},
      {SelfAttention{0, 1}, {8}},
      {Embedding{EmbeddingKind::kPosition, 9, 9}, {3, 3, 3}},
  };
  for (auto [layer, in] : cases) {
    SCOPED_TRACE(type_name(layer));
    EXPECT_THAT(infer_shape(layer, false, {floats(in)}),
                fails_with(HasSubstr("its input has the shape " + tensor::to_string(in))));
  }
}

}  // namespace
}  // namespace crossbind::model
