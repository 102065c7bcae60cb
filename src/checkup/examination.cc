#include "checkup/examination.h"

#include <fmt/format.h>

#include <map>

namespace crossbind::checkup {

Result<Conversation> Examination::start(place::Reach reach) {
  return start(candidate_.binding, candidate_.command, reach);
}

Result<Conversation> Examination::start(const std::string& binding,
                                        const process::Program& command,
                                        place::Reach reach) {
  CB_ASSIGN(auto worker, facilities_.launcher.launch(binding, command, {}, reach));
  return Conversation(std::move(worker), facilities_.patience);
}

Result<Conversation> Examination::meet() {
  CB_ASSIGN(auto conversation, start());
  CB_TRY(conversation.hear_hello());
  CB_TRY(conversation.welcome());
  return conversation;
}

Status Examination::need(trial::Task task) const {
  if (std::ranges::find(able().tasks, task) == able().tasks.end()) {
    return skip("it does not claim the task '{}'", name_in(trial::kTasks, task));
  }
  return {};
}

Status Examination::need_saving() const {
  if (!able().saves) {
    return skip("it does not claim to save parameters");
  }
  return {};
}

Status Examination::need_parameters() const {
  if (!need(trial::Task::kTrain) && !need(trial::Task::kInferParameters)) {
    return skip("it takes serialized models only");
  }
  return {};
}

Status Examination::need_inference() const {
  return need_parameters() ? need(trial::Task::kInferParameters)
                           : need(trial::Task::kInferSerialization);
}

Result<std::filesystem::path> Examination::serialized(const Exercise& exercise,
                                                      const Serializer& serializer) {
  CB_ASSIGN(auto conversation, start(serializer.binding, serializer.command, place::Reach::kUsual));
  CB_TRY(conversation.hear_hello());
  CB_TRY(conversation.welcome());
  protocol::Prepare prepare = exercise.prepare(exercise_settings(serializer.able));
  prepare.weights = exercise.file("weights.safetensors");
  prepare.serialized.reset();
  prepare.format.reset();
  CB_ASSIGN(const Answer prepared, conversation.ask(prepare));
  CB_TRY(expect_done(prepared));
  auto path = exercise.file("model.serialized");
  CB_ASSIGN(const Answer written,
            conversation.ask(protocol::Serialize{.path = path, .format = serializer.format}));
  CB_TRY(expect_done(written));
  return path;
}

Result<Exercise> Examination::make_exercise() {
  const bool takes_parameters = need_parameters().has_value();
  if (!takes_parameters && !candidate_.serializer) {
    return skip("it takes serialized models only, and no ready binding writes them");
  }
  auto settings = exercise_settings(able());
  if (!candidate_.device.empty()) {
    if (std::ranges::find(able().devices, candidate_.device) == able().devices.end()) {
      return skip("it does not claim the device '{}'", candidate_.device);
    }
    settings.device = candidate_.device;
  }
  CB_ASSIGN(
      auto model,
      choose_model(takes_parameters ? able() : candidate_.serializer->able, facilities_.models));
  CB_ASSIGN(auto exercise, Exercise::make(std::move(model), settings, facilities_.scratch));
  CB_TRY(exercise.save_long_order());
  if (!takes_parameters) {
    auto path = serialized(exercise, *candidate_.serializer);
    if (!path) {
      return skip("{} did not serialize the model for it: {}",
                  candidate_.serializer->binding,
                  path.error().message);
    }
    exercise.use_serialized(std::move(*path), candidate_.serializer->format);
  }
  return exercise;
}

Result<const Exercise*> Examination::exercise() {
  if (!exercise_) {
    CB_ASSIGN(exercise_, make_exercise());
  }
  return &*exercise_;
}

Result<const Expectation*> Examination::expectation() {
  CB_ASSIGN(const auto* given, exercise());
  if (!expectation_) {
    CB_ASSIGN(expectation_, expectation_of(*given));
  }
  return &*expectation_;
}

Result<Conversation*> Examination::worker() {
  if (worker_ == nullptr || worker_->is_over()) {
    worker_.reset();
    CB_ASSIGN(auto conversation, meet());
    worker_ = std::make_unique<Conversation>(std::move(conversation));
  }
  return worker_.get();
}

Result<Conversation*> Examination::prepared(const protocol::Prepare& prepare) {
  CB_ASSIGN(auto* conversation, worker());
  CB_ASSIGN(const Answer answer, conversation->ask(prepare));
  if (const auto done = expect_done(answer); !done) {
    return wrong("to prepare: {}", done.error().message);
  }
  return conversation;
}

Result<Conversation*> Examination::prepared() {
  CB_ASSIGN(const auto* given, exercise());
  return prepared(given->prepare());
}

Status Examination::is_alive() {
  if (worker_->is_over()) {
    return wrong("the worker did not stay alive for the next request");
  }
  CB_TRY(exercise());  // without one there is nothing that it could show
  if (const auto again = prepared(); !again) {
    return wrong("the next prepare did not work: {}", again.error().message);
  }
  return {};
}

Finding Examination::play(const Check& check) {
  const Status status = check.play(*this);
  if (status) {
    return {check, Mark::kOk, {}, false};
  }
  const bool is_skipped = status.error().kind == ErrorKind::kUnsupported;
  return {check, is_skipped ? Mark::kSkipped : Mark::kWrong, status.error().to_string(), false};
}

std::vector<Finding> Examination::play(const std::vector<Check>& checks,
                                       const OnFinding& on_finding) {
  std::vector<Finding> findings;
  std::map<std::string_view, std::string_view> stopped;  // group to what stopped it; "": all
  for (const Check& check : checks) {
    const auto everything = stopped.find("");
    const auto stop = everything != stopped.end() ? everything : stopped.find(check.group);
    Finding finding = stop == stopped.end()
                          ? play(check)
                          : Finding{check,
                                    Mark::kSkipped,
                                    fmt::format("mend first what is wrong with '{}'", stop->second),
                                    true};
    if (finding.mark == Mark::kWrong && check.stops != Stops::kNothing) {
      stopped.emplace(check.stops == Stops::kEverything ? "" : check.group, check.name);
    }
    on_finding(finding);
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> examine(const Candidate& candidate,
                             const Facilities& facilities,
                             const OnFinding& on_finding) {
  return Examination(candidate, facilities).play(all_checks(), on_finding);
}

std::vector<Check> all_checks() {
  std::vector<Check> checks;
  for (const auto& group : {greeting_checks(),
                            prepare_checks(),
                            training_checks(),
                            parameter_checks(),
                            interruption_checks(),
                            inference_checks(),
                            probe_checks(),
                            query_checks(),
                            ending_checks()}) {
    checks.insert(checks.end(), group.begin(), group.end());
  }
  return checks;
}

}  // namespace crossbind::checkup
