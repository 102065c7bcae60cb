#include "app/kept_verdicts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <span>

#include "base/digest.h"
#include "model/graph_json.h"
#include "tasks/conform/study.h"
#include "tasks/measured.h"

namespace crossbind::app {
namespace {

constexpr trial::Task kTask = trial::Task::kConform;

std::string against_of(const std::vector<conform::Participant>& participants,
                       const conform::Questions& questions) {
  return questions.against ? participants[*questions.against].name : "referee";
}

std::string_view geometry_of(const conform::Questions& questions) {
  return questions.is_full ? "full" : "conform";
}

// The device that conform asks for: the processor, where the worker has it.
std::string device_of(const conform::Participant& participant) {
  const auto& [command, binding, declared, serializer, device] = participant.candidate;
  return device.empty() ? trial::plain_settings(declared.value_or(trial::Capabilities())).device
                        : device;
}

store::Outcome outcome_of(conform::Outcome outcome) {
  switch (outcome) {
    case conform::Outcome::kBitForBit:
    case conform::Outcome::kRounding:
    case conform::Outcome::kConvention:
    case conform::Outcome::kKnown:
    case conform::Outcome::kDiverges:
      return store::Outcome::kDone;
    case conform::Outcome::kUnsupported:
      return store::Outcome::kUnsupported;
    case conform::Outcome::kFailed:
      return store::Outcome::kFailed;
  }
  return store::Outcome::kFailed;
}

// Trials of a store with one identity are one: each part has its length in front, so that no two
// lists of parts have the same bytes.
class Identity {
 public:
  void add(std::string_view part) {
    const std::string netstring = fmt::format("{}:{}", part.size(), part);
    sha_.update(std::as_bytes(std::span(netstring)));
  }
  [[nodiscard]] std::string hex() { return sha_.hex(); }

 private:
  Sha256 sha_;
};

class Keeping {
 public:
  Keeping(const conform::Conformance& report,
          const std::vector<conform::Participant>& participants,
          const conform::Questions& questions,
          const Occasion& occasion,
          store::ResultStore& store)
      : report_(report),
        participants_(participants),
        questions_(questions),
        occasion_(occasion),
        store_(store) {}

  Result<KeptVerdicts> keep() {
    CB_ASSIGN(there_, store_.outcomes());
    const auto keep_all = [&]() -> Status {
      CB_ASSIGN(study_, store_.add_study(study_of(participants_, questions_)));
      for (const auto& verdict : report_.verdicts) {
        CB_TRY(keep(verdict));
      }
      return {};
    };
    CB_TRY(store_.transact(keep_all));
    return kept_;
  }

 private:
  Status keep(const conform::Verdict& verdict) {
    const auto trial = record_of(verdict);
    const auto found = there_.find(trial.identity);
    if (found != there_.end() && found->second.outcome != store::Outcome::kFailed) {
      ++kept_.already_there;
      return store_.link_trial(study_, trial.identity);
    }
    ++kept_.added;
    return store_.add_trial(study_, trial);
  }

  [[nodiscard]] store::TrialRecord record_of(const conform::Verdict& verdict) const {
    const auto participant =
        std::ranges::find(participants_, verdict.binding, &conform::Participant::name);
    const auto model = std::ranges::find(questions_.models, verdict.model, &model::Model::id);
    store::TrialRecord trial;
    trial.identity = conform_identity(participants_,
                                      static_cast<size_t>(participant - participants_.begin()),
                                      *model,
                                      questions_);
    trial.axes.binding = verdict.binding;
    trial.axes.model = verdict.model;
    trial.axes.device = device_of(*participant);
    trial.axes.task = name_in(trial::kRecordedTasks, kTask);
    trial.outcome = outcome_of(verdict.outcome);
    if (trial.outcome != store::Outcome::kDone) {
      trial.reason = verdict.reason.empty() ? "no reason was given" : verdict.reason;
    }
    trial.started = occasion_.began;
    const auto set = [&](const char* name, const std::string& value) {
      trial.settings.push_back({name, value, value});
    };
    set("seeds", fmt::format("{}", fmt::join(questions_.seeds, " ")));
    set("steps", std::to_string(questions_.steps));
    set("geometry", std::string(geometry_of(questions_)));
    set("against", against_of(participants_, questions_));
    trial.host = occasion_.host;
    if (const auto versions = report_.versions.find(verdict.binding);
        versions != report_.versions.end()) {
      trial.worker = {versions->second.begin(), versions->second.end()};
    }
    tasks::write(tasks::Conformed(verdict), trial);
    return trial;
  }

  const conform::Conformance& report_;
  const std::vector<conform::Participant>& participants_;
  const conform::Questions& questions_;
  const Occasion& occasion_;
  store::ResultStore& store_;
  store::Outcomes there_;
  store::StudyId study_;
  KeptVerdicts kept_;
};

}  // namespace

store::StudyRecord study_of(const std::vector<conform::Participant>& participants,
                            const conform::Questions& questions) {
  std::vector<std::string> models;
  models.reserve(questions.models.size());
  for (const auto& model : questions.models) {
    models.push_back(fmt::format("\"{}\"", model.id));
  }
  return tasks::conform_study(
      fmt::format("models = [{}]\nseeds = [{}]\nsteps = {}\ngeometry = \"{}\"\n"
                  "against = \"{}\"\n",
                  fmt::join(models, ", "),
                  fmt::join(questions.seeds, ", "),
                  questions.steps,
                  geometry_of(questions),
                  against_of(participants, questions)));
}

std::string conform_identity(const std::vector<conform::Participant>& participants,
                             size_t participant,
                             const model::Model& model,
                             const conform::Questions& questions) {
  const auto& one = participants[participant];
  Identity identity;
  identity.add(name_in(trial::kRecordedTasks, kTask));
  identity.add(one.name);
  identity.add(one.build);
  identity.add(device_of(one));
  identity.add(model.id);
  identity.add(model::canonical_graph(model).dump());
  identity.add(fmt::format("{}", fmt::join(questions.seeds, " ")));
  identity.add(std::to_string(questions.steps));
  identity.add(geometry_of(questions));
  identity.add(against_of(participants, questions));
  identity.add(questions.against ? participants[*questions.against].build : "");
  for (const auto& known : one.known) {
    identity.add(fmt::format("{} {} {} {} {}",
                             known.model,
                             name_in(conform::kParts, known.part),
                             name_in(conform::kKinds, known.kind),
                             known.layer,
                             known.step));
    identity.add(known.why);
  }
  return identity.hex();
}

Result<KeptVerdicts> keep_verdicts(const conform::Conformance& report,
                                   const std::vector<conform::Participant>& participants,
                                   const conform::Questions& questions,
                                   const Occasion& occasion,
                                   store::ResultStore& store) {
  return Keeping(report, participants, questions, occasion, store).keep();
}

}  // namespace crossbind::app
