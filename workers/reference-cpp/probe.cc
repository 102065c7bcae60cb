#include "probe.h"

#include "batch.h"
#include "referee/rounding.h"
#include "tensor/safetensors.h"

namespace crossbind::worker {
namespace {

using referee::Array;
using referee::Mode;
using referee::Network;
using referee::Targets;

// Where the optimizer has moments; one that is not there is 0.
Status load_moments(Network<double>& network, const ProbeStep& step) {
  const model::Model& model = network.model();
  for (size_t i = 0; i < model.parameters.size(); ++i) {
    for (auto [suffix, moment] :
         {std::pair{".state.m", &network.state(i).m}, std::pair{".state.v", &network.state(i).v}}) {
      const auto view = step.state->find(model.parameters[i].name + suffix);
      if (!moment->values.empty() && view) {
        CB_ASSIGN(*moment, as_array(*view));
      }
    }
  }
  network.step() = step.number - 1;
  return {};
}

// Everything that can be asked for, by name.
class Shelf {
 public:
  Shelf(Network<double>& network, bool has_stepped)
      : network_(network),
        has_stepped_(has_stepped) {}

  [[nodiscard]] const Array<double>* find(const std::string& name) {
    const model::Model& model = network_.model();
    for (size_t i = 0; i < model.nodes.size(); ++i) {
      if (name == model.nodes[i].name + ".out") {
        return &network_.output(i);
      }
    }
    for (size_t i = 0; i < model.parameters.size(); ++i) {
      if (const auto* found = of_parameter(name, i)) {
        return found->values.empty() ? nullptr : found;
      }
    }
    return nullptr;
  }

 private:
  const Array<double>* of_parameter(const std::string& name, size_t i) {
    const std::string& parameter = network_.model().parameters[i].name;
    if (name == parameter) {
      return &network_.parameter(i);
    }
    if (!has_stepped_ || !name.starts_with(parameter)) {
      return nullptr;
    }
    const std::string_view rest = std::string_view(name).substr(parameter.size());
    if (rest == ".grad") {
      return &network_.gradient(i);
    }
    if (rest == ".state.m") {
      return &network_.state(i).m;
    }
    return rest == ".state.v" ? &network_.state(i).v : nullptr;
  }

  Network<double>& network_;
  bool has_stepped_;
};

}  // namespace

Status load_parameters(Network<double>& network, const tensor::SafetensorsFile& file) {
  tensor::TensorMap parameters;
  for (const model::Parameter& parameter : network.model().parameters) {
    CB_ASSIGN(const auto view, file.find(parameter.name));
    parameters.emplace(parameter.name, tensor::Tensor(view));
  }
  return network.load(parameters);
}

Result<Probed> probe_step(const Job& job,
                          const ProbeStep& step,
                          const referee::DropoutSource& dropout) {
  CB_ASSIGN(const auto inputs, inputs_of(step.batch));
  CB_ASSIGN(const Targets targets, targets_of(step.batch));
  // Each layer works with what is shown of the one before. In float64, the largest value of a
  // pooling window may be one that is no longer the largest when it is shown.
  Network<double> network(job.model, {.rounds_outputs = true}, dropout);
  CB_TRY(load_parameters(network, step.state == nullptr ? *job.weights : *step.state));
  network.step() = dropout.step;  // what it draws by; load_moments() sets it for the update
  network.forward(inputs, step.is_training ? Mode::kTrain : Mode::kEvaluate);
  Probed probed;
  if (step.is_training) {
    CB_TRY(load_moments(network, step));
    probed.loss = network.backward(inputs, targets).value;
    network.update(inputs);
  } else if (!targets.labels.empty()) {
    probed.loss =
        referee::compute_loss(job.model.loss, network.math(), network.output(), targets).value;
  }
  Shelf shelf(network, step.is_training);
  for (const std::string& name : step.wanted) {
    if (const auto* array = shelf.find(name)) {
      probed.tensors.insert_or_assign(name, as_float32(*array));
    }
  }
  return probed;
}

}  // namespace crossbind::worker
