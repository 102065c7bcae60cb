// What a store says for and against each binding: times, correctness, memory and parts, by what
// was asked of them. Gathers; ranks nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/findings.h"
#include "base/error.h"
#include "store/store_reader.h"
#include "trial/binding_name.h"
#include "trial/task.h"

namespace crossbind::decide {

// Whether results are right, by the best witness there is.
enum class Correctness {
  kReferee,       // every judged step is within rounding
  kKept,          // loaded models keep the accuracy that they were trained to
  kBaseline,      // the framework's Python, which others are held against
  kAccuracy,      // test accuracy does not differ from the baseline's, and samples would show it
  kUnknown,       // nobody looked
  kDiverges,      // the referee says no
  kLost,          // loaded models do not keep their accuracy
  kContradicted,  // they do by the flags beside the numbers, they do not by the numbers
  kOther,         // test accuracy differs from the baseline's
};

[[nodiscard]] std::string_view to_string(Correctness correctness);
[[nodiscard]] bool is_match(Correctness correctness);

// What a time is of. Tasks that are neither have no times to choose by, and no case.
enum class Work { kInference, kTraining };

[[nodiscard]] std::string_view to_string(Work work);  // "inference", "training"
[[nodiscard]] std::optional<Work> work_of(trial::Task task);

// One binding that does one thing in one way.
struct Option {
  std::string binding;                 // "pytorch/rust"
  std::optional<analysis::Mode> mode;  // how an inference loads its model
  std::vector<double> seconds;         // an epoch of each training, or a pass of each model
  double median = 0;
  double whole = 0;  // the median of a whole training; of an inference, a pass
  Correctness correctness = Correctness::kUnknown;
  std::string because;                // what the correctness rests on; may be empty
  std::set<std::string> weights;      // whose models an inference ran
  std::optional<double> peak_memory;  // bytes, median
  std::optional<analysis::Parts> parts;
  size_t failed = 0;  // trials, beside those that were done

  [[nodiscard]] std::string framework() const { return trial::BindingName(binding).framework(); }
  [[nodiscard]] std::string language() const { return trial::BindingName(binding).language(); }
  [[nodiscard]] std::string name() const;  // "pytorch/rust by serialization"
};

// A binding that has no times here, and why.
struct Unmeasured {
  std::string binding;
  std::string name;  // "pytorch/rust by serialization"
  std::string why;
};

// What options of one case share, so that their times can be compared.
struct CaseKey {
  Work work = Work::kTraining;
  std::string model;
  std::string device;
  analysis::Condition condition;  // data set, loader, batch size and the like

  // clang-tidy 14 takes the 0 that is compared with for a pointer.
  auto operator<=>(const CaseKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct Case {
  bool per_epoch = false;       // else a time is that of a whole training, or of a pass
  std::vector<Option> options;  // by median
  std::vector<Unmeasured> unmeasured;
};

using Cases = std::map<CaseKey, Case>;

// The cases of all frameworks together; those of an inference over whoever trained the weights,
// which change nothing about its time.
[[nodiscard]] Result<Cases> gather_evidence(
    const store::StoreReader& store, const std::optional<store::StudyId>& study = std::nullopt);

}  // namespace crossbind::decide
