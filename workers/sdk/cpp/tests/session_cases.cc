#include "session_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "crossbind_worker/scoring.h"
#include "model/graph_json.h"
#include "model/initial_weights.h"
#include "model/losses.h"
#include "tensor/philox.h"
#include "tensor/safetensors.h"
#include "testing/testing.h"

namespace crossbind::worker {
namespace {

constexpr uint32_t kSeed = 7;
constexpr int64_t kTraining = 7;
constexpr int64_t kTesting = 5;
constexpr int64_t kBatch = 3;
constexpr int64_t kEpochs = 2;

// Float32 or int64, by what the input takes.
tensor::Tensor drawn_input(const model::Input& input, int64_t samples, tensor::PhiloxStream& from) {
  tensor::Shape shape = {samples};
  shape.insert(shape.end(), input.shape.begin(), input.shape.end());
  const auto count = static_cast<size_t>(tensor::element_count(shape).value());
  if (input.is_integer()) {
    std::vector<int64_t> values(count);
    std::ranges::generate(
        values, [&] { return int64_t{from.below(static_cast<uint32_t>(input.entries))}; });
    return {shape, values};
  }
  std::vector<float> values(count);
  std::ranges::generate(values, [&] { return static_cast<float>(from.normal()); });
  return {shape, values};
}

void draw_split(const model::Model& model,
                const std::string& prefix,
                int64_t samples,
                tensor::PhiloxStream& from,
                tensor::TensorMap& into) {
  for (const model::Input& input : model.inputs) {
    into.emplace(prefix + input.name, drawn_input(input, samples, from));
  }
  const model::Input label{.name = "label", .shape = {}, .entries = model::class_count(model)};
  for (const std::string& target : target_names(model)) {
    into.emplace(prefix + target, drawn_input(label, samples, from));
  }
}

void save(const std::filesystem::path& path, const tensor::TensorMap& tensors) {
  ASSERT_THAT(tensor::save_safetensors(path, tensors, {}), testing::is_ok());
}

std::vector<float> floats(const tensor::TensorView& view) {
  const auto values = view.as<float>().value();
  return {values.begin(), values.end()};
}

std::vector<tensor::TensorView> first_of(const std::vector<tensor::TensorView>& views,
                                         int64_t count) {
  std::vector<tensor::TensorView> first = views;
  for (tensor::TensorView& view : first) {
    view.bytes = view.bytes.first(view.bytes.size() / static_cast<size_t>(view.shape[0]) *
                                  static_cast<size_t>(count));
    view.shape[0] = count;
  }
  return first;
}

Samples first_of(const Samples& samples, int64_t count) {
  return {first_of(samples.inputs, count), first_of(samples.targets, count), count};
}

tensor::Tensor inferred(Session& session, const Job& job) {
  const auto batches = batches_in_file_order(job.testing->size, job.settings.batch_size);
  session.begin_inference(batches);
  for (size_t i = 0; i < batches.size(); ++i) {
    session.load_test();
    session.infer();
  }
  return session.end_inference();
}

void train(Session& session, const Job& job) {
  ASSERT_THAT(session.restore(), testing::is_ok());
  for (const auto& batches : job.order) {
    session.begin_epoch(batches);
    for (size_t i = 0; i < batches.size(); ++i) {
      session.load();
      session.forward();
      session.backward();
    }
    (void)session.end_epoch();
  }
}

double summed_loss(Session& session, const Job& job, const Samples& batch) {
  const Answer answer = session.query(batch, Gradients::kNone).value();
  return score(job.model.loss, answer.outputs.view(), batch.targets).loss;
}

// Central differences: of an input that is off by kStep, an error of about kStep^2; float32 outputs
// add theirs, 1e-6 / kStep.
void expect_finite_differences(Session& session,
                               const Job& job,
                               const Samples& batch,
                               size_t input,
                               const tensor::Tensor& gradient) {
  constexpr float kStep = 0.01F;
  ASSERT_EQ(gradient.shape(), batch.inputs[input].shape) << job.model.inputs[input].name;
  const std::vector<float> found = floats(gradient.view());
  std::vector<float> values = floats(batch.inputs[input]);
  const auto loss_with = [&](size_t i, float value) {
    const float before = std::exchange(values[i], value);
    const tensor::Tensor moved(batch.inputs[input].shape, values);
    Samples changed = batch;
    changed.inputs[input] = moved.view();
    const double loss = summed_loss(session, job, changed);
    values[i] = before;
    return loss;
  };
  for (size_t i = 0; i < values.size(); ++i) {
    const float above = values[i] + kStep;
    const float below = values[i] - kStep;
    const double expected = (loss_with(i, above) - loss_with(i, below)) / (above - below);
    ASSERT_NEAR(found[i], expected, 1e-3) << job.model.inputs[input].name << ", element " << i;
  }
}

// The output of the layer "drop" in a training step from the prepared parameters.
std::vector<float> dropped(Session& session, const Job& job, bool has_dropout) {
  const std::vector<std::string> wanted = {"drop.out"};
  const auto probed = session.probe({.is_training = true,
                                     .has_dropout = has_dropout,
                                     .number = 1,
                                     .state = &*job.weights,
                                     .batch = *job.training,
                                     .wanted = wanted});
  EXPECT_THAT(probed, testing::is_ok());
  return probed ? floats(probed->tensors.at("drop.out").view()) : std::vector<float>();
}

// The share that was dropped, if all else was scaled by 1 / (1 - rate).
double share_dropped(const std::vector<float>& inputs,
                     const std::vector<float>& outputs,
                     double rate) {
  size_t zeros = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (outputs[i] == 0) {
      ++zeros;
    } else {
      EXPECT_NEAR(outputs[i], inputs[i] / (1 - rate), 1e-5) << "element " << i;
    }
  }
  return static_cast<double>(zeros) / static_cast<double>(inputs.size());
}

}  // namespace

