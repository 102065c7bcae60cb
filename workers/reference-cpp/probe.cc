#include "probe.h"

#include <fmt/format.h>

#include <cmath>

#include "reference/network.h"
#include "tensor/safetensors.h"

namespace crossbind::worker {
namespace {

using reference::Array;
using reference::Mode;
using reference::Network;
using reference::Targets;

struct ProbeBatch {
  std::vector<Array<double>> inputs;
  Targets targets;
};

Result<Array<double>> read_array(const tensor::SafetensorsFile& file,
                                 const std::string& name,
                                 bool is_integer) {
  CB_ASSIGN(const auto view, file.find(name));
  Array<double> array(view.shape);
  if (is_integer) {
    CB_ASSIGN(const auto values, file.values<int64_t>(name));
    std::ranges::copy(values, array.values.begin());
  } else {
    CB_ASSIGN(const auto values, file.values<float>(name));
    std::ranges::copy(values, array.values.begin());
  }
  return array;
}

bool has(const tensor::SafetensorsFile& file, const std::string& name) {
  return file.find(name).has_value();
}

Result<std::vector<int64_t>> read_labels(const tensor::SafetensorsFile& file,
                                         const std::string& name) {
  CB_ASSIGN(const auto values, file.values<int64_t>(name));
  return std::vector<int64_t>(values.begin(), values.end());
}

Result<ProbeBatch> read_batch(const model::Model& model, const protocol::Probe& request) {
  CB_ASSIGN(const auto file, tensor::SafetensorsFile::open(request.batch));
  ProbeBatch batch;
  for (const auto& input : model.inputs) {
    CB_ASSIGN(auto array, read_array(file, input.name, input.is_integer()));
    tensor::Shape expected = {array.batch()};
    expected.insert(expected.end(), input.shape.begin(), input.shape.end());
    if (array.shape != expected) {
      return fail(ErrorKind::kCorrupt,
                  "{}: '{}' is {}, expected {}",
                  request.batch.string(),
                  input.name,
                  tensor::to_string(array.shape),
                  tensor::to_string(expected));
    }
    batch.inputs.push_back(std::move(array));
  }
  const bool is_span = model.loss == model::Loss::kSpanCrossEntropy;
  const std::string first = is_span ? "start" : "label";
  if (request.mode == protocol::ProbeMode::kTrain || has(file, first)) {
    CB_ASSIGN(batch.targets.labels, read_labels(file, first));
    if (is_span) {
      CB_ASSIGN(batch.targets.ends, read_labels(file, "end"));
    }
  }
  return batch;
}

// Parameters and, where the optimizer has them, moments; a moment that is not there is 0.
Status load_state(Network<double>& network, const protocol::Probe& request) {
  CB_ASSIGN(const auto file, tensor::SafetensorsFile::open(*request.state));
  const model::Model& model = network.model();
  tensor::TensorMap parameters;
  for (size_t i = 0; i < model.parameters.size(); ++i) {
    const std::string& name = model.parameters[i].name;
    CB_ASSIGN(const auto view, file.find(name));
    parameters.emplace(name, tensor::Tensor(view));
    for (auto [suffix, moment] :
         {std::pair{".state.m", &network.state(i).m}, std::pair{".state.v", &network.state(i).v}}) {
      if (moment->values.empty() || !has(file, name + suffix)) {
        continue;
      }
      CB_ASSIGN(auto array, read_array(file, name + suffix, false));
      if (array.values.size() != moment->values.size()) {
        return fail(ErrorKind::kCorrupt,
                    "{}: '{}{}' has a wrong size",
                    request.state->string(),
                    name,
                    suffix);
      }
      *moment = std::move(array);
    }
  }
  network.step() = request.step - 1;
  return network.load(parameters);
}

tensor::Tensor as_float32(const Array<double>& array) {
  return {array.shape, std::vector<float>(array.values.begin(), array.values.end())};
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

Result<Reply> probe_step(const model::Model& model,
                         const tensor::TensorMap& prepared,
                         const protocol::Probe& request) {
  CB_ASSIGN(const auto batch, read_batch(model, request));
  Network<double> network(model, {}, {.enabled = false});
  CB_TRY(request.state ? load_state(network, request) : network.load(prepared));
  const bool is_training = request.mode == protocol::ProbeMode::kTrain;
  network.forward(batch.inputs, is_training ? Mode::kTrain : Mode::kEvaluate);
  protocol::Done done;
  if (is_training) {
    done.loss = network.backward(batch.inputs, batch.targets).value;
    network.update(batch.inputs);
  } else if (!batch.targets.labels.empty()) {
    done.loss =
        reference::compute_loss(model.loss, network.math(), network.output(), batch.targets).value;
  }
  if (done.loss && !std::isfinite(*done.loss)) {
    return protocol::Failed{0, protocol::FailureCode::kNotFinite, "the loss is not finite"};
  }
  Shelf shelf(network, is_training);
  tensor::TensorMap tensors;
  for (const std::string& name : request.wanted) {
    if (const auto* array = shelf.find(name)) {
      tensors.insert_or_assign(name, as_float32(*array));
    } else {
      done.missing.push_back(name);
    }
  }
  done.tensors = request.directory / fmt::format("{}.safetensors", request.id);
  if (const auto saved = tensor::save_safetensors(*done.tensors, tensors, {}); !saved) {
    return cannot_write(saved.error());
  }
  return done;
}

}  // namespace crossbind::worker
