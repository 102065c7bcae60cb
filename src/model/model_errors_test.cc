// Wrong model files: each is a right one with one thing replaced, and must be refused with the
// line, the key and what was expected.
#include "model/model.h"
#include "testing/testing.h"

namespace crossbind::model {
namespace {

using ::testing::AllOf;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::StartsWith;

constexpr std::string_view kImages = R"(id = "mine"
title = "A model"
dataset = "mnist"
loss = "cross_entropy"
init = "fan_in_uniform"
batch = 32
layers = [
  { name = "conv1", type = "conv2d", out = "$width", kernel = 5, stride = 1, pads = "valid", bias = true },
  { name = "bn1", type = "batchnorm", epsilon = 1e-5, momentum = 0.1, running_variance = "unbiased" },
  { name = "pool1", type = "avg_pool2d", kernel = 2, stride = 2, pads = 0, count_padding = false },
  { repeat = 2, name = "block.{i}", layers = [
    { name = "conv", type = "conv2d", out = "$width", kernel = 3, stride = 1, pads = "same", bias = false },
    { name = "sum", type = "add", from = ["conv", "@input"] },
  ] },
  { name = "pool2", type = "global_avg_pool" },
  { name = "drop", type = "dropout", rate = 0.5 },
  { name = "fc", type = "linear", out = 10, bias = true },
]
[inputs]
image = { shape = [1, 28, 28] }
[sizes]
width = 8
[optimizer]
type = "sgd"
rate = 0.05
momentum = 0.9
weight_decay = { value = 1e-4, form = "coupled", applies_to = "all" }
[conform]
batch = 8
[conform.sizes]
width = 4
)";

constexpr std::string_view kTokens = R"(id = "mine"
title = "A model"
dataset = "imdb"
loss = "span_cross_entropy"
init = "normal"
batch = 32
layers = [
  { name = "word", type = "embedding", kind = "token", entries = 100, width = 12, padding_index = 0, from = "tokens" },
  { name = "place", type = "embedding", kind = "position", entries = 20, width = 12, from = "tokens" },
  { name = "sum", type = "add", from = ["word", "place"] },
  { name = "attention", type = "self_attention", heads = 3, from = ["sum", "mask"] },
  { name = "norm", type = "layernorm", epsilon = 1e-12 },
  { name = "lstm", type = "lstm", hidden = 5, biases = 2, recurrent_activation = "sigmoid", forget_bias = 1.0 },
  { name = "gru", type = "gru", hidden = 6, biases = 1, reset_after = false, recurrent_activation = "hard_sigmoid" },
  { name = "span", type = "linear", out = 2, bias = true },
]
[inputs]
tokens = { shape = [20], entries = 100 }
mask = { shape = [20] }
[optimizer]
type = "adam"
rate = 1e-3
beta1 = 0.9
beta2 = 0.999
epsilon = 1e-8
epsilon_form = "outside"
)";

struct Wrong {
  std::string_view base;
  std::string_view replaced;
  std::string_view by;
  int line;
  std::string_view message;
};

