// Building a model, and refusing what cannot be built.
#include <nlohmann/json.hpp>

#include "checkup/examination.h"
#include "protocol/codec.h"
#include "tensor/safetensors.h"

namespace crossbind::checkup {
namespace {

using protocol::FailureCode;
using protocol::Prepare;
using tensor::TensorMap;

// A request that must fail; the worker must work after it.
Status refuses(Examination& examination, const Prepare& prepare, FailureCode code) {
  CB_ASSIGN(auto* worker, examination.worker());
  CB_ASSIGN(const Answer answer, worker->ask(prepare));
  CB_TRY(expect_failure(answer, code));
  return examination.is_alive();
}

// Asks for work that nothing is prepared for.
Status refuses_to_work(Examination& examination, Conversation& worker) {
  const bool trains = examination.need(trial::Task::kTrain).has_value();
  CB_ASSIGN(const Answer answer,
            trains ? worker.ask(protocol::Train{}) : worker.ask(protocol::Infer{}));
  return expect_failure(answer, FailureCode::kBadRequest);
}

Status does_nothing_before_it_is_prepared(Examination& examination) {
  CB_ASSIGN(auto* worker, examination.worker());
  return refuses_to_work(examination, *worker);
}

Status builds_a_model(Examination& examination) {
  CB_ASSIGN(const auto* exercise, examination.exercise());
  CB_ASSIGN(auto* worker, examination.worker());
  CB_ASSIGN(const Answer answer, worker->ask(exercise->prepare()));
  CB_ASSIGN(const auto done, expect_done(answer));
  const int64_t expected = exercise->model().parameter_count();
  if (!done.parameters) {
    return wrong("expected 'parameters' {} in done, came none", expected);
  }
  if (*done.parameters != expected) {
    return wrong("expected {} parameters (running statistics included) of the model {}, came {}",
                 expected,
                 exercise->model().id,
                 *done.parameters);
  }
  if (!answer.events.empty()) {
    return wrong("expected no events before the reply, came {}", answer.events.size());
  }
  return {};
}

Status ignores_members_that_it_does_not_know(Examination& examination) {
  CB_ASSIGN(const auto* exercise, examination.exercise());
  CB_ASSIGN(auto* worker, examination.worker());
  auto prepare = nlohmann::ordered_json::parse(protocol::encode(exercise->prepare()));
  prepare.erase("id");
  prepare["weather"] = {{"wind", {1, 2}}};
  prepare["settings"]["moon"] = "full";
  CB_TRY(worker->begin_raw(prepare.dump()));
  CB_ASSIGN(const Answer answer, worker->finish());
  CB_TRY(expect_done(answer));
  return {};
}

Status answers_nonsense_with_bad_request(Examination& examination) {
  CB_ASSIGN(auto* worker, examination.worker());
  for (const char* request : {R"({"type": "dance"})", R"({"type": "prepare", "graph": 7})"}) {
    CB_TRY(worker->begin_raw(request));
    const auto answer = worker->finish();
    if (!answer) {
      return wrong("to {}: {}", request, answer.error().message);
    }
    if (const auto failed = expect_failure(*answer, FailureCode::kBadRequest); !failed) {
      return wrong("to {}: {}", request, failed.error().message);
    }
  }
  return examination.is_alive();
}

Status names_a_layer_that_it_does_not_have(Examination& examination) {
  constexpr const char* kFeature = "layer teleport";
  CB_TRY(examination.need_parameters());
  CB_ASSIGN(const auto* exercise, examination.exercise());
  Prepare prepare = exercise->prepare();
  auto graph = nlohmann::ordered_json::parse(prepare.graph);
  graph["nodes"].back()["type"] = "teleport";
  prepare.graph = graph.dump();
  CB_ASSIGN(auto* worker, examination.worker());
  CB_ASSIGN(const Answer answer, worker->ask(prepare));
  const auto* unsupported = std::get_if<protocol::Unsupported>(&answer.reply);
  if (unsupported == nullptr || unsupported->feature != kFeature) {
    return wrong("expected unsupported: {}, came {}", kFeature, describe(answer.reply));
  }
  return examination.is_alive();
}

// An optimizer that the worker lacks must not keep it from inference.
Status refuses_an_optimizer_only_when_it_trains(Examination& examination) {
  CB_TRY(examination.need(trial::Task::kTrain));
  const auto& known = examination.able().optimizers;
  const char* lacking = nullptr;
  for (const char* optimizer : {"sgd", "adam"}) {
    lacking = std::ranges::find(known, optimizer) == known.end() ? optimizer : lacking;
  }
  if (lacking == nullptr) {
    return skip("it claims every optimizer");
  }
  CB_ASSIGN(const auto* exercise, examination.exercise());
  Prepare prepare = exercise->prepare();
  auto graph = nlohmann::ordered_json::parse(prepare.graph);
  graph["optimizer"] = {{"type", lacking},
                        {"rate", 0.05},
                        {"momentum", 0.0},
                        {"beta1", 0.9},
                        {"beta2", 0.999},
                        {"epsilon", 1e-8},
                        {"epsilon_form", "outside"},
                        {"weight_decay", graph["optimizer"]["weight_decay"]}};
  prepare.graph = graph.dump();
  CB_ASSIGN(auto* worker, examination.prepared(prepare));
  CB_ASSIGN(const Answer answer, worker->ask(protocol::Train{}));
  const auto* unsupported = std::get_if<protocol::Unsupported>(&answer.reply);
  const std::string feature = fmt::format("optimizer {}", lacking);
  if (unsupported == nullptr || unsupported->feature != feature) {
    return wrong("to train: expected unsupported: {}, came {}", feature, describe(answer.reply));
  }
  return examination.is_alive();
}

Prepare without_model_file(const Exercise& exercise) {
  Prepare prepare = exercise.prepare();
  (exercise.is_serialized() ? prepare.serialized : prepare.weights) =
      exercise.file("no-such.safetensors");
  return prepare;
}

Status refuses_weights_that_are_not_there(Examination& examination) {
  CB_ASSIGN(const auto* exercise, examination.exercise());
  return refuses(examination, without_model_file(*exercise), FailureCode::kBadInput);
}

// Weights with something changed in them.
Result<Prepare> with_weights(const Exercise& exercise, const TensorMap& weights) {
  Prepare prepare = exercise.prepare();
  prepare.weights = exercise.file("changed.safetensors");
  CB_TRY(tensor::save_safetensors(*prepare.weights, weights, {}));
  return prepare;
}

Status refuses_weights_that_lack_a_parameter(Examination& examination) {
  CB_TRY(examination.need_parameters());
  CB_ASSIGN(const auto* exercise, examination.exercise());
  CB_ASSIGN(auto weights, tensor::load_safetensors(exercise->file("weights.safetensors")));
  weights.erase(weights.begin());
  CB_ASSIGN(const Prepare prepare, with_weights(*exercise, weights));
  return refuses(examination, prepare, FailureCode::kBadInput);
}

Status refuses_weights_of_another_shape(Examination& examination) {
  CB_TRY(examination.need_parameters());
  CB_ASSIGN(const auto* exercise, examination.exercise());
  CB_ASSIGN(auto weights, tensor::load_safetensors(exercise->file("weights.safetensors")));
  weights.begin()->second = tensor::Tensor({1}, std::vector<float>{1});
  CB_ASSIGN(const Prepare prepare, with_weights(*exercise, weights));
  return refuses(examination, prepare, FailureCode::kBadInput);
}

Status refuses_data_that_are_not_there(Examination& examination) {
  CB_ASSIGN(const auto* exercise, examination.exercise());
  Prepare prepare = exercise->prepare();
  prepare.data->path = exercise->file("no-such.safetensors");
  return refuses(examination, prepare, FailureCode::kBadInput);
}

Status refuses_an_order_of_another_shape(Examination& examination) {
  CB_TRY(examination.need(trial::Task::kTrain));
  CB_ASSIGN(const auto* exercise, examination.exercise());
  Prepare prepare = exercise->prepare();
  prepare.order = exercise->file("long-order.safetensors");
  return refuses(examination, prepare, FailureCode::kBadInput);
}

Status forgets_its_model_when_prepare_fails(Examination& examination) {
  CB_ASSIGN(const auto* exercise, examination.exercise());
  CB_ASSIGN(auto* worker, examination.prepared());
  CB_TRY(worker->ask(without_model_file(*exercise)));
  return refuses_to_work(examination, *worker);
}

}  // namespace

std::vector<Check> prepare_checks() {
  return {
      {"prepare",
       "does nothing before it is prepared",
       "Replies",
       does_nothing_before_it_is_prepared},
      {"prepare", "builds a model", "prepare", builds_a_model, Stops::kEverything},
      {"prepare",
       "ignores members that it does not know",
       "Lines",
       ignores_members_that_it_does_not_know},
      {"prepare",
       "answers a request that makes no sense with bad_request",
       "Replies",
       answers_nonsense_with_bad_request},
      {"prepare",
       "names a layer that it does not have",
       "Replies",
       names_a_layer_that_it_does_not_have},
      {"prepare",
       "refuses an optimizer that it lacks only when it is to train",
       "prepare",
       refuses_an_optimizer_only_when_it_trains},
      {"prepare",
       "refuses weights that are not there",
       "Replies",
       refuses_weights_that_are_not_there},
      {"prepare",
       "refuses weights that lack a parameter",
       "prepare",
       refuses_weights_that_lack_a_parameter},
      {"prepare", "refuses weights of another shape", "prepare", refuses_weights_of_another_shape},
      {"prepare", "refuses data that are not there", "Replies", refuses_data_that_are_not_there},
      {"prepare",
       "refuses an order of another shape",
       "prepare",
       refuses_an_order_of_another_shape},
      {"prepare",
       "forgets its model when prepare fails",
       "prepare",
       forgets_its_model_when_prepare_fails},
  };
}

}  // namespace crossbind::checkup
