#include "app/conform_request.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>
#include <thread>

#include "app/candidate.h"
#include "app/ready_models.h"

namespace crossbind::app {
namespace {

constexpr int kMostLanes = 4;  // each holds a worker: frameworks take memory
constexpr int64_t kFullSteps = 2;
constexpr const char* kProgramName = "candidate";

// `folder` is where the list of its known divergences may be.
Status add(const std::string& name,
           FoundCandidate candidate,
           const std::string& device,
           const std::filesystem::path& folder,
           ConformPlan& plan) {
  CB_ASSIGN(auto known, conform::load_known(folder / "known.toml"));
  candidate.candidate.device = device;
  plan.participants.push_back({name, std::move(candidate.candidate), std::move(known)});
  std::ranges::move(candidate.locks, std::back_inserter(plan.locks));
  return {};
}

Result<std::vector<workers::Binding>> find_bindings(const ConformRequest& request,
                                                    const std::vector<workers::Binding>& all) {
  auto names = request.bindings;
  const bool names_all = names.empty() && request.program.empty();
  if (request.against != kReferee) {
    names.push_back(request.against);
  }
  if (!names_all) {
    return workers::select(all, names);
  }
  auto ready = all;
  std::erase_if(ready, [](const auto& binding) { return binding.state != workers::State::kReady; });
  return ready;
}

// Adds the bindings that are named, which must be ready; without names, those that are.
Status add_participants(const ConformRequest& request, const Machine& machine, ConformPlan& plan) {
  if (!request.program.empty()) {
    CB_ASSIGN(auto candidate, find_program(request.program));
    const auto folder = std::filesystem::current_path();
    CB_TRY(add(kProgramName, std::move(candidate), request.device, folder, plan));
    if (request.against == kReferee) {
      return {};
    }
  }
  CB_ASSIGN(const auto all, workers::list_bindings(machine.workers));
  CB_ASSIGN(const auto bindings, find_bindings(request, all));
  for (const auto& binding : bindings) {
    CB_ASSIGN(auto candidate, find_candidate(binding, all, machine.workers));
    CB_TRY(add(binding.name, std::move(candidate), request.device, binding.manifest->folder, plan));
  }
  return {};
}

Result<std::vector<model::Model>> find_models(const ConformRequest& request,
                                              const std::filesystem::path& folder) {
  const auto geometry = request.full ? model::Geometry::kFull : model::Geometry::kConform;
  if (request.models.empty()) {
    return ready_models(folder, geometry);
  }
  std::vector<model::Model> models;
  for (const auto& name : request.models) {
    CB_ASSIGN(auto model, model::find_model(name, folder, geometry));
    models.push_back(std::move(model));
  }
  return models;
}

Status add_questions(const ConformRequest& request, const Machine& machine, ConformPlan& plan) {
  auto& questions = plan.questions;
  CB_ASSIGN(questions.models, find_models(request, machine.models));
  questions.seeds = request.seeds;
  questions.is_full = request.full;
  if (request.full) {
    questions.steps = kFullSteps;
  }
  if (request.steps > 0) {
    questions.steps = request.steps;
  }
  if (!request.shrink.empty()) {
    questions.repros = request.shrink;
  }
  if (request.against != kReferee) {
    const auto leader =
        std::ranges::find(plan.participants, request.against, &conform::Participant::name);
    if (leader == plan.participants.end()) {
      return fail(ErrorKind::kInvalid, "--against takes one binding, not {:?}", request.against);
    }
    questions.against = static_cast<size_t>(leader - plan.participants.begin());
  }
  return {};
}

}  // namespace

Result<ConformPlan> plan_conformance(const ConformRequest& request, const Machine& machine) {
  ConformPlan plan;
  CB_TRY(add_participants(request, machine, plan));
  CB_TRY(add_questions(request, machine, plan));
  if (!request.replay.empty()) {
    CB_ASSIGN(plan.kept, conform::read_repro(request.replay));
    plan.questions.models = {plan.kept->model};
    plan.questions.steps = 1;
  }
  return plan;
}

Result<conform::Conformance> examine(const ConformPlan& plan,
                                     Workplace& workplace,
                                     const process::StopSignal& stop,
                                     const conform::OnVerdict& on_verdict) {
  const int lanes =
      std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostLanes);
  const conform::Surroundings surroundings{workplace.launcher(), stop, workplace.scratch(), lanes};
  return plan.kept ? conform::replay_all(plan.participants, *plan.kept, surroundings, on_verdict)
                   : conform::examine(plan.participants, plan.questions, surroundings, on_verdict);
}

Result<std::vector<uint32_t>> parse_seeds(const std::string& list) {
  std::vector<uint32_t> seeds;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    uint32_t seed = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), seed);
    if (error != std::errc() || end != word.data() + word.size()) {
      return fail(ErrorKind::kInvalid, "--seeds takes numbers like 1,2,3, not {:?}", list);
    }
    seeds.push_back(seed);
  }
  return seeds;
}

}  // namespace crossbind::app