const std::vector<Wrong> kWrong = {
    // Syntax and the outermost keys.
    {kImages, "batch = 32", "batch = ", 6, "is not TOML"},
    {kImages, "batch = 32", "batch = 32\nbatch = 33", 7, "is not TOML"},
    {kImages, "id = \"mine\"", "id = \"\"", 1, "'id' is \"\", expected a string that is not empty"},
    {kImages, "id = \"mine\"", "id = \"my model\"", 1, "'id' is \"my model\", expected letters"},
    {kImages, "title = \"A model\"\n", "", 1, "'title' is missing, expected a string"},
    {kImages, "title = ", "tittle = ", 2, "unknown key \"tittle\", expected one of: id, title"},
    {kImages, "title = ", "tittle = ", 2, "Did you mean 'title'?"},
    {kImages, "\"cross_entropy\"", "\"crossentropy\"", 4, "Did you mean 'cross_entropy'?"},
    {kImages, "\"cross_entropy\"", "3", 4, "'loss' is 3, expected one of \"cross_entropy\""},
    {kImages, "fan_in_uniform", "xavier", 5, "'init' is \"xavier\", expected one of"},
    {kImages, "batch = 32", "batch = 0", 6, "'batch' is 0, expected an integer from 1"},
    {kImages, "batch = 32", "batch = 2.5", 6, "'batch' is 2.5, expected an integer"},
    {kImages, "batch = 32", "batch = 1979-05-27", 6, "'batch' is a date or time, expected"},
    {kTokens, "batch = 32", "batch = 32\nsizes = 3", 7, "'sizes' is 3, expected a table"},
    // Layers.
    {kImages,
     "\"conv2d\", out = \"$width\", kernel = 5",
     "\"conv\", out = 3, kernel = 5",
     8,
     "layer 'conv1': 'type' is \"conv\", expected one of \"conv2d\""},
    {kImages,
     "\"global_avg_pool\"",
     "\"global_average_pool\"",
     15,
     "Did you mean 'global_avg_pool'?"},
    {kImages, "kernel = 5", "kernal = 5", 8, "layer 'conv1': unknown key \"kernal\""},
    {kImages, "kernel = 5", "kernal = 5", 8, "Did you mean 'kernel'?"},
    {kImages, "kernel = 5, ", "", 8, "layer 'conv1': 'kernel' is missing, expected an integer"},
    {kImages,
     "kernel = 5",
     "kernel = \"5\"",
     8,
     "'kernel' is \"5\", expected an integer of at least 1"},
    {kImages, "kernel = 5", "kernel = [5]", 8, "'kernel' is an array of 1, expected"},
    {kImages, "kernel = 5", "kernel = 29", 8, "'kernel' is [29, 29], expected one that fits"},
    {kImages, "kernel = 5, stride = 1", "kernel = 5, stride = 0", 8, "'stride' is 0, expected"},
    {kImages, "pads = \"valid\"", "pads = \"full\"", 8, "'pads' is \"full\", expected an integer"},
    {kImages, "pads = \"valid\"", "pads = [0, -1, 0, 0]", 8, "'pads' is -1, expected an integer"},
    {kImages, ", pads = \"valid\"", "", 8, "'pads' is missing, expected an integer of at least 0"},
    {kImages,
     ", bias = true },\n  { name = \"bn1",
     " },\n  { name = \"bn1",
     8,
     "'bias' is missing"},
    {kImages,
     "bias = false",
     "bias = 0",
     12,
     "layer 'block.0.conv': 'bias' is 0, expected true or false"},
    {kImages, "\"$width\", kernel = 5", "\"$widht\", kernel = 5", 8, "Did you mean '$width'?"},
    {kImages,
     "\"$width\", kernel = 5",
     "2147483649, kernel = 5",
     8,
     "'out' is 2147483649, expected"},
    {kImages, ", running_variance = \"unbiased\"", "", 9, "'running_variance' is missing"},
    {kImages, "momentum = 0.1", "momentum = 1.5", 9, "'momentum' is 1.5, expected a number from 0"},
    {kImages, "epsilon = 1e-5", "epsilon = 0", 9, "'epsilon' is 0, expected a number above 0"},
    {kImages, "epsilon = 1e-5", "epsilon = inf", 9, "'epsilon' is inf, expected"},
    {kImages, ", count_padding = false", "", 10, "'count_padding' is missing"},
    {kImages, "pads = 0", "pads = 2", 10, "'pads' reach the size of 'kernel', expected smaller"},
    {kImages,
     "rate = 0.5",
     "rate = 1.0",
     16,
     "'rate' is 1, expected a number of at least 0 and below 1"},
    {kImages, "name = \"drop\", ", "", 16, "layer: 'name' is missing"},
    {kImages, "\"drop\"", "\"drop out\"", 16, "'name' is \"drop out\", expected letters"},
    {kImages,
     "\"drop\"",
     "\"pool2\"",
     16,
     "'name' is 'pool2', which an earlier layer or input has"},
    {kImages,
     "\"drop\"",
     "\"image\"",
     16,
     "'name' is 'image', which an earlier layer or input has"},
    {kImages,
     "type = \"dropout\", rate = 0.5",
     "type = \"relu\", init = \"normal\"",
     16,
     "layer 'drop': unknown key \"init\""},
    {kImages,
     "{ name = \"pool2\", type = \"global_avg_pool\" }",
     "3",
     15,
     "'layers' holds something"},
    // Inputs of layers.
    {kImages,
     "from = [\"conv\", \"@input\"]",
     "from = \"conv\"",
     13,
     "'from' names 1, expected two"},
    {kImages, "[\"conv\", \"@input\"]", "[\"convv\", \"@input\"]", 13, "Did you mean 'conv'?"},
    {kImages,
     "[\"conv\", \"@input\"]",
     "[\"conv\", \"fc\"]",
     13,
     "'from' is \"fc\", expected the name of"},
    {kImages, "[\"conv\", \"@input\"]", "[\"conv\", \"image\"]", 13, "expected equal ones"},
    {kImages,
     "[\"conv\", \"@input\"]",
     "[\"conv\", 3]",
     13,
     "'from' is an array of 2, expected a name"},
    {kImages, "[\"conv\", \"@input\"]", "[]", 13, "'from' is an array of 0, expected a name"},
    {kImages,
     "rate = 0.5",
     "rate = 0.5, from = \"@input\"",
     16,
     "'from' is \"@input\", expected that"},
    {kImages,
     "rate = 0.5",
     "rate = 0.5, from = \"pool1\"",
     15,
     "layer 'pool2' is read by no other"},
    {kImages, "\"global_avg_pool\"", "\"select_last\"", 15, "expected [length, features]"},
    {kImages,
     "\"global_avg_pool\"",
     "\"relu\"",
     4,
     "'loss' is \"cross_entropy\", expected an output of [classes]"},
    // Blocks.
    {kImages, "repeat = 2", "repeat = 0", 11, "block 'block.{i}': 'repeat' is 0, expected"},
    {kImages, "repeat = 2", "repeat = 6000", 13, "is one layer too many, expected at most 10000"},
    {kImages, "block.{i}", "block", 11, "expected a name with {i} in it"},
    {kImages, "block.{i}", "block.{j}", 11, "expected letters, digits"},
    {kImages, "repeat = 2", "times = 2", 11, "unknown key \"times\""},
    {kImages, "layers = [\n    {", "layers = 3, [\n    {", 11, "is not TOML"},
    // The other tables.
    {kImages,
     "shape = [1, 28, 28]",
     "shape = [1, 28, 28, 1]",
     20,
     "'shape' is an array of 4, expected"},
    {kImages, "shape = [1, 28, 28]", "shape = [1, 0, 28]", 20, "'shape' is 0, expected"},
    {kImages,
     "shape = [1, 28, 28]",
     "shap = [1, 28, 28]",
     20,
     "input 'image': unknown key \"shap\""},
    {kImages, "{ shape = [1, 28, 28] }", "3", 20, "input 'image': expected a name and a table"},
    {kImages, "image = { shape = [1, 28, 28] }", "", 19, "[inputs] is empty"},
    {kImages,
     "[1, 28, 28] }",
     "[1, 28, 28] }\nmask = { shape = [3] }",
     8,
     "'from' is missing, expected it"},
    {kImages,
     "[1, 28, 28] }",
     "[1, 28, 28], entries = 9 }",
     8,
     "its input holds integers, expected"},
    {kImages, "width = 8", "width = \"8\"", 22, "[sizes]: 'width' is \"8\", expected an integer"},
    {kImages,
     "[sizes]\nwidth = 8",
     "",
     30,
     "[conform.sizes]: unknown key \"width\", expected none"},
    {kImages, "width = 4", "widht = 4", 31, "[conform.sizes]: unknown key \"widht\""},
    {kImages, "batch = 8", "batches = 8", 29, "[conform]: unknown key \"batches\""},
    {kImages, "\"sgd\"", "\"rmsprop\"", 24, "[optimizer]: 'type' is \"rmsprop\", expected one of"},
    {kImages, "momentum = 0.9\n", "", 23, "[optimizer]: 'momentum' is missing"},
    {kImages, "rate = 0.05", "rate = -1", 25, "'rate' is -1, expected a number above 0"},
    {kImages, "momentum = 0.9", "momentum = 0.9\nbeta1 = 0.9", 27, "unknown key \"beta1\""},
    {kImages, "\"coupled\"", "\"l2\"", 27, "'weight_decay': 'form' is \"l2\", expected one of"},
    {kImages, ", applies_to = \"all\"", "", 27, "'weight_decay': 'applies_to' is missing"},
    // Sequences.
    {kTokens, "kind = \"token\", ", "", 8, "layer 'word': 'kind' is missing"},
    {kTokens,
     "entries = 100, width",
     "entries = 99, width",
     8,
     "'entries' is 99, expected at least the 100"},
    {kTokens,
     "padding_index = 0",
     "padding_index = 100",
     8,
     "'padding_index' is 100, expected a row"},
    {kTokens, "entries = 20", "entries = 19", 9, "'entries' is 19, expected at least the 20 steps"},
    {kTokens,
     "\"tokens\" },\n  { name = \"place\"",
     "\"mask\" },\n  { name = \"place\"",
     8,
     "its input holds floats, expected an integer input"},
    {kTokens, "heads = 3", "heads = 5", 11, "'heads' is 5, expected a divisor of the width 12"},
    {kTokens,
     "[\"sum\", \"mask\"]",
     "[\"sum\", \"sum\"]",
     11,
     "its mask has the shape [20, 12], expected"},
    {kTokens, "[\"sum\", \"mask\"]", "\"sum\"", 17, "input 'mask' is read by no layer"},
    {kTokens,
     "mask = { shape = [20] }",
     "mask = { shape = [21] }",
     11,
     "its mask has the shape [21]"},
    {kTokens, "biases = 2", "biases = 3", 13, "layer 'lstm': 'biases' is 3, expected 1 or 2"},
    {kTokens, ", recurrent_activation = \"sigmoid\"", "", 13, "'recurrent_activation' is missing"},
    {kTokens,
     "forget_bias = 1.0",
     "forget_bias = nan",
     13,
     "'forget_bias' is nan, expected a finite"},
    {kTokens, ", reset_after = false", "", 14, "layer 'gru': 'reset_after' is missing"},
    {kTokens, "out = 2", "out = 3", 4, "gives [20, 3]"},
    {kTokens, "span_cross_entropy", "binary_cross_entropy", 4, "expected an output of [1]"},
    {kTokens, "\nepsilon_form = \"outside\"", "", 20, "'epsilon_form' is missing"},
    {kTokens,
     "beta2 = 0.999",
     "beta2 = 1",
     24,
     "'beta2' is 1, expected a number of at least 0 and below"},
};

