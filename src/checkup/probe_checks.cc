// Intermediate values: that they are there, and that they are right by the referee's bounds.
#include "checkup/probe_step.h"
#include "judge/judged_step.h"

namespace crossbind::checkup {
namespace {

using trial::Kind;

Status shows_what_its_level_promises(Examination& examination) {
  CB_TRY(probe(examination));
  return {};
}

Status lists_what_it_cannot_show(Examination& examination) {
  constexpr const char* kUnknown = "no_such_layer.out";
  CB_ASSIGN(const auto probed, probe(examination, {kUnknown}));
  if (std::ranges::find(probed.done.missing, kUnknown) == probed.done.missing.end()) {
    return wrong("expected '{}' in 'missing', came {}",
                 kUnknown,
                 probed.done.missing.empty()
                     ? "an empty list"
                     : fmt::format("{}", fmt::join(probed.done.missing, ", ")));
  }
  return {};
}

Status probes_what_was_prepared_without_a_state(Examination& examination) {
  if (examination.able().probe == trial::ProbeLevel::kNone) {
    return skip("it claims no probe level");
  }
  CB_TRY(examination.need_parameters());
  CB_TRY(probe(examination));  // writes the batch
  CB_ASSIGN(const auto* exercise, examination.exercise());
  protocol::Probe request;
  request.mode = protocol::ProbeMode::kEval;
  request.batch = exercise->file("batch.safetensors");
  request.directory = exercise->file("probe");
  request.wanted = {exercise->model().nodes.back().name + ".out"};
  std::vector<std::vector<float>> shown;
  for (const bool is_named : {true, false}) {
    request.state = is_named ? exercise->prepare().weights : std::nullopt;
    CB_ASSIGN(auto* worker, examination.prepared());
    CB_ASSIGN(const Answer answer, worker->ask(request));
    CB_ASSIGN(const auto done, expect_done(answer));
    CB_ASSIGN(const auto file, tensor::SafetensorsFile::open(done.tensors.value_or("")));
    CB_ASSIGN(const auto values, file.values<float>(request.wanted.front()));
    shown.emplace_back(values.begin(), values.end());
  }
  if (shown[0] != shown[1]) {
    return wrong("expected the same outputs as with the prepared parameters as 'state'");
  }
  return {};
}

Result<ProbedStep> probe_at(Examination& examination, trial::ProbeLevel level) {
  if (examination.able().probe < level) {
    return skip("it does not claim the probe level '{}'", name_in(trial::kProbeLevels, level));
  }
  if (level == trial::ProbeLevel::kGradients) {
    CB_TRY(examination.need(trial::Task::kTrain));
  }
  return probe(examination);
}

// These kinds of a step that is probed at that level.
Status within_the_bound(Examination& examination,
                        trial::ProbeLevel level,
                        std::initializer_list<Kind> kinds) {
  CB_ASSIGN(const auto probed, probe_at(examination, level));
  CB_ASSIGN(const auto* exercise, examination.exercise());
  CB_ASSIGN(const auto judged, judge::judge_step(exercise->model(), probed.step));
  return expect_rounding(judge::worst_of(judged, kinds));
}

Status computes_each_layer_within_the_bound(Examination& examination) {
  return within_the_bound(examination, trial::ProbeLevel::kLayers, {Kind::kForward});
}

Status computes_each_gradient_within_the_bound(Examination& examination) {
  return within_the_bound(
      examination, trial::ProbeLevel::kGradients, {Kind::kLoss, Kind::kGradient});
}

Status updates_each_parameter_within_the_bound(Examination& examination) {
  return within_the_bound(
      examination, trial::ProbeLevel::kGradients, {Kind::kUpdate, Kind::kState});
}

}  // namespace

std::vector<Check> probe_checks() {
  return {
      {"probe",
       "shows what its probe level promises, from the state it is given",
       "probe",
       shows_what_its_level_promises,
       Stops::kGroup},
      {"probe", "lists what it cannot show", "probe", lists_what_it_cannot_show},
      {"probe",
       "evaluates what was prepared where there is no state",
       "probe",
       probes_what_was_prepared_without_a_state},
      {"probe",
       "computes each layer within the referee's bound",
       "probe",
       computes_each_layer_within_the_bound},
      {"probe",
       "computes loss and gradients within the referee's bound",
       "probe",
       computes_each_gradient_within_the_bound},
      {"probe",
       "updates each parameter within the referee's bound",
       "probe",
       updates_each_parameter_within_the_bound},
  };
}

}  // namespace crossbind::checkup
