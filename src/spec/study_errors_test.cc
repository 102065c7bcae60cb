// Every kind of wrong study: the error names the file, the line, the key and what was expected.
#include <string_view>
#include <vector>

#include "spec/parsed.h"
#include "spec/study.h"
#include "testing/testing.h"

namespace crossbind::spec {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::StartsWith;

constexpr std::string_view kStudy = R"(name = "mine"
title = "A study"
bindings = ["reference/*", "pytorch/rust"]
except = [{ binding = "reference/python", model = "vgg*" }]
seeds = [1, 2]
devices = ["cpu"]
tasks = ["train", "infer-parameters"]
loaders = ["resident", "idiomatic"]
variants = ["step"]
measures = ["total", "parts"]
repeats = 2
shuffle_seed = 3
[training]
epochs = 3
batch_size = 64
training_accuracy = "running"
evaluate = "last"
optimizer = { type = "sgd", rate = 0.1, momentum = 0.0 }
[inference]
weights = "reference/cpp"
[run]
threads = 1
warmup_steps = 0
time_limit_s = 300
memory_limit_mib = 2048
[[models]]
model = "lenet5"
dataset = "glyphs-2000-500"
geometry = "full"
train_samples = 2000
test_samples = 500
[[models]]
model = "lenet1"
)";

struct Wrong {
  std::string_view replaced;
  std::string_view by;
  int line;
  std::string_view message;
};

