#include "analysis/names.h"

#include <algorithm>
#include <array>

#include "base/named.h"

namespace crossbind::analysis {
namespace {

constexpr std::array kScores = {Named<Score>{"accuracy", Score::kAccuracy},
                                Named<Score>{"f1", Score::kF1},
                                Named<Score>{"auc", Score::kAuc}};
constexpr std::array kMethods = {Named<DtwMethod>{"fastdtw", DtwMethod::kFastDtw},
                                 Named<DtwMethod>{"exact", DtwMethod::kExact}};
constexpr std::array kModes = {Named<Mode>{"parameters", Mode::kParameters},
                               Named<Mode>{"serialization", Mode::kSerialization}};
constexpr std::array kReproductions = {
    Named<Reproduction>{"reproduced", Reproduction::kReproduced},
    Named<Reproduction>{"failed", Reproduction::kFailed},
    Named<Reproduction>{"unsupported", Reproduction::kUnsupported}};

// What the name of a model begins with.
constexpr std::array kFamilies = {Named<Family>{"lenet", Family::kCnn},
                                  Named<Family>{"vgg", Family::kCnn},
                                  Named<Family>{"resnet", Family::kCnn},
                                  Named<Family>{"lstm", Family::kRnn},
                                  Named<Family>{"gru", Family::kRnn},
                                  Named<Family>{"bert", Family::kBert}};

// The bindings study's pairs are Py-C#, Py-JS, JS-C#, Py-Rs, Rs-C#: this order gives all of them.
constexpr std::array<std::string_view, 6> kOrder = {
    "python", "javascript", "rust", "csharp", "cpp", "java"};

}  // namespace

std::string_view to_string(Score score) {
  return name_in(kScores, score);
}

std::string_view to_string(DtwMethod method) {
  return name_in(kMethods, method);
}

std::string_view to_string(Mode mode) {
  return name_in(kModes, mode);
}

std::string_view to_string(Reproduction outcome) {
  return name_in(kReproductions, outcome);
}

std::string_view where_of(trial::Task task) {
  switch (task) {
    case trial::Task::kTrain:
      return "training";
    case trial::Task::kInferParameters:
      return to_string(Mode::kParameters);
    case trial::Task::kInferSerialization:
      return to_string(Mode::kSerialization);
    case trial::Task::kJudge:
    case trial::Task::kConform:
      break;  // nothing is claimed in them
  }
  return trial::word_of(task).name;
}

Family family_of(std::string_view model) {
  const auto found = std::ranges::find_if(
      kFamilies, [&](const Named<Family>& one) { return model.starts_with(one.name); });
  return found == kFamilies.end() ? Family::kOther : found->value;
}

size_t rank_of(std::string_view binding) {
  return static_cast<size_t>(std::ranges::find(kOrder, binding) - kOrder.begin());
}

}  // namespace crossbind::analysis