model::Model made_up_model(const std::string& layers,
                           const std::string& inputs,
                           const std::string& loss) {
  return model::parse_model("id = \"m\"\ntitle = \"t\"\ndataset = \"d\"\nloss = \"" + loss +
                                "\"\ninit = \"fan_in_uniform\"\nbatch = 3\nlayers = [\n" + layers +
                                "\n]\n[inputs]\n" + inputs +
                                "\n[optimizer]\ntype = \"sgd\"\nrate = 0.1\nmomentum = 0.9\n",
                            "test",
                            model::Geometry::kFull)
      .value();
}

std::vector<model::Model> smooth_models() {
  return {
      made_up_model(
          R"({ name = "conv", type = "conv2d", out = 3, kernel = 3, stride = 2, pads = "same", bias = true },
             { name = "bn", type = "batchnorm", epsilon = 1e-3, momentum = 0.3, running_variance = "unbiased" },
             { name = "tanh", type = "tanh" },
             { name = "drop", type = "dropout", rate = 0.5 },
             { name = "pool", type = "avg_pool2d", kernel = 2, stride = 1, pads = 1, count_padding = false },
             { name = "flatten", type = "flatten" },
             { name = "fc", type = "linear", out = 4, bias = true })",
          "image = { shape = [2, 4, 5] }"),
      made_up_model(
          R"({ name = "words", type = "embedding", kind = "token", entries = 6, width = 4, from = "tokens" },
             { name = "sum", type = "add", from = ["words", "x"] },
             { name = "attention", type = "self_attention", heads = 2, from = ["sum", "mask"] },
             { name = "norm", type = "layernorm", epsilon = 1e-3 },
             { name = "gelu", type = "gelu" },
             { name = "span", type = "linear", out = 2, bias = true })",
          "tokens = { shape = [3], entries = 6 }\nx = { shape = [3, 4] }\nmask = { shape = [3] }",
          "span_cross_entropy"),
      made_up_model(
          R"({ name = "lstm", type = "lstm", hidden = 4, biases = 2, recurrent_activation = "sigmoid" },
             { name = "gru", type = "gru", hidden = 3, biases = 2, reset_after = true, recurrent_activation = "sigmoid" },
             { name = "last", type = "select_last" },
             { name = "fc", type = "linear", out = 1, bias = true })",
          "x = { shape = [4, 3] }",
          "binary_cross_entropy"),
  };
}

Job made_up_job(const model::Model& model, const std::filesystem::path& folder) {
  tensor::PhiloxStream stream(kSeed, tensor::Purpose::kTest, 0);
  tensor::TensorMap data;
  draw_split(model, "train.", kTraining, stream, data);
  draw_split(model, "test.", kTesting, stream, data);
  save(folder / "data.safetensors", data);
  save(folder / "weights.safetensors", model::initial_weights(model, kSeed));
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < kEpochs * kTraining; ++i) {
    ids.push_back(i * 3 % kTraining);
  }
  tensor::TensorMap order;
  order.emplace("order", tensor::Tensor({kEpochs, kTraining}, ids));
  save(folder / "order.safetensors", order);
  protocol::Prepare request;
  request.graph = model::canonical_graph(model).dump();
  request.weights = folder / "weights.safetensors";
  request.data = protocol::DataFile{folder / "data.safetensors", kTraining, kTesting};
  request.order = folder / "order.safetensors";
  request.settings.seed = kSeed;
  request.settings.epochs = kEpochs;
  request.settings.batch_size = kBatch;
  return read_job(request).value();
}

