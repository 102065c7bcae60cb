#include "conform/evaluation_part.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <numeric>

#include "conform/cause.h"
#include "conform/locate.h"
#include "conform/queried.h"
#include "converse/parameters_file.h"
#include "converse/query_answer.h"
#include "judge/free_step.h"
#include "judge/step_tensors.h"
#include "model/graph_json.h"
#include "tasks/missing.h"
#include "tasks/rules.h"
#include "tensor/philox.h"

namespace crossbind::conform {
namespace {

using converse::Attempt;
using converse::because;
using trial::ProbeLevel;
using trial::Task;

constexpr uint32_t kStatisticsStream = 1;  // the data of an exercise are 0

// Near what the steps came to, so that activations stay of their size, but none is where it was: a
// variance between half and twice, a mean off by up to a deviation.
tensor::TensorMap with_other_statistics(const model::Model& model,
                                        const tensor::TensorMap& state,
                                        uint32_t seed) {
  tensor::PhiloxStream stream(seed, tensor::Purpose::kTest, kStatisticsStream);
  tensor::TensorMap changed;
  for (const auto& parameter : model.parameters) {
    const auto& before = state.at(parameter.name);
    const auto values = *before.view().as<float>();
    std::vector<float> after(values.begin(), values.end());
    for (float& value : after) {
      if (parameter.role == model::Role::kRunningVariance) {
        value *= static_cast<float>(0.5 + 1.5 * stream.uniform());
      } else if (parameter.role == model::Role::kRunningMean) {
        value += static_cast<float>(stream.uniform() - 0.5);
      }
    }
    changed.emplace(parameter.name, tensor::Tensor(before.shape(), after));
  }
  return changed;
}

// The first tensor, in the order of the graph, that differs between two evaluations.
const model::Node* first_difference(const model::Model& model,
                                    const tensor::TensorMap& one,
                                    const tensor::TensorMap& other) {
  for (const auto& node : model.nodes) {
    const auto left = one.find(node.name + ".out");
    const auto right = other.find(node.name + ".out");
    if (left != one.end() && right != other.end() && !judge::is_same(left->second, right->second)) {
      return &node;
    }
  }
  return nullptr;
}

double largest_difference(const tensor::Tensor& one, const tensor::Tensor& other) {
  const auto left = *one.view().as<float>();
  const auto right = *other.view().as<float>();
  double largest = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    largest = std::max(largest, std::abs(double{left[i]} - double{right[i]}));
  }
  return largest;
}

class EvaluationPart {
 public:
  EvaluationPart(const Bench& bench, FreeOutputs& outputs, Task task)
      : bench_(bench),
        outputs_(outputs),
        task_(task) {
    const auto probe = bench.able.probe;
    const bool shows_layers = !tasks::rules_of(task).takes_file && probe >= ProbeLevel::kLayers;
    evaluated_.level = shows_layers ? ProbeLevel::kLayers : ProbeLevel::kOutputs;
    folder_ = bench.subject.fresh_folder("evaluation");
  }

  Attempt<Evaluated> run() {
    if (const auto started = start(); !started) {
      return because_of(started.error());
    }
    if (const auto prepared = prepare(); !prepared) {
      return because(prepared.error());
    }
    const auto first = infer();
    const auto second = first ? infer() : first;
    if (!second) {
      return because(second.error());
    }
    const auto queried = query();
    if (!queried) {
      return because(queried.error());
    }
    if (evaluated_.level == ProbeLevel::kLayers) {
      if (const auto probed = judge_layers(); !probed) {
        return because(probed.error());
      }
    }
    if (const auto judged = judge_outputs(*first, *second); !judged) {
      return because_of(judged.error());
    }
    if (const auto judged = judge_query(*queried); !judged) {
      return because_of(judged.error());
    }
    if (auto& divergence = evaluated_.finding.divergence) {
      evaluated_.finding.outcome = Outcome::kDiverges;
      divergence->part = Part::kEvaluation;
      divergence->kind = divergence->kind == Kind::kGradient ? Kind::kGradient : Kind::kEvaluation;
      divergence->seed = bench_.course.seed();
      divergence->step = 1;
    }
    return std::move(evaluated_);
  }

 private:
  [[nodiscard]] const model::Model& model() const { return bench_.course.whole_model(); }
  [[nodiscard]] std::string last_output() const { return model().nodes.back().name + ".out"; }
  [[nodiscard]] std::filesystem::path file(const char* name) const { return folder_ / name; }

