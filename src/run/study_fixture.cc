#include "run/study_fixture.h"

#include <algorithm>

#include "data/get.h"
#include "process/command.h"

namespace crossbind::run {
namespace {

using testing::is_ok;

std::string text_of(const store::Axes& axes) {
  return fmt::format("{} {} {}", axes.binding, axes.task, axes.seed);
}

}  // namespace

void RecordedWatch::begins(size_t /*lane*/, size_t number, const store::Axes& axes) {
  numbers.push_back(number);
  told.push_back("begins " + text_of(axes));
}

void RecordedWatch::ends(size_t /*lane*/, size_t /*number*/, const store::TrialSummary& trial) {
  told.push_back("ends " + text_of(trial.axes));
}

ptrdiff_t RecordedWatch::place_of(const std::string& what) const {
  return std::ranges::find(told, what) - told.begin();
}

StudyFixture::StudyFixture()
    : study_(plan::parsed_study(kStudy)),
      facts_(plan::made_up_facts(study_)),
      materials_(scratch("run"), scratch("cache")) {
  std::filesystem::create_directories(scratch("run"));
  SilentProgress progress;
  const data::Workshop workshop{scratch("cache"), process::run, progress, 1};
  EXPECT_THAT(
      data::get_dataset({data::find_dataset("glyphs-20-10").value(), {}, {}, false}, workshop),
      is_ok());
  make_ready();
  make_plan();
}

void StudyFixture::make_ready() {
  for (const auto& binding : facts_.bindings) {
    commands_[binding.name] = {{"/toy"}, {}, {}};
    capabilities_[binding.name] = *binding.capabilities;
  }
}

Result<RunSummary> StudyFixture::run_in(store::ResultStore& store,
                                        converse::Launcher& launcher,
                                        size_t jobs,
                                        const std::string& text) {
  return run_study(
      {study_, plan_, commands_, capabilities_, store, launcher, materials_, stop_, watch_},
      {jobs, text, {{"cpu", "a slow one"}}, [] {
         return store::Time(std::chrono::microseconds(1));
       }});
}
RunSummary StudyFixture::run(converse::Launcher& launcher, size_t jobs) {
  auto summary = run_in(store_, launcher, jobs);
  EXPECT_THAT(summary, is_ok());
  return summary.value_or(RunSummary{});
}

void StudyFixture::remember() {
  facts_.past.clear();
  const auto outcomes = store_.outcomes().value();
  for (const auto& [identity, past] : outcomes) {
    facts_.past.emplace(plan::parse_trial_id(identity).value(),
                        plan::Past{past.outcome == store::Outcome::kDone ? plan::PastState::kDone
                                                                         : plan::PastState::kFailed,
                                   past.reason});
  }
  facts_.parameters.clear();
  for (const auto& trial : plan_.trials) {
    if (std::filesystem::exists(materials_.trained(trial.id.to_string()))) {
      facts_.parameters.insert(trial.id);
    }
  }
  make_plan();
}

std::vector<std::string> StudyFixture::stored() const {
  std::vector<std::string> trials;
  const auto summaries = store_.trials({}).value();
  for (const auto& trial : summaries) {
    trials.push_back(fmt::format("{}: {}", text_of(trial.axes), store::name_of(trial.outcome)));
  }
  return trials;
}

}  // namespace crossbind::run