std::string with(std::string_view base, std::string_view replaced, std::string_view by) {
  std::string text(base);
  const auto at = text.find(replaced);
  EXPECT_NE(at, std::string::npos) << "nothing to replace: " << replaced;
  return at == std::string::npos ? text : text.replace(at, replaced.size(), by);
}

Result<Model> parse(const std::string& text) {
  return parse_model(text, "mine.toml", Geometry::kFull);
}

TEST(ModelErrors, TheBasesThemselvesAreRight) {
  EXPECT_THAT(parse_model(kImages, "mine.toml", Geometry::kFull), is_ok());
  EXPECT_THAT(parse_model(kImages, "mine.toml", Geometry::kConform), is_ok());
  EXPECT_THAT(parse_model(kTokens, "mine.toml", Geometry::kFull), is_ok());
}

TEST(ModelErrors, NameFileLineKeyAndWhatWasExpected) {
  for (const auto& wrong : kWrong) {
    SCOPED_TRACE(std::string(wrong.replaced) + " -> " + std::string(wrong.by));
    const auto model = parse(with(wrong.base, wrong.replaced, wrong.by));
    ASSERT_FALSE(model);
    EXPECT_THAT(model.error().to_string(),
                AllOf(StartsWith(fmt::format("mine.toml:{}: ", wrong.line)),
                      HasSubstr(std::string(wrong.message))));
  }
}

