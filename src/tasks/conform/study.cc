#include "tasks/conform/study.h"

#include <utility>

#include "trial/task.h"

namespace crossbind::tasks {
namespace {

constexpr std::string_view kConformStudy = trial::word_of(trial::Task::kConform).name;

}  // namespace

store::StudyRecord conform_study(std::string asked) {
  return {std::string(kConformStudy), std::move(asked)};
}

bool may_hold_verdicts(const store::StudyRecord& study) {
  return study.name == kConformStudy;
}

}  // namespace crossbind::tasks
