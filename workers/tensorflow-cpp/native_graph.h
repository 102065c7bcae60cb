// A model as one graph of TensorFlow: its variables, the layers in evaluation and in training mode,
// the loss, its gradients and the update. Here it is bytes and names of nodes, for a GraphSession.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph_session.h"
#include "model/model.h"
#include "tensor/tensor.h"

namespace crossbind::worker {

// A resource variable.
struct GraphVariable {
  std::string value;   // to fetch
  std::string given;   // to feed, and
  std::string assign;  // to run then
};

// What the optimizer remembers of a parameter.
struct GraphMoment {
  size_t parameter = 0;
  const char* kind = "m";  // or "v"
  GraphVariable variable;
};

struct TrainingNodes {
  std::string step;     // to feed: int64, counted from 1
  std::string draw;     // to feed: int64, another one for other masks of dropout
  std::string dropout;  // to feed: 1, or 0 to switch it off
  Names outputs;        // of every layer
  std::string loss;
  std::vector<std::pair<size_t, std::string>> gradients;  // by number of the parameter
  std::string update;                                     // to run
};

// In the order of the model, in TensorFlow's layout.
struct NativeGraph {
  std::string definition;
  Names inputs;   // to feed
  Names targets;  // likewise
  std::vector<GraphVariable> parameters;
  std::vector<GraphMoment> moments;
  Names outputs;  // of every layer in evaluation mode
  std::string loss;
  std::optional<TrainingNodes> training;
};

// The most steps of a recurrent layer that are trained. Loops have no gradient in C++, so that each
// step is a piece of graph of its own.
inline constexpr int64_t kMaximumTrainedSteps = 32;
[[nodiscard]] bool can_train(const model::Model& model);

// With a training part where the model can be trained.
[[nodiscard]] NativeGraph build_graph(const model::Model& model, int64_t seed);

// What is added to that graph to have the gradients of inputs, in evaluation mode. Few ask for
// them: it is made when somebody does.
struct InputGradients {
  std::string definition;  // of the nodes that build_graph() has not made
  // Of the sum over the samples of their losses, by number of the input; of those that are not
  // integers and that the loss depends on.
  std::vector<std::pair<size_t, std::string>> gradients;
};
// Of a model that can be trained; the seed is that of the graph.
[[nodiscard]] InputGradients build_input_gradients(const model::Model& model, int64_t seed);

// A graph that holds whole tensors and gives some of their rows.
struct RowsGraph {
  std::string definition;
  std::vector<GraphVariable> tensors;
  std::string ids;  // to feed
  Names rows;
};
[[nodiscard]] RowsGraph build_rows_graph(const std::vector<tensor::TensorView>& tensors);

}  // namespace crossbind::worker
