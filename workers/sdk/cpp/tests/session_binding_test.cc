#include "crossbind_worker/session_binding.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <sys/socket.h>

#include <array>
#include <cmath>
#include <limits>

#include "fake_session.h"
#include "model/graph_json.h"
#include "model/model.h"
#include "protocol/codec.h"
#include "tensor/safetensors.h"
#include "testing/testing.h"

namespace crossbind::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

trial::Capabilities everything() {
  trial::Capabilities able;
  able.tasks = {
      trial::Task::kTrain, trial::Task::kInferParameters, trial::Task::kInferSerialization};
  able.devices = {"cpu"};
  able.loaders = {trial::Loader::kResident};
  able.variants = {trial::Variant::kStep};
  able.measures = {trial::Measure::kTotal};
  able.training_accuracies = {trial::TrainingAccuracy::kEval, trial::TrainingAccuracy::kRunning};
  able.layers = {"linear"};
  able.losses = {"cross_entropy"};
  able.optimizers = {"sgd"};
  able.probe = trial::ProbeLevel::kGradients;
  able.queries = trial::Queries::kGradients;
  able.reads = {trial::Format::kTorchScript};
  return able;
}

// Both ends of a conversation.
struct Wire {
  Wire() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    near_end = process::FileDescriptor(ends[0]);
    far = std::make_unique<process::LineChannel>(process::FileDescriptor(ends[1]));
  }

  // The events of a kind that have come.
  template <typename Event>
  std::vector<Event> events() {
    std::vector<Event> found;
    while (true) {
      const auto received = far->receive_line(std::chrono::milliseconds(0)).value();
      const auto* line = std::get_if<std::string>(&received);
      if (line == nullptr) {
        return found;
      }
      const auto event = protocol::decode_event(*line).value();
      if (const auto* wanted = std::get_if<Event>(&event)) {
        found.push_back(*wanted);
      }
    }
  }

  process::FileDescriptor near_end;
  std::unique_ptr<process::LineChannel> far;
};

class SessionBindingTest : public testing::ScratchTest {
 protected:
  // Of samples of two numbers, with labels or without.
  [[nodiscard]] std::filesystem::path write_batch(const std::vector<float>& values,
                                                  const std::vector<int64_t>& labels) const {
    tensor::TensorMap tensors;
    tensors.emplace("x", tensor::Tensor({static_cast<int64_t>(values.size() / 2), 2}, values));
    if (!labels.empty()) {
      tensors.emplace("label", tensor::Tensor({static_cast<int64_t>(labels.size())}, labels));
    }
    EXPECT_THAT(tensor::save_safetensors(scratch("batch"), tensors, {}), testing::is_ok());
    return scratch("batch");
  }

  [[nodiscard]] protocol::Prepare prepare() const {
    const model::Model model =
        model::parse_model(
            "id = \"m\"\ntitle = \"t\"\ndataset = \"d\"\nloss = \"cross_entropy\"\n"
            "init = \"fan_in_uniform\"\nbatch = 2\n"
            "layers = [{ name = \"fc\", type = \"linear\", out = 2, bias = false }]\n"
            "[inputs]\nx = { shape = [2] }\n[optimizer]\ntype = \"sgd\"\nrate = 0.1\n"
            "momentum = 0.0\n",
            "test",
            model::Geometry::kFull)
            .value();
    tensor::TensorMap weights;
    weights.emplace("fc.weight", tensor::Tensor({2, 2}, std::vector<float>(4, 0)));
    EXPECT_THAT(tensor::save_safetensors(scratch("weights"), weights, {}), testing::is_ok());
    protocol::Prepare request;
    request.graph = model::canonical_graph(model).dump();
    request.weights = scratch("weights");
    request.settings.batch_size = 2;
    return request;
  }

  // Two epochs over one training sample, and these three test samples.
  [[nodiscard]] protocol::Prepare prepare_training(const std::vector<float>& tested) const {
    tensor::TensorMap data;
    data.emplace("train.x", tensor::Tensor({1, 2}, std::vector<float>{5, 1}));
    data.emplace("train.label", tensor::Tensor({1}, std::vector<int64_t>{0}));
    data.emplace("test.x", tensor::Tensor({3, 2}, tested));
    data.emplace("test.label", tensor::Tensor({3}, std::vector<int64_t>{0, 1, 1}));
    EXPECT_THAT(tensor::save_safetensors(scratch("data"), data, {}), testing::is_ok());
    tensor::TensorMap order;
    order.emplace("order", tensor::Tensor({2, 1}, std::vector<int64_t>{0, 0}));
    EXPECT_THAT(tensor::save_safetensors(scratch("order"), order, {}), testing::is_ok());
    protocol::Prepare request = prepare();
    request.data = protocol::DataFile{scratch("data"), 1, 3};
    request.order = scratch("order");
    request.settings.epochs = 2;
    return request;
  }