  // The state and the batch, here and as files.
  Status start() {
    const auto& exercise = bench_.course.exercise();
    CB_ASSIGN(const auto state,
              tensor::load_safetensors(bench_.course.state_file(bench_.course.steps() + 1)));
    start_.trains = false;
    start_.state = with_other_statistics(model(), state, bench_.course.seed());
    CB_TRY(tensor::save_safetensors(file("weights.safetensors"), start_.state, {}));
    CB_ASSIGN(const auto split,
              referee::Split::open(exercise.data(), "test", model(), exercise.samples().test));
    std::vector<int64_t> ids(static_cast<size_t>(split.size()));
    std::iota(ids.begin(), ids.end(), int64_t{0});
    start_.batch = split.gather<double>(ids);
    CB_ASSIGN(const auto batch, judge::batch_of(exercise.data(), ids, "test"));
    return tensor::save_safetensors(file("batch.safetensors"), batch, {});
  }

  Attempt<void> prepare() {
    auto request = bench_.course.exercise().prepare(settings_of(bench_), {});
    request.graph = model::canonical_graph(model()).dump();
    request.weights = file("weights.safetensors");
    request.order.reset();
    if (tasks::rules_of(task_).takes_file) {
      auto serialized = serialize();
      if (!serialized) {
        return because(serialized.error());
      }
      request.weights.reset();
      request.serialized = std::move(*serialized);
      request.format = bench_.subject.candidate().serializer->format;
    }
    auto built = conform::prepare(bench_, model(), std::move(request));
    if (!built) {
      return because(built.error());
    }
    built_ = std::move(built->model);
    evaluated_.conventions = std::move(built->conventions);
    return {};
  }

  Attempt<std::filesystem::path> serialize() {
    const auto& serializer = *bench_.subject.candidate().serializer;
    auto settings = trial::plain_settings(serializer.able);
    settings.seed = bench_.course.seed();
    return bench_.serialized.get({.binding = serializer.binding,
                                  .command = serializer.command,
                                  .model = &model(),
                                  .weights = file("weights.safetensors"),
                                  .settings = settings,
                                  .format = serializer.format});
  }

  Attempt<tensor::TensorMap> infer() {
    const auto path = file("outputs.safetensors");
    const auto done = bench_.subject.ask(protocol::Infer{.outputs = path});
    if (!done) {
      return because(done.error());
    }
    auto outputs = tensor::load_safetensors(path);
    if (!outputs) {
      return because_of(outputs.error());
    }
    const auto found = outputs->find("outputs");
    const auto shape = converse::outputs_shape(model(), start_.batch.inputs.front().batch());
    if (found == outputs->end() || found->second.dtype() != tensor::DType::kF32 ||
        found->second.shape() != shape) {
      return because(converse::Failure{"wrote outputs that are not " + tensor::to_string(shape) +
                                       " of float32"});
    }
    tensor::TensorMap named;
    named.emplace(last_output(), std::move(found->second));
    return named;
  }

  // What it answers to a query with gradients; nothing where it does not claim to, or lacks the
  // loss.
  Attempt<tensor::TensorMap> query() {
    if (bench_.able.queries < trial::Queries::kGradients || tasks::rules_of(task_).takes_file) {
      return tensor::TensorMap();
    }
    const protocol::Query request{.batch = file("batch.safetensors"),
                                  .gradients = true,
                                  .answer = file("answer.safetensors")};
    const auto done = bench_.subject.ask(request);
    if (!done) {
      return std::holds_alternative<converse::Lack>(done.error())
                 ? Attempt<tensor::TensorMap>(tensor::TensorMap())
                 : because(done.error());
    }
    auto answer = converse::read_query_answer(
        request.answer, model(), start_.batch.inputs.front().batch(), true);
    return answer ? Attempt<tensor::TensorMap>(std::move(*answer)) : because_of(answer.error());
  }

  Status judge_query(const tensor::TensorMap& answer) {
    if (answer.empty() || evaluated_.finding.divergence) {
      return {};
    }
    CB_ASSIGN(auto found, judge_answer(built_, start_, answer));
    note(std::move(found));
    return {};
  }

