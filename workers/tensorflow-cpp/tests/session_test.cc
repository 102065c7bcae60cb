// The parts of a session: loaders, states, SavedModels.
#include <gmock/gmock.h>

#include "loaders.h"
#include "models.h"
#include "native_session.h"
#include "saved_session.h"
#include "testing/testing.h"

namespace crossbind::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kLinear = R"({ name = "fc", type = "linear", out = 2, bias = false })";
constexpr const char* kInput = "x = { shape = [3] }";
constexpr const char* kAdam =
    "type = \"adam\"\nrate = 0.1\nbeta1 = 0.5\nbeta2 = 0.75\nepsilon = 1e-8\n"
    "epsilon_form = \"hat\"\n";

class TensorflowWorkerTest : public testing::ScratchTest {
 protected:
  [[nodiscard]] Job job(const std::string& optimizer) const {
    tensor::TensorMap weights;
    weights.emplace("fc.weight", tensor::Tensor({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6}));
    EXPECT_THAT(tensor::save_safetensors(scratch("weights"), weights, {}), testing::is_ok());
    Job job;
    job.model = parse_layers(kLinear, kInput, optimizer);
    job.weights = tensor::SafetensorsFile::open(scratch("weights")).value();
    return job;
  }

  // A graph of the input and one constant, with these signatures.
  void write_saved_model(const std::string& rows) const {
    const auto tensor = [](const std::string& node, const std::string& shape) {
      return "value { name: '" + node + "' dtype: DT_FLOAT tensor_shape { " + shape + " } }";
    };
    const std::string shape = "dim { size: " + rows + " } dim { size: 3 }";
    const std::string batch = "dim { size: -1 } dim { size: 3 }";
    const std::string text =
        "saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: 'serve' } graph_def {"
        " node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }"
        " node { name: 'y' op: 'Identity' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }"
        " node { name: 'w' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } }"
        " attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape { " +
        shape +
        " } float_val: 1 } } } } versions { producer: 1882 } }"
        " signature_def { key: 'serving_default' value { inputs { key: 'x' " +
        tensor("x:0", batch) + " } outputs { key: 'outputs' " + tensor("y:0", batch) +
        " } } } signature_def { key: 'parameters' value { outputs { key: 'fc.weight' " +
        tensor("w:0", shape) + " } } } }";
    std::filesystem::create_directories(scratch("saved"));
    ASSERT_THAT(write_file(scratch("saved/saved_model.pbtxt"), text), testing::is_ok());
  }

  [[nodiscard]] Job serialized_job() const {
    Job job;
    job.model = parse_layers(kLinear, kInput);
    job.serialized = SerializedModel{scratch("saved"), trial::Format::kSavedModel};
    return job;
  }
};

TEST_F(TensorflowWorkerTest, BothLoadersGiveTheRowsOfABatchInTheirOrder) {
  const std::vector<float> inputs = {0, 1, 10, 11, 20, 21};
  const std::vector<int64_t> labels = {0, 1, 2};
  const tensor::Tensor input({3, 2, 1, 1}, inputs);
  const tensor::Tensor label({3}, labels);
  const Samples samples{{input.view()}, {label.view()}, 3};
  for (const auto kind : {trial::Loader::kIdiomatic, trial::Loader::kResident}) {
    const auto loader = make_loader(kind, samples, 1);
    const NativeBatch batch = loader->rows({2, 0});
    EXPECT_THAT(batch.inputs[0].view().shape, ElementsAre(2, 1, 1, 2));
    EXPECT_THAT(batch.inputs[0].view().as<float>().value(), ElementsAre(20, 21, 0, 1));
    EXPECT_THAT(batch.targets[0].view().as<int64_t>().value(), ElementsAre(2, 0));
  }
}

