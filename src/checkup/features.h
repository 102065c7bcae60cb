// What a binding can do of a convolutional, a recurrent and a transformer network, tried rather
// than believed: the table of features that people choose bindings by.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "checkup/examination.h"
#include "trial/settings.h"

namespace crossbind::checkup {

struct Family {
  std::string_view name;
  std::string_view model;  // tried at its [conform] geometry
};
inline constexpr std::array kFamilies = {
    Family{"cnn", "lenet5"}, Family{"rnn", "lstm"}, Family{"bert", "bert-base"}};

enum class Experience {
  kWorks,
  kLacks,  // the binding says so
  kFails,  // it says that it can, and cannot
};

struct Tried {
  std::string_view family;
  trial::Task task = trial::Task::kTrain;
  Experience experience = Experience::kWorks;
  std::string reason;  // what it lacks, or what went wrong
};

// Every family with every task, in that order. What the candidate declares must be known.
[[nodiscard]] std::vector<Tried> try_features(const Candidate& candidate,
                                              const Facilities& facilities);

}  // namespace crossbind::checkup
