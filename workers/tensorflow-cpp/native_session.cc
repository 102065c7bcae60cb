#include "native_session.h"

#include <algorithm>

#include "tensor/safetensors.h"

namespace crossbind::worker {
namespace {

// What is missing to train long recurrent layers.
constexpr const char* kLoops = "while gradient";

NativeTensor zeros(const tensor::Shape& shape) {
  NativeTensor tensor(tensor::DType::kF32, shape);
  std::ranges::fill(tensor.bytes(), std::byte{0});
  return tensor;
}

std::string moment_name(const model::Model& model, const GraphMoment& moment) {
  return model.parameters[moment.parameter].name + ".state." + moment.kind;
}

Names names_of(const model::Model& model) {
  Names names;
  for (const model::Parameter& parameter : model.parameters) {
    names.push_back(parameter.name);
  }
  return names;
}

// Nodes whose tensors go under their canonical names, with their layouts.
class Shelf {
 public:
  explicit Shelf(const Names& wanted) : wanted_(wanted) {}

  // If anybody wants it.
  void put(const std::string& name, const std::string& node, const Axes& axes) {
    if (std::ranges::find(wanted_, name) != wanted_.end()) {
      names_.push_back(name);
      nodes_.push_back(node);
      axes_.push_back(axes);
    }
  }

  [[nodiscard]] const Names& nodes() const { return nodes_; }

  // In the order of the nodes.
  void convert(const std::vector<NativeTensor>& fetched, tensor::TensorMap& into) const {
    for (size_t i = 0; i < names_.size(); ++i) {
      into.insert_or_assign(names_[i], to_canonical(fetched[i].view(), axes_[i]));
    }
  }