void expect_right_answers(Session& session, const Job& job) {
  const std::vector<float> all = floats(inferred(session, job).view());
  for (const int64_t size : {kTesting, int64_t{1}, int64_t{2}}) {
    const Samples batch = first_of(*job.testing, size);
    for (const Gradients gradients : {Gradients::kNone, Gradients::kOfInputs}) {
      const auto answer = session.query(batch, gradients);
      ASSERT_THAT(answer, testing::is_ok());
      const std::vector<float> outputs = floats(answer->outputs.view());
      ASSERT_EQ(outputs.size() * kTesting, all.size() * static_cast<size_t>(size));
      for (size_t i = 0; i < outputs.size(); ++i) {
        // A batch of another size may be added up in another order.
        ASSERT_NEAR(outputs[i], all[i], 1e-5) << "element " << i << " of " << size << " samples";
      }
      EXPECT_EQ(answer->gradients.empty(), gradients == Gradients::kNone);
    }
  }
  const Samples batch = first_of(*job.testing, 2);
  const Answer answer = session.query(batch, Gradients::kOfInputs).value();
  for (size_t i = 0; i < job.model.inputs.size(); ++i) {
    const model::Input& input = job.model.inputs[i];
    ASSERT_EQ(answer.gradients.contains(input.name), !input.is_integer()) << input.name;
    if (!input.is_integer()) {
      expect_finite_differences(session, job, batch, i, answer.gradients.at(input.name));
    }
  }
}

void expect_answers_without_a_trace(const OpenSession& open,
                                    const Job& job,
                                    const std::filesystem::path& folder) {
  const auto trained = [&](const std::string& name, bool is_queried) {
    const auto session = open(job).value();
    const auto query = [&] {
      for (const Gradients gradients : {Gradients::kOfInputs, Gradients::kNone}) {
        ASSERT_THAT(session->query(*job.testing, is_queried ? gradients : Gradients::kNone),
                    testing::is_ok());
      }
    };
    if (is_queried) {
      query();
    }
    train(*session, job);
    const tensor::Tensor before = inferred(*session, job);
    if (is_queried) {
      query();
      EXPECT_EQ(floats(inferred(*session, job).view()), floats(before.view()));
    }
    EXPECT_THAT(session->save(folder / name), testing::is_ok());
    return tensor::load_safetensors(folder / name).value();
  };
  const auto alone = trained("alone.safetensors", false);
  const auto queried = trained("queried.safetensors", true);
  for (const auto& [name, values] : alone) {
    EXPECT_EQ(floats(queried.at(name).view()), floats(values.view())) << name;
  }
}

void expect_drawn_dropout(const OpenSession& open, const std::filesystem::path& folder) {
  constexpr double kRate = 0.25;
  const Job job = made_up_job(made_up_model(R"({ name = "drop", type = "dropout", rate = 0.25 },
                                               { name = "fc", type = "linear", out = 2, bias = true })",
                                            "x = { shape = [300] }"),
                              folder);
  const std::vector<float> inputs = floats(job.training->inputs.front());
  const auto session = open(job).value();
  const auto off = dropped(*session, job, false);
  EXPECT_EQ(off, inputs);
  const auto first = dropped(*session, job, true);
  const auto second = dropped(*session, job, true);
  for (const auto& outputs : {first, second}) {
    // 2100 draws: the share's deviation is 0.0095.
    EXPECT_NEAR(share_dropped(inputs, outputs, kRate), kRate, 0.04);
  }
  EXPECT_NE(first, second);
  EXPECT_EQ(dropped(*session, job, false), inputs);
  const auto again = open(job).value();
  EXPECT_EQ(dropped(*again, job, true), first);
  EXPECT_EQ(dropped(*again, job, true), second);
}

void expect_evaluation_of_both_splits(Session& session, const Job& job) {
  for (const Split split : {Split::kTraining, Split::kTesting}) {
    const Samples& samples = split == Split::kTraining ? *job.training : *job.testing;
    const Answer expected = session.query(samples, Gradients::kNone).value();
    const double loss = score(job.model.loss, expected.outputs.view(), samples.targets).mean_loss();
    Score found;
    session.evaluate(split,
                     batches_in_file_order(samples.size, job.settings.batch_size),
                     [&](const tensor::TensorView& outputs) {
                       found += score(job.model.loss,
                                      outputs,
                                      targets_of(samples, found.samples, outputs.shape.front()));
                     });
    EXPECT_EQ(found.samples, samples.size);
    EXPECT_NEAR(found.mean_loss(), loss, 1e-6);  // batches may be added up in another order
  }
}

}  // namespace crossbind::worker