const std::vector<Wrong> kWrong = {
    // Syntax and the outermost keys.
    {"repeats = 2", "repeats = ", 11, "is not TOML"},
    {"name = \"mine\"", "name = \"my study\"", 1, "'name' is \"my study\", expected letters"},
    {"title = \"A study\"\n", "", 1, "'title' is missing, expected a string"},
    {"title = ", "tilte = ", 2, "Did you mean 'title'?"},
    {"repeats = 2", "repeats = 0", 11, "'repeats' is 0, expected an integer from 1"},
    {"repeats = 2", "repeats = \"2\"", 11, "expected an integer from 1 to 2147483648"},
    {"shuffle_seed = 3", "shuffle_seed = -1", 12, "'shuffle_seed' is wrong, expected one of the"},
    {"[run]", "[runs]", 21, "unknown key \"runs\""},
    // The axes.
    {"bindings = [\"reference/*\", \"pytorch/rust\"]\n", "", 1, "'bindings' is missing"},
    {"[\"reference/*\", \"pytorch/rust\"]", "[]", 3, "'bindings' is empty, expected an array of"},
    {"[\"reference/*\", \"pytorch/rust\"]", "\"reference/*\"", 3, "'bindings' is no array"},
    {"\"pytorch/rust\"]", "\"pytorch\"]", 3, "'bindings' holds \"pytorch\", expected names such"},
    {"\"pytorch/rust\"]", "\"a/b/c\"]", 3, "'bindings' holds \"a/b/c\""},
    {"\"pytorch/rust\"]", "7]", 3, "'bindings' holds \"\", expected names such"},
    {"\"pytorch/rust\"]", "\"reference/*\"]", 3, "'bindings' holds the same value twice"},
    {"seeds = [1, 2]\n", "", 1, "'seeds' is missing, expected an array of integers from 0"},
    {"seeds = [1, 2]", "seeds = []", 5, "'seeds' is empty"},
    {"seeds = [1, 2]", "seeds = [1,\n1]", 6, "'seeds' holds the same value twice"},
    {"seeds = [1, 2]", "seeds = [1, 4294967296]", 5, "'seeds' holds something else than integers"},
    {"seeds = [1, 2]", "seeds = [1, -1]", 5, "'seeds' holds something else than integers"},
    {"seeds = [1, 2]", "seeds = [1.5]", 5, "'seeds' holds something else than integers"},
    {"[\"cpu\"]", "[\"cpu 0\"]", 6, "'devices' holds \"cpu 0\", expected names such as"},
    {"tasks = [\"train\", \"infer-parameters\"]\n", "", 1, "'tasks' is missing, expected an array"},
    {"\"train\", ", "\"trian\", ", 7, "'tasks' holds \"trian\", expected some of \"train\""},
    {"\"train\", ", "\"trian\", ", 7, "Did you mean 'train'?"},
    {"\"idiomatic\"", "\"fast\"", 8, "'loaders' holds \"fast\", expected some of \"idiomatic\""},
    {"\"idiomatic\"", "\"resident\"", 8, "'loaders' holds the same value twice"},
    {"[\"step\"]", "[\"steps\"]", 9, "Did you mean 'step'?"},
    {"\"parts\"", "3", 10, "'measures' holds \"\", expected some of \"total\", \"parts\""},
    // Exceptions.
    {"except = [{", "except = [3, {", 4, "'except' holds something that is no table"},
    {"except = [{", "except = [{}, {", 4, "'except': one of them is empty"},
    {"model = \"vgg*\"", "models = \"vgg*\"", 4, "'except': unknown key \"models\""},
    {"model = \"vgg*\"", "model = 16", 4, "'except': 'model' is 16, expected a string"},
    {"model = \"vgg*\"", "model = \"\"", 4, "'except': 'model' is \"\", expected a string"},
    // What cannot be run.
    {"[\"step\"]", "[\"fit\"]", 10, "measure \"parts\" is impossible with variant \"fit\""},
    {"[\"step\"]", "[\"step\", \"savedmodel\"]", 10, "impossible with variant \"savedmodel\""},
    {"[\"step\"]", "[\"step\", \"fit\"]", 10, "add to 'except': { variant = \"fit\", measure"},
    {"[\"step\"]", "[\"graph\"]", 10, "measure \"parts\" is impossible with variant \"graph\""},
    {"[\"step\"]\nmeasures = [\"total\", \"parts\"]",
     "[\"step\", \"graph\"]\nmeasures = [\"total\"]",
     9,
     "variant \"graph\" only trains, but \"infer-parameters\" is one of the tasks"},
    {"[\"step\"]\nmeasures = [\"total\", \"parts\"]",
     "[\"step\", \"graph\"]\nmeasures = [\"total\"]",
     9,
     "add to 'except': { variant = \"graph\", task = \"infer-parameters\" }"},
    {", \"infer-parameters\"", "", 19, "[inference]: none of the study's tasks is inference"},
    {"\"train\", ", "", 14, "'epochs' concerns training, which is none of the study's tasks"},
    {"\"reference/cpp\"", "\"pytorch/python\"", 20, "which is not among 'bindings'"},
    {"\"reference/cpp\"", "\"initials\"", 20, "expected \"initial\", the names of bindings, or"},
    {"\"reference/cpp\"", "[]", 20, "'weights' is empty, expected an array of names such as"},
    {"\"reference/cpp\"",
     "[\"initial\"]",
     20,
     "'weights' holds \"initial\", expected names such as"},
    {"\"reference/cpp\"", "[\"*\", \"*\"]", 20, "'weights' holds the same value twice"},
    {"\"reference/cpp\"", "[\"pytorch/cpp\"]", 20, "which is not among 'bindings'"},
    {"\"reference/cpp\"", "7", 20, "[inference]: 'weights' is"},
    {"weights = \"reference/cpp\"", "", 19, "[inference]: 'weights' is missing"},
    // Training and run.
    {"epochs = 3\n", "", 25, "model 'lenet5': 'epochs' is missing, expected it here or in"},
    {"epochs = 3", "epochs = 0", 14, "[training]: 'epochs' is 0, expected an integer from 1"},
    {"epochs = 3", "epoch = 3", 14, "[training]: unknown key \"epoch\""},
    {"\"running\"", "\"runing\"", 16, "Did you mean 'running'?"},
    {"\"last\"", "\"never\"", 17, "'evaluate' is \"never\", expected one of \"every_epoch\""},
    {", momentum = 0.0", "", 18, "[optimizer]: 'momentum' is missing"},
    {"rate = 0.1", "rate = 0", 18, "[optimizer]: 'rate' is 0, expected a number above 0"},
    {"threads = 1", "threads = 0", 22, "[run]: 'threads' is 0, expected an integer from 1"},
    {"threads = 1", "threads = 5000", 22, "[run]: 'threads' is 5000, expected at most 4096"},
    {"warmup_steps = 0", "warmup_steps = -1", 23, "'warmup_steps' is -1, expected an integer"},
    {"time_limit_s = 300", "time_limit = 300", 24, "Did you mean 'time_limit_s'?"},
    {"memory_limit_mib = 2048", "memory_limit_mib = 0.5", 25, "'memory_limit_mib' is 0.5"},
    // Models.
    {"\"lenet5\"", "\"lenet6\"", 27, "there is no model 'lenet6'"},
    {"\"lenet5\"", "\"none.toml\"", 0, "none.toml"},
    {"model = \"lenet1\"\n", "epochs = 2\n", 32, "model '?': 'model' is missing"},
    {"\"glyphs-2000-500\"", "\"minst\"", 28, "Did you mean 'mnist'?"},
    {"\"glyphs-2000-500\"", "\"cifar10\"", 28, "has samples of [3, 32, 32], the model's input"},
    {"model = \"lenet1\"", "model = \"gru\"\ndataset = \"squad\"", 34, "data set 'squad' "},
    {"geometry = \"full\"", "geometry = \"half\"", 29, "'geometry' is \"half\", expected one of"},
    {"train_samples = 2000", "train_samples = 2001", 30, "'train_samples' is 2001, data set"},
    {"test_samples = 500", "test_samples = 501", 31, "'test_samples' is 501, data set"},
    {"test_samples = 500", "test_samples = 0", 31, "'test_samples' is 0, expected an integer"},
    {"test_samples = 500", "test_sample = 500", 31, "model 'lenet5': unknown key \"test_sample\""},
    {"test_samples = 500", "epochs = 0", 31, "model 'lenet5': 'epochs' is 0"},
    {"test_samples = 500", "seeds = []", 31, "'seeds' is empty"},
    {"test_samples = 500", "seeds = [1, 3]", 26, "'seeds' holds 3, which is none of the study's"},
    {"test_samples = 500", "repeats = 0", 31, "'repeats' is 0, expected an integer from 1"},
    {"test_samples = 500", "shuffle = 1", 31, "model 'lenet5': 'shuffle' is 1"},
    {"test_samples = 500", "parameters = \"a b\"", 31, "'parameters' is \"a b\", expected letters"},
    {"test_samples = 500", "steps = 0", 31, "'steps' is 0, expected an integer from 1"},
    {"test_samples = 500",
     "steps = 5",
     30,
     "'train_samples' beside 'steps', which says it already"},
    {"model = \"lenet1\"",
     "model = \"lenet1\"\ndataset = \"glyphs-2000-500\"\nsteps = 50",
     32,
     "'steps' needs 3200, data set 'glyphs-2000-500' has 2000"},
    {"repeats = 2", "cuts = [7]", 11, "'cuts'"},
};

