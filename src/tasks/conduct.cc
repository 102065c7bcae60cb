#include "tasks/conduct.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/graph_json.h"
#include "tasks/infer/conduct.h"
#include "tasks/judge/conduct.h"
#include "tasks/rules.h"
#include "tasks/train/conduct.h"

namespace crossbind::tasks {
namespace {

using converse::Attempt;
using converse::because;
using converse::Failure;
using trial::Task;

constexpr protocol::RequestId kPrepareId = 1;

protocol::Prepare preparation(const Assignment& job, const std::filesystem::path& scratch) {
  protocol::Prepare prepare;
  prepare.id = kPrepareId;
  prepare.graph = model::canonical_graph(*job.model).dump();
  const bool serialized = is_serialized(job.task, job.settings.variant);
  (serialized ? prepare.serialized : prepare.weights) = job.model_file;
  prepare.format = job.format;
  prepare.data = job.data;
  if (rules_of(job.task).takes_steps) {
    prepare.order = job.order;
  }
  prepare.settings = job.settings;
  prepare.scratch = scratch;
  return prepare;
}

}  // namespace

Attempt<protocol::Texts> prepare(const Session& session) {
  const auto nothing_yet = [](const protocol::Event& event) -> Status {
    if (!std::holds_alternative<protocol::Progress>(event)) {
      return fail(ErrorKind::kInvalid, "reported results before it was asked to work");
    }
    return {};
  };
  auto done = session.dialogue.ask(preparation(session.job, session.directory), nothing_yet);
  if (!done) {
    return because(std::move(done).error());
  }
  const int64_t expected = session.job.model->parameter_count();
  if (done->parameters && *done->parameters != expected) {
    return because(Failure{
        fmt::format("built a model of {} parameters, expected {}", *done->parameters, expected)});
  }
  return std::move(done->effective);
}

Attempt<Measured> conduct(const Session& session, const protocol::Texts& effective) {
  switch (session.job.task) {
    case Task::kTrain:
      return train(session);
    case Task::kInferParameters:
    case Task::kInferSerialization:
      return infer(session);
    case Task::kJudge:
      return judge_steps(session, effective);
    case Task::kConform:
      return because(Failure{"a conformance test is no trial of a study"});
  }
  return because(Failure{"there is no such task"});
}

}  // namespace crossbind::tasks