TEST_F(TensorflowWorkerTest, TakesAStepFromTheStateOfTheProbeAlone) {
  Job given = job(kAdam);
  const auto session = NativeSession::open(given, 1).value();
  EXPECT_EQ(session->parameters(), 6);
  tensor::TensorMap state;
  state.emplace("fc.weight", tensor::Tensor({2, 3}, std::vector<float>(6, 0)));
  state.emplace("fc.weight.state.m", tensor::Tensor({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6}));
  ASSERT_THAT(tensor::save_safetensors(scratch("state"), state, {}), testing::is_ok());
  const auto file = tensor::SafetensorsFile::open(scratch("state")).value();
  const tensor::Tensor input({1, 3}, std::vector<float>{2, 0, 0});
  const tensor::Tensor label({1}, std::vector<int64_t>{0});
  const Samples batch{{input.view()}, {label.view()}, 1};
  const Names wanted = {"fc.weight.grad", "fc.weight.state.m", "fc.weight.state.v", "other"};
  for (int i = 0; i < 2; ++i) {  // nothing of the first remains
    const auto probed = session
                            ->probe({.is_training = true,
                                     .number = 2,
                                     .state = &file,
                                     .batch = batch,
                                     .wanted = wanted})
                            .value();
    const auto values = [&](const std::string& name) {
      return probed.tensors.at("fc.weight" + name).view().as<float>().value();
    };
    EXPECT_THAT(values(".grad"), ElementsAre(-1, 0, 0, 1, 0, 0));
    EXPECT_THAT(values(".state.m"), ElementsAre(0, 1, 1.5F, 2.5F, 2.5F, 3));
    EXPECT_THAT(values(".state.v"), ElementsAre(0.25F, 0, 0, 0.25F, 0, 0));
    EXPECT_FALSE(probed.tensors.contains("other"));
    EXPECT_FLOAT_EQ(static_cast<float>(probed.loss.value()), std::log(2.0F));
  }
}

TEST_F(TensorflowWorkerTest, SavesTheParametersThatItWasPreparedWith) {
  Job given = job(kSgd);
  const auto session = NativeSession::open(given, 1).value();
  ASSERT_THAT(session->save(scratch("saved")), testing::is_ok());
  const auto saved = tensor::load_safetensors(scratch("saved")).value();
  EXPECT_THAT(saved.at("fc.weight").view().as<float>().value(), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(TensorflowWorkerTest, LoadsASavedModelWithTheParametersOfTheModel) {
  write_saved_model("2");
  Job given = serialized_job();
  const auto session = SavedSession::open(given, 1);
  ASSERT_THAT(session, testing::is_ok());
  EXPECT_EQ((*session)->parameters(), 6);
  ASSERT_THAT((*session)->save(scratch("parameters")), testing::is_ok());
  const auto saved = tensor::load_safetensors(scratch("parameters")).value();
  EXPECT_THAT(saved.at("fc.weight").view().as<float>().value(), ElementsAre(1, 1, 1, 1, 1, 1));
}

TEST_F(TensorflowWorkerTest, AnswersForASavedModelWithoutGradients) {
  write_saved_model("2");
  Job given = serialized_job();
  const auto session = SavedSession::open(given, 1).value();
  const tensor::Tensor input({1, 3}, std::vector<float>{2, 0, 1});
  const tensor::Tensor label({1}, std::vector<int64_t>{0});
  const Samples batch{{input.view()}, {label.view()}, 1};
  const auto answer = session->query(batch, Gradients::kNone);
  ASSERT_THAT(answer, testing::is_ok());
  EXPECT_THAT(answer->outputs.view().as<float>().value(), ElementsAre(2, 0, 1));  // it is its input
  const auto refused = session->query(batch, Gradients::kOfInputs);
  ASSERT_THAT(refused, testing::fails_with("gradients of a serialized model"));
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnsupported);
}

TEST_F(TensorflowWorkerTest, RefusesToTrainASavedModelWithoutATrainStep) {
  write_saved_model("2");
  Job given = serialized_job();
  const auto session = SavedSession::open(given, 1).value();
  EXPECT_THAT(session->restore(), testing::fails_with(HasSubstr("no signature 'train_step'")));
}

TEST_F(TensorflowWorkerTest, RefusesASavedModelOfAnotherModel) {
  write_saved_model("4");
  Job given = serialized_job();
  EXPECT_THAT(SavedSession::open(given, 1),
              testing::fails_with(HasSubstr("'fc.weight' is [4, 3], expected [2, 3]")));
  given.model.parameters[0].name = "fc.scale";
  EXPECT_THAT(SavedSession::open(given, 1),
              testing::fails_with(HasSubstr("no float32 output 'fc.scale'")));
  given.model.inputs[0].name = "image";
  EXPECT_THAT(SavedSession::open(given, 1), testing::fails_with(HasSubstr("no input 'image'")));
}

TEST_F(TensorflowWorkerTest, RefusesWhatIsNoSavedModel) {
  Job given = serialized_job();
  EXPECT_THAT(SavedSession::open(given, 1), testing::fails_with(HasSubstr("saved")));
  std::filesystem::create_directories(scratch("saved"));
  ASSERT_THAT(write_file(scratch("saved/saved_model.pb"), "no protocol buffer"), testing::is_ok());
  EXPECT_THAT(SavedSession::open(given, 1), testing::fails_with(HasSubstr("saved")));
}

}  // namespace
}  // namespace crossbind::worker