 private:
  const Names& wanted_;
  Names names_;
  Names nodes_;
  std::vector<Axes> axes_;
};

}  // namespace

NativeSession::NativeSession(const Job& job, int threads)
    : TensorflowSession(job, threads),
      axes_(parameter_axes(job.model)),
      graph_(build_graph(job.model, job.settings.seed)),
      session_(graph_.definition, threads) {}

Result<std::unique_ptr<NativeSession>> NativeSession::open(const Job& job, int threads) {
  std::unique_ptr<NativeSession> session(new NativeSession(job, threads));
  CB_TRY(session->load_parameters(*job.weights));
  for (const auto& [name, values] : session->variables(names_of(job.model))) {
    session->parameters_ += static_cast<int64_t>(values.view().bytes.size() / sizeof(float));
  }
  return session;
}

Status NativeSession::load_parameters(const tensor::SafetensorsFile& file) {
  Feeds feeds;
  Names assigns;
  for (size_t i = 0; i < axes_.size(); ++i) {
    CB_ASSIGN(const auto view, file.find(job().model.parameters[i].name));
    feeds.emplace_back(graph_.parameters[i].given, to_native(view, axes_[i]));
    assigns.push_back(graph_.parameters[i].assign);
  }
  session_.run(feeds, {}, assigns);
  return {};
}

void NativeSession::load_moments(const tensor::SafetensorsFile* file) {
  Feeds feeds;
  Names assigns;
  for (const GraphMoment& moment : graph_.moments) {
    const Axes& axes = axes_[moment.parameter];
    const model::Shape& shape = job().model.parameters[moment.parameter].shape;
    NativeTensor values = zeros(native_shape(shape, axes));
    if (file != nullptr) {
      if (const auto view = file->find(moment_name(job().model, moment))) {
        values = to_native(*view, axes);
      }
    }
    feeds.emplace_back(moment.variable.given, std::move(values));
    assigns.push_back(moment.variable.assign);
  }
  session_.run(feeds, {}, assigns);
}

Status NativeSession::restore() {
  if (!graph_.training) {
    return fail(ErrorKind::kUnsupported, "{}", kLoops);
  }
  CB_TRY(load_parameters(*job().weights));
  load_moments(nullptr);
  step_ = 0;
  draws_ = 0;
  return {};
}

Feeds NativeSession::inputs_of(const NativeBatch& batch) const {
  Feeds feeds;
  for (size_t i = 0; i < batch.inputs.size(); ++i) {
    feeds.emplace_back(graph_.inputs[i], batch.inputs[i]);
  }
  return feeds;
}

Feeds NativeSession::feeds_of(const NativeBatch& batch) const {
  Feeds feeds = inputs_of(batch);
  for (size_t i = 0; i < batch.targets.size(); ++i) {
    feeds.emplace_back(graph_.targets[i], batch.targets[i]);
  }
  return feeds;
}

Feeds NativeSession::training_feeds(const NativeBatch& batch,
                                    int64_t step,
                                    std::optional<int64_t> draw) const {
  Feeds feeds = feeds_of(batch);
  feeds.emplace_back(graph_.training->step, NativeTensor::scalar(step));
  feeds.emplace_back(graph_.training->draw, NativeTensor::scalar(draw.value_or(0)));
  feeds.emplace_back(graph_.training->dropout, NativeTensor::scalar(draw ? 1.0F : 0.0F));
  return feeds;
}

TensorflowSession::StepResult NativeSession::train_step(const NativeBatch& batch,
                                                        bool with_outputs) {
  const TrainingNodes& nodes = *graph_.training;
  Names fetches = {nodes.loss};
  if (with_outputs) {
    fetches.push_back(nodes.outputs.back());
  }
  ++step_;
  ++draws_;
  auto fetched = session_.run(training_feeds(batch, step_, draws_), fetches, {nodes.update});
  StepResult result{std::move(fetched[0]), std::nullopt};
  if (with_outputs) {
    result.outputs = std::move(fetched[1]);
  }
  return result;
}

NativeTensor NativeSession::predict(const NativeBatch& batch) {
  return session_.run(inputs_of(batch), {graph_.outputs.back()}).front();
}

Result<Answer> NativeSession::predict_with_gradients(const NativeBatch& batch) {
  if (!graph_.training) {
    return fail(ErrorKind::kUnsupported, "{}", kLoops);
  }
  if (!input_gradients_) {
    InputGradients built = build_input_gradients(job().model, job().settings.seed);
    if (!built.gradients.empty()) {
      session_.extend(built.definition);
    }
    input_gradients_ = std::move(built);
  }
  Names fetches = {graph_.outputs.back()};
  for (const auto& [input, node] : input_gradients_->gradients) {
    fetches.push_back(node);
  }
  const auto fetched = session_.run(feeds_of(batch), fetches);
  Answer answer{.outputs = batch_to_canonical(fetched.front()), .gradients = {}};
  for (size_t i = 1; i < fetched.size(); ++i) {
    const size_t input = input_gradients_->gradients[i - 1].first;
    answer.gradients.emplace(job().model.inputs[input].name, batch_to_canonical(fetched[i]));
  }
  for (size_t i = 0; i < batch.inputs.size(); ++i) {  // what the loss does not depend on
    if (!job().model.inputs[i].is_integer()) {
      answer.gradients.try_emplace(job().model.inputs[i].name,
                                   batch_to_canonical(zeros(batch.inputs[i].view().shape)));
    }
  }
  return answer;
}

Status NativeSession::save(const std::filesystem::path& path) {
  return tensor::save_safetensors(path, variables(names_of(job().model)), {});
}

tensor::TensorMap NativeSession::variables(const Names& wanted) {
  Shelf shelf(wanted);
  for (size_t i = 0; i < axes_.size(); ++i) {
    shelf.put(job().model.parameters[i].name, graph_.parameters[i].value, axes_[i]);
  }
  for (const GraphMoment& moment : graph_.moments) {
    shelf.put(moment_name(job().model, moment), moment.variable.value, axes_[moment.parameter]);
  }
  tensor::TensorMap values;
  shelf.convert(session_.run({}, shelf.nodes()), values);
  return values;
}

Result<Probed> NativeSession::probe(const ProbeStep& step) {
  if (step.is_training && !graph_.training) {
    return fail(ErrorKind::kUnsupported, "{}", kLoops);
  }
  CB_TRY(load_parameters(step.state == nullptr ? *job().weights : *step.state));
  const NativeBatch batch = whole_batch(step.batch);
  Shelf shelf(step.wanted);
  const Names& outputs = step.is_training ? graph_.training->outputs : graph_.outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const model::Node& node = job().model.nodes[i];
    shelf.put(node.name + ".out", outputs[i], batch_axes(node.output.size() + 1));
  }
  load_moments(step.state);
  if (step.is_training) {
    for (const auto& [parameter, node] : graph_.training->gradients) {
      shelf.put(job().model.parameters[parameter].name + ".grad", node, axes_[parameter]);
    }
  }
  Names fetches = shelf.nodes();
  if (!batch.targets.empty()) {
    fetches.push_back(step.is_training ? graph_.training->loss : graph_.loss);
  }
  draws_ += step.has_dropout ? 1 : 0;
  const auto draw = step.has_dropout ? std::optional(draws_) : std::nullopt;
  const auto fetched = step.is_training ? session_.run(training_feeds(batch, step.number, draw),
                                                       fetches,
                                                       {graph_.training->update})
                                        : session_.run(feeds_of(batch), fetches);
  Probed probed{.tensors = variables(step.wanted), .loss = std::nullopt};
  shelf.convert(fetched, probed.tensors);
  if (!batch.targets.empty()) {
    probed.loss = fetched.back().number();
  }
  return probed;
}

}  // namespace crossbind::worker