TEST(ModelErrors, OfTheConformGeometryShowAtThatGeometry) {
  const std::string text = with(kTokens, "heads = 3", "heads = \"$heads\"") +
                           "[sizes]\nheads = 3\n[conform.sizes]\nheads = 7\n";
  EXPECT_THAT(parse_model(text, "mine.toml", Geometry::kFull), is_ok());
  EXPECT_THAT(parse_model(text, "mine.toml", Geometry::kConform),
              fails_with(HasSubstr("'heads' is 7, expected a divisor of the width 12")));
}

TEST(ModelErrors, AreGivenForFilesThatCannotBeRead) {
  EXPECT_THAT(load_model("/dev/null/mine.toml", Geometry::kFull),
              fails_with(HasSubstr("/dev/null/mine.toml")));
}

// Each level repeats the next: the number of layers grows as 2^31 to the depth.
std::string nested(size_t depth) {
  std::string layers = R"({ name = "relu", type = "relu" })";
  for (size_t i = 0; i < depth; ++i) {
    layers = fmt::format(R"({{ repeat = 2147483648, name = "b{{i}}", layers = [{}] }})", layers);
  }
  return with(kImages, R"({ name = "drop", type = "dropout", rate = 0.5 })", layers);
}

TEST(ModelErrors, StopHostileFilesBeforeTheyGrow) {
  EXPECT_THAT(parse(nested(8)), fails_with(HasSubstr("at most 10000")));
  EXPECT_THAT(parse(nested(9)), fails_with(HasSubstr("deeper than 8")));
  EXPECT_THAT(parse(with(kImages, "\"drop\"", fmt::format("\"{:a>251}\"", ""))),
              fails_with(HasSubstr("'name' has 251 characters, expected at most 250")));
}

TEST(ModelErrors, RefuseShapesAndParametersBeyondTheLimits) {
  EXPECT_THAT(parse(with(kImages, "width = 8", "width = 1000000")),
              fails_with(HasSubstr("'block.0.conv.weight' has the shape [1000000, 1000000, 3, 3], "
                                   "expected at most 2^40 parameters")));
  EXPECT_THAT(parse(with(kImages, "[1, 28, 28]", "[2147483648, 2147483648, 2147483648]")),
              fails_with(HasSubstr("'shape' has more than 2^63 elements")));
  EXPECT_THAT(parse(with(kImages, "pads = \"valid\"", "pads = [2147483648, 0, 0, 0]")),
              fails_with(HasSubstr("expected no dimension above 2147483648")));
}

}  // namespace
}  // namespace crossbind::model