std::string with(std::string_view replaced, std::string_view by) {
  std::string text(kStudy);
  const auto at = text.find(replaced);
  EXPECT_NE(at, std::string::npos) << "nothing to replace: " << replaced;
  return at == std::string::npos ? text : text.replace(at, replaced.size(), by);
}

TEST(StudyErrors, TheBaseItselfIsRight) {
  EXPECT_THAT(parsed(std::string(kStudy)), is_ok());
}

TEST(StudyErrors, NameFileLineKeyAndWhatWasExpected) {
  for (const auto& wrong : kWrong) {
    SCOPED_TRACE(std::string(wrong.replaced) + " -> " + std::string(wrong.by));
    const auto study = parsed(with(wrong.replaced, wrong.by));
    ASSERT_FALSE(study);
    const std::string place = wrong.line == 0 ? "" : fmt::format("mine.toml:{}: ", wrong.line);
    EXPECT_THAT(study.error().to_string(),
                AllOf(StartsWith(place), HasSubstr(std::string(wrong.message))));
  }
}

TEST(StudyErrors, AnExceptionMakesAnImpossibleCombinationPossible) {
  std::string text = with("[\"step\"]", "[\"step\", \"fit\"]");
  const std::string_view other = "except = [";
  text.replace(
      text.find(other), other.size(), R"(except = [{ variant = "f*", measure = "parts" }, )");
  EXPECT_THAT(parsed(text), is_ok());
}

}  // namespace
}  // namespace crossbind::spec
