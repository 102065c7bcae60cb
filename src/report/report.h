// What a report is made of: plain values gathered from a store. Nothing here is worded, drawn or
// rendered; document.h makes sections of it.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/difference.h"
#include "base/error.h"
#include "base/named.h"
#include "claims/judged_list.h"
#include "stats/interval.h"
#include "store/store_reader.h"
#include "tasks/conform/result.h"

namespace crossbind::report {

// How a binding does on a model, from best to worst; what was not measured is last.
enum class Grade {
  kAgrees,    // within rounding, and its trainings end in the parameters of the baseline
  kRounding,  // within the referee's bounds
  kConvention,
  kUnsupported,
  kFailed,
  kDiverges,
  kNotMeasured,
};

inline constexpr std::array kGrades = {
    Named<Grade>{"agrees", Grade::kAgrees},
    Named<Grade>{"rounding", Grade::kRounding},
    Named<Grade>{"convention", Grade::kConvention},
    Named<Grade>{"diverges", Grade::kDiverges},
    Named<Grade>{"failed", Grade::kFailed},
    Named<Grade>{"unsupported", Grade::kUnsupported},
    Named<Grade>{"not measured", Grade::kNotMeasured},
};

// What the report says of a binding on a model.
struct Graded {
  std::string binding;  // "pytorch/rust"
  std::string model;
  Grade grade = Grade::kNotMeasured;
  size_t judged = 0;                    // trials that the referee judged
  std::optional<double> largest_error;  // of all steps; 1 is the bound
  std::vector<std::string> why;         // a sentence each
};

// A sample's five numbers. `dots` is every number in ascending order or, of very many, evenly
// chosen ones with the first and the last.
struct Spread {
  size_t n = 0;
  double min = 0;
  double q1 = 0;
  double median = 0;
  double q3 = 0;
  double max = 0;
  std::vector<double> dots;
};

// What is shown together: a model and all else that tells comparisons in this store apart.
struct Group {
  std::string model;
  std::string device;               // "cpu" or "gpu"
  std::vector<std::string> varied;  // the values of Report::varied

  // clang-tidy 14 takes the 0 that is compared with for a pointer.
  auto operator<=>(const Group&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct Time {
  Group group;
  std::string binding;
  Spread seconds;
  // To the baseline, its framework's Python; none for that binding itself.
  std::optional<double> ratio;
  std::optional<stats::Interval> interval;  // 95 %
  std::optional<double> noise;              // of the ratio: a binding against itself
  std::optional<double> p_adjusted;
  double smallest_p = 0;  // that samples of these sizes can have
  bool is_above_noise = false;

  // Whether the binding differs from the baseline; none for the baseline itself.
  [[nodiscard]] std::optional<analysis::Difference> difference() const {
    return p_adjusted
               ? std::optional(analysis::difference(
                     *p_adjusted, smallest_p, noise ? std::optional(is_above_noise) : std::nullopt))
               : std::nullopt;
  }
};

struct BandPoint {
  int epoch = 0;
  double low = 0;
  double mean = 0;
  double high = 0;
};

// Accuracy by epoch: the mean over seeds and repeats, the smallest and the largest.
struct Band {
  Group group;
  std::string binding;
  size_t n = 0;
  std::vector<BandPoint> train;
  std::vector<BandPoint> test;
};

struct Memory {
  Group group;
  std::string task;
  std::string binding;
  Spread bytes;  // at the peak
};

struct FailedTrial {
  store::Axes axes;
  std::string identity;
  std::string reason;
  std::string log;       // its end
  size_t log_bytes = 0;  // of the whole
};

struct Counts {
  size_t trials = 0;
  size_t done = 0;
  size_t unsupported = 0;
  size_t failed = 0;
  size_t samples = 0;
};

struct StudyEntry {
  std::string name;
  std::string id;
  size_t trials = 0;
  std::vector<std::string> cuts;  // what it leaves out, in its own words
};

struct Report {
  std::vector<StudyEntry> studies;
  Counts counts;
  std::optional<store::Time> first;  // when trials started; none where that is not known
  std::optional<store::Time> last;
  std::vector<std::string> bindings;  // in the order of tables
  std::vector<std::string> models;
  std::vector<std::string> varied;  // names of conditions
  std::vector<Graded> graded;       // every binding × every model
  std::vector<Time> training;
  std::vector<Time> inference;
  std::vector<Band> bands;
  std::vector<Memory> memory;
  std::vector<store::Environment> hosts;
  std::vector<FailedTrial> failures;
  std::vector<claims::JudgedList> claims;
  analysis::Analysis analysis;
};

// The report of a store, or of one study of it, with what conform says of its bindings and models:
// in the store, and in a file beside it. The same trials, verdicts and claims give the same report.
[[nodiscard]] Result<Report> gather(const store::StoreReader& store,
                                    const std::optional<store::StudyId>& study,
                                    const std::vector<claims::NamedList>& claims,
                                    const std::vector<tasks::Verdict>& filed = {});

}  // namespace crossbind::report