  // Layers, where the worker shows them: each from its recorded input, and the same every time.
  Attempt<void> judge_layers() {
    const converse::StepFiles files{file("batch.safetensors"), std::nullopt, folder_};
    const auto ask = [&](const protocol::Probe& request) { return bench_.subject.ask(request); };
    const auto one = converse::take_step(ask, built_, ProbeLevel::kLayers, start_, files);
    const auto other =
        one ? converse::take_step(ask, built_, ProbeLevel::kLayers, start_, files) : one;
    if (!other) {
      return because(other.error());
    }
    auto found = locate(built_, *one);
    if (!found && found.error().kind == ErrorKind::kUnsupported) {
      evaluated_.level = ProbeLevel::kOutputs;
      return {};
    }
    if (!found) {
      return because_of(found.error());
    }
    note(std::move(*found));
    compare(one->tensors, other->tensors);
    if (auto& divergence = evaluated_.finding.divergence) {
      divergence->cause = find_cause({built_, *one}, *divergence).value_or("");
      auto diverging = case_of(model(), start_, file("batch.safetensors"));
      if (!diverging) {
        return because_of(diverging.error());
      }
      evaluated_.diverging = std::move(*diverging);
    }
    return {};
  }

  Status judge_outputs(const tensor::TensorMap& one, const tensor::TensorMap& other) {
    compare(one, other);
    if (evaluated_.finding.divergence) {
      return {};
    }
    CB_ASSIGN(const auto free, outputs_.get(built_, start_, bench_.course.seed()));
    const auto deviation = judge::deviation_of(
        last_output(), judge::array_of(one.at(last_output())), free, referee::Scope::kSample);
    StepFinding found{deviation.ratio, std::nullopt};
    if (!deviation.is_rounding()) {
      found.divergence = divergence_of(built_, Kind::kEvaluation, deviation);
      found.divergence->detail = "the outputs of infer";
    }
    note(std::move(found));
    return {};
  }

  void note(StepFinding found) {
    auto& finding = evaluated_.finding;
    finding.ratio = found.divergence ? found.ratio : std::max(finding.ratio, found.ratio);
    finding.divergence = std::move(found.divergence);
  }

  void compare(const tensor::TensorMap& one, const tensor::TensorMap& other) {
    const auto* node = first_difference(built_, one, other);
    if (node == nullptr || evaluated_.finding.divergence) {
      return;
    }
    const std::string tensor = node->name + ".out";
    Divergence divergence;
    divergence.layer = node->name;
    divergence.tensor = tensor;
    divergence.error = largest_difference(one.at(tensor), other.at(tensor));
    divergence.detail = "two evaluations of the same inputs differ";
    evaluated_.finding.ratio = std::numeric_limits<double>::infinity();
    evaluated_.finding.divergence = std::move(divergence);
  }

  const Bench& bench_;
  FreeOutputs& outputs_;
  Task task_;
  std::filesystem::path folder_;
  judge::RecordedStep start_;
  model::Model built_;  // with the conventions that the worker has
  Evaluated evaluated_;
};

// How the worker gets the model; or what it lacks.
Attempt<Task> way_of(const Bench& bench) {
  const auto& model = bench.course.whole_model();
  auto lack = tasks::missing_feature(bench.able, model, Task::kInferParameters, settings_of(bench));
  if (!lack) {
    return Task::kInferParameters;
  }
  const auto& serializer = bench.subject.candidate().serializer;
  if (has_task(bench, Task::kInferSerialization) && serializer &&
      !tasks::missing_of_model(serializer->able, model, Task::kInferParameters)) {
    return Task::kInferSerialization;
  }
  return because(converse::Lack{*lack});
}

}  // namespace

Result<referee::Bounded> FreeOutputs::get(const model::Model& built,
                                          const judge::RecordedStep& start,
                                          uint32_t seed) {
  std::unique_lock lock(mutex_);
  Entry& entry = entries_[fmt::format("{} {}", seed, model::canonical_graph(built).dump())];
  lock.unlock();
  const std::scoped_lock own(entry.mutex);  // others of the same model wait for it
  if (!entry.output) {
    CB_ASSIGN(auto free, judge::free_step(built, start));
    entry.output = std::move(free.output);
  }
  return *entry.output;
}

Attempt<Evaluated> evaluation_part(const Bench& bench, FreeOutputs& outputs) {
  const auto way = way_of(bench);
  if (!way) {
    return because(way.error());
  }
  return EvaluationPart(bench, outputs, *way).run();
}

}  // namespace crossbind::conform