  [[nodiscard]] protocol::Query query(bool gradients) const {
    return {
        .id = 6, .batch = scratch("batch"), .gradients = gradients, .answer = scratch("answer")};
  }

  [[nodiscard]] tensor::TensorMap answer() const {
    return tensor::load_safetensors(scratch("answer")).value();
  }
};

TEST_F(SessionBindingTest, AnswersQueriesOfAnySizeWithOutputsAndGradients) {
  FakeBinding binding(everything());
  ASSERT_THAT(binding.prepare(prepare()), testing::is_ok());
  (void)write_batch({1, 2, 3, 4}, {});
  ASSERT_THAT(binding.query(query(false)), testing::is_ok());
  EXPECT_THAT(answer(), SizeIs(1));
  EXPECT_THAT(answer().at("outputs").shape(), ElementsAre(2, 2));
  (void)write_batch({1, 2}, {1});
  const auto reply = binding.query(query(true));
  ASSERT_THAT(reply, testing::is_ok());
  EXPECT_TRUE(std::holds_alternative<protocol::Done>(*reply));
  EXPECT_THAT(answer(), SizeIs(2));
  EXPECT_THAT(answer().at("outputs").view().as<float>().value(), ElementsAre(1, 2));
  EXPECT_THAT(answer().at("x.grad").view().as<float>().value(), ElementsAre(2, 4));
}

TEST_F(SessionBindingTest, RefusesQueriesThatItCannotRead) {
  FakeBinding binding(everything());
  (void)write_batch({1, 2}, {});
  const auto unprepared = binding.query(query(false));
  ASSERT_THAT(unprepared, testing::fails_with(HasSubstr("nothing is prepared")));
  EXPECT_EQ(unprepared.error().kind, ErrorKind::kInvalid);
  ASSERT_THAT(binding.prepare(prepare()), testing::is_ok());
  const auto unlabelled = binding.query(query(true));
  ASSERT_THAT(unlabelled, testing::fails_with(HasSubstr("label")));
  EXPECT_EQ(unlabelled.error().kind, ErrorKind::kNotFound);  // which is bad input
  (void)write_batch({}, {});
  EXPECT_THAT(binding.query(query(false)), testing::fails_with(HasSubstr("holds no samples")));
  EXPECT_FALSE(std::filesystem::exists(scratch("answer")));
}

TEST_F(SessionBindingTest, SaysWhatOfQueriesItDoesNotClaim) {
  (void)write_batch({1, 2}, {1});
  const auto refusal = [&](const trial::Capabilities& able, bool gradients) {
    FakeBinding binding(able);
    EXPECT_THAT(binding.prepare(prepare()), testing::is_ok());
    const auto reply = binding.query(query(gradients));
    if (reply) {
      return std::string();
    }
    EXPECT_EQ(reply.error().kind, ErrorKind::kUnsupported);
    return reply.error().message;
  };
  trial::Capabilities able = everything();
  able.losses.clear();
  EXPECT_EQ(refusal(able, true), "loss cross_entropy");
  EXPECT_EQ(refusal(able, false), "");
  able = everything();
  able.queries = trial::Queries::kOutputs;
  EXPECT_EQ(refusal(able, true), "gradients of inputs");
  EXPECT_EQ(refusal(able, false), "");
  able.queries = trial::Queries::kNone;
  EXPECT_EQ(refusal(able, true), "queries");
  EXPECT_EQ(refusal(able, false), "queries");
}

TEST_F(SessionBindingTest, WritesNoAnswerThatIsNotFinite) {
  FakeBinding binding(everything());
  ASSERT_THAT(binding.prepare(prepare()), testing::is_ok());
  (void)write_batch({1, kInfinity}, {});
  const auto reply = binding.query(query(false)).value();
  EXPECT_EQ(std::get<protocol::Failed>(reply).code, protocol::FailureCode::kNotFinite);
  EXPECT_FALSE(std::filesystem::exists(scratch("answer")));
}

TEST_F(SessionBindingTest, HandsDropoutToTheProbedStep) {
  FakeBinding binding(everything());
  ASSERT_THAT(binding.prepare(prepare()), testing::is_ok());
  protocol::Probe request{.batch = write_batch({1, 2}, {1}),
                          .state = scratch("weights"),
                          .wanted = {"fc.out"},
                          .directory = scratch("")};
  for (const bool dropout : {false, true}) {
    request.dropout = dropout;
    const auto reply = binding.probe(request).value();
    const auto shown = tensor::load_safetensors(*std::get<protocol::Done>(reply).tensors).value();
    EXPECT_THAT(shown.at("fc.out").view().as<float>().value(), ElementsAre(dropout ? 1 : 0));
  }
}

