#include "app/study_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/file.h"
#include "converse/parameters_file.h"
#include "data/dataset.h"
#include "data/get.h"
#include "process/command.h"
#include "run/materials.h"

namespace crossbind::app {
namespace {

std::string why_not(const workers::Binding& binding) {
  if (binding.state == workers::State::kReady) {
    return {};
  }
  return binding.command.empty() ? binding.reason
                                 : fmt::format("{}: {}", binding.reason, binding.command);
}

plan::BindingFacts facts_of(const workers::Binding& binding) {
  plan::BindingFacts facts;
  facts.name = binding.name;
  if (binding.manifest) {
    facts.capabilities = binding.manifest->capabilities;
  }
  facts.build = binding.build;
  facts.unavailable = why_not(binding);
  return facts;
}

Result<plan::DatasetFacts> facts_of(const std::string& id, const std::filesystem::path& cache) {
  CB_ASSIGN(const auto info, data::find_dataset(id));
  plan::DatasetFacts facts;
  facts.id = id;
  facts.train = info.train;
  facts.test = info.test;
  const auto inspection = data::inspect(info, cache, data::Depth::kSizes);
  if (inspection.state != data::State::kReady) {
    const bool is_made = info.kind == data::Kind::kGlyphs;
    (is_made ? facts.made_first : facts.unavailable) =
        fmt::format("data set {} is {}: {}",
                    id,
                    inspection.state == data::State::kAbsent ? "not there" : inspection.reason,
                    is_made ? "crossbind run makes it" : data::get_command(info));
    return facts;
  }
  facts.sha256 = inspection.sha256;
  CB_ASSIGN(const auto dataset, data::open_dataset(id, cache));
  CB_ASSIGN(facts.train, dataset.samples("train"));
  CB_ASSIGN(facts.test, dataset.samples("test"));
  return facts;
}

// Hashed whole each time: nothing says that a file of the user's is still the one it was.
plan::SuppliedFacts facts_of_parameters(const spec::ModelEntry& entry,
                                        const std::filesystem::path& cache) {
  const auto path = run::Materials({}, cache).supplied(entry.parameters);
  if (!std::filesystem::exists(path)) {
    return {{},
            fmt::format("the parameters '{}' are the user's, and not there: put them into {}",
                        entry.parameters,
                        path.string())};
  }
  auto hash = converse::hash_parameters(path, entry.model);
  return hash ? plan::SuppliedFacts{*hash, {}} : plan::SuppliedFacts{{}, hash.error().to_string()};
}

plan::PastState state_of(store::Outcome outcome) {
  switch (outcome) {
    case store::Outcome::kDone:
      return plan::PastState::kDone;
    case store::Outcome::kUnsupported:
      return plan::PastState::kUnsupported;
    case store::Outcome::kFailed:
      return plan::PastState::kFailed;
  }
  return plan::PastState::kFailed;
}

Status generate_data(const spec::Study& study,
                     const std::filesystem::path& cache,
                     Progress& progress) {
  for (const auto& entry : study.models) {
    CB_ASSIGN(const auto info, data::find_dataset(entry.model.dataset));
    const auto inspection = data::inspect(info, cache, data::Depth::kSizes);
    if (info.kind != data::Kind::kGlyphs || inspection.state == data::State::kReady) {
      continue;
    }
    const data::Workshop workshop{
        cache, process::run, progress, static_cast<int>(std::thread::hardware_concurrency())};
    CB_TRY(data::get_dataset({info, {}, {}, false}, workshop));
  }
  return {};
}

}  // namespace

Result<StudyOnMachine> look_up_study(const PlanOptions& options,
                                     MissingData missing,
                                     const Machine& machine,
                                     Progress& progress) {
  CB_ASSIGN(const auto path, spec::find_study(options.study, machine.studies));
  StudyOnMachine found;
  CB_ASSIGN(found.text, read_file(path));
  CB_ASSIGN(
      found.study,
      spec::parse_study(found.text, path.string(), spec::models_beside(path, machine.models)));
  CB_ASSIGN(found.bindings, workers::list_bindings(machine.workers));
  CB_TRY(look_up_facts(options, missing, machine, progress, found));
  return found;
}

Status look_up_facts(const PlanOptions& options,
                     MissingData missing,
                     const Machine& machine,
                     Progress& progress,
                     StudyOnMachine& found) {
  for (const auto& binding : found.bindings) {
    found.facts.bindings.push_back(facts_of(binding));
  }
  found.facts.retry_failed = options.retry_failed;
  for (const std::string& term : options.only) {
    CB_ASSIGN(auto only, plan::parse_only(term));
    found.facts.only.push_back(std::move(only));
  }
  if (missing == MissingData::kGenerate) {
    CB_TRY(generate_data(found.study, machine.cache, progress));
  }
  for (const auto& entry : found.study.models) {
    if (!entry.parameters.empty()) {
      found.facts.supplied.emplace(entry.parameters, facts_of_parameters(entry, machine.cache));
    }
    const auto& known = found.facts.datasets;
    if (std::ranges::find(known, entry.model.dataset, &plan::DatasetFacts::id) == known.end()) {
      CB_ASSIGN(auto facts, facts_of(entry.model.dataset, machine.cache));
      found.facts.datasets.push_back(std::move(facts));
    }
  }
  return {};
}

Status add_past(const store::StoreReader& store,
                const std::filesystem::path& cache,
                plan::Facts& facts) {
  CB_ASSIGN(const auto outcomes, store.outcomes());
  for (const auto& [identity, past] : outcomes) {
    if (const auto id = plan::parse_trial_id(identity)) {
      facts.past.emplace(*id, plan::Past{state_of(past.outcome), past.reason});
    }
  }
  const run::Materials materials({}, cache);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(cache / "trained", error)) {
    const std::string name = entry.path().stem().string();
    const auto id = plan::parse_trial_id(name);
    if (id && std::filesystem::exists(materials.trained_outputs(name))) {
      facts.parameters.insert(*id);
    }
  }
  return {};
}

}  // namespace crossbind::app