TEST_F(SessionBindingTest, ReadsTheFormatsThatItClaims) {
  const auto prepared = [&](std::vector<trial::Format> reads, std::optional<trial::Format> given) {
    trial::Capabilities able = everything();
    able.reads = std::move(reads);
    FakeBinding binding(able);
    protocol::Prepare request = prepare();
    request.weights.reset();
    request.serialized = scratch("model.pt");
    request.format = given;
    return binding.prepare(request);
  };
  using enum trial::Format;
  EXPECT_THAT(prepared({kTorchScript}, std::nullopt), testing::is_ok());
  EXPECT_THAT(prepared({kTorchScript}, kTorchScript), testing::is_ok());
  EXPECT_THAT(prepared({kTorchScript, kOnnx}, kOnnx), testing::is_ok());
  EXPECT_THAT(prepared({kTorchScript, kOnnx}, std::nullopt),
              testing::fails_with(HasSubstr("'format' is missing")));
  const auto other = prepared({kTorchScript}, kOnnx);
  ASSERT_THAT(other, testing::fails_with("format onnx"));
  EXPECT_EQ(other.error().kind, ErrorKind::kUnsupported);
}

TEST_F(SessionBindingTest, WritesNoFormat) {
  FakeBinding binding(everything());
  const auto reply = binding.serialize({.format = trial::Format::kSavedModel});
  ASSERT_THAT(reply, testing::fails_with("format savedmodel"));
  EXPECT_EQ(reply.error().kind, ErrorKind::kUnsupported);
}

TEST_F(SessionBindingTest, ReportsTheLossOfTheTestSetBesideItsAccuracy) {
  FakeBinding binding(everything());
  protocol::Prepare request = prepare_training({2, 0, 1, 0, 0, 3});
  request.settings.evaluate = trial::Evaluate::kLast;
  ASSERT_THAT(binding.prepare(request), testing::is_ok());
  Wire wire;
  Conversation conversation(process::LineChannel(std::move(wire.near_end)));
  ASSERT_THAT(binding.train({}, conversation), testing::is_ok());
  const auto epochs = wire.events<protocol::Epoch>();
  ASSERT_THAT(epochs, SizeIs(2));
  EXPECT_FALSE(epochs[0].test_accuracy);
  EXPECT_FALSE(epochs[0].test_loss);
  EXPECT_EQ(epochs[1].test_accuracy, 2.0 / 3);
  const double expected =
      (std::log1p(std::exp(-2.0)) + 1 + std::log1p(std::exp(-1.0)) + std::log1p(std::exp(-3.0))) /
      3;
  EXPECT_NEAR(epochs[1].test_loss.value(), expected, 1e-14);  // a few roundings
  EXPECT_EQ(epochs[1].train_accuracy, 0.25);                  // that of the session's steps
}

TEST_F(SessionBindingTest, ScoresTheTrainingSetInEvaluationModeWhereThatIsAskedFor) {
  FakeBinding binding(everything());
  protocol::Prepare request = prepare_training({2, 0, 1, 0, 0, 3});
  request.settings.training_accuracy = trial::TrainingAccuracy::kEval;
  ASSERT_THAT(binding.prepare(request), testing::is_ok());
  Wire wire;
  Conversation conversation(process::LineChannel(std::move(wire.near_end)));
  ASSERT_THAT(binding.train({}, conversation), testing::is_ok());
  for (const auto& epoch : wire.events<protocol::Epoch>()) {
    EXPECT_EQ(epoch.train_accuracy, 1);
    EXPECT_TRUE(epoch.test_loss);
  }
}

TEST_F(SessionBindingTest, EndsATrainingWhoseOutputsAreNotFinite) {
  FakeBinding binding(everything());
  ASSERT_THAT(binding.prepare(prepare_training({2, 0, kInfinity, 0, 0, 3})), testing::is_ok());
  Wire wire;
  Conversation conversation(process::LineChannel(std::move(wire.near_end)));
  const auto reply = binding.train({}, conversation).value();
  EXPECT_EQ(std::get<protocol::Failed>(reply).code, protocol::FailureCode::kNotFinite);
  EXPECT_THAT(wire.events<protocol::Epoch>(), SizeIs(0));
}

TEST_F(SessionBindingTest, ScoresAndWritesWhatAnInferenceGives) {
  FakeBinding binding(everything());
  ASSERT_THAT(binding.prepare(prepare_training({2, 0, 1, 0, 0, 3})), testing::is_ok());
  Wire wire;
  Conversation conversation(process::LineChannel(std::move(wire.near_end)));
  const auto reply = binding.infer({.outputs = scratch("outputs")}, conversation).value();
  const auto& done = std::get<protocol::Done>(reply);
  EXPECT_EQ(done.samples, 3);
  EXPECT_EQ(done.accuracy, 2.0 / 3);
  const auto written = tensor::load_safetensors(scratch("outputs")).value();
  EXPECT_THAT(written.at("outputs").view().as<float>().value(), ElementsAre(2, 0, 1, 0, 0, 3));
}

}  // namespace
}  // namespace crossbind::worker
