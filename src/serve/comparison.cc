#include "serve/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/names.h"
#include "report/sections.h"
#include "report/times.h"
#include "stats/corrections.h"
#include "stats/noise.h"
#include "stats/summary.h"
#include "trial/binding_name.h"

namespace crossbind::serve {
namespace {

using report::Group;

// Enough for two digits of an interval, and quick enough for hundreds of them.
constexpr uint32_t kResamples = 1999;

struct Pair {
  const std::vector<double>* a = nullptr;
  const std::vector<double>* b = nullptr;
};

struct NoiseFloor {
  std::optional<double> noise;
  bool is_above = false;
};
using FindFloor = Result<NoiseFloor> (*)(const Pair&, const stats::Comparison&);

Result<NoiseFloor> floor_of_times(const Pair& /*pair*/, const stats::Comparison& found) {
  return NoiseFloor{found.noise, stats::is_above_noise(found.ratio, found.noise)};
}

Result<NoiseFloor> floor_of_scores(const Pair& pair, const stats::Comparison& /*found*/) {
  CB_ASSIGN(const auto noise, stats::noise_of_difference(*pair.a, *pair.b));
  return NoiseFloor{noise, noise && std::abs(stats::mean(*pair.a) - stats::mean(*pair.b)) > *noise};
}

// A finding's binding is the language alone.
template <typename Finding>
std::string name_of(const Finding& finding) {
  return trial::BindingName(finding.scope.framework, finding.binding).text();
}

using Pairs = std::map<std::pair<std::string, Group>, Pair>;

class Pairing {
 public:
  Pairing(const report::Report& report,
          const std::string& a,
          const std::string& b,
          FindFloor find_floor)
      : report_(report),
        a_(a),
        b_(b),
        find_floor_(find_floor) {}

  template <typename Finding>
  void add(const std::string& what,
           const Finding& finding,
           const std::string& device,
           const std::vector<double>& values) {
    const std::string binding = name_of(finding);
    if (binding != a_ && binding != b_) {
      return;
    }
    auto& pair = pairs_[{what, report::group_of(finding.scope, device, report_.varied)}];
    (binding == a_ ? pair.a : pair.b) = &values;
  }

  [[nodiscard]] Result<std::vector<ComparedSamples>> compare() const {
    std::vector<ComparedSamples> found;
    std::vector<double> p;
    for (const auto& [key, pair] : pairs_) {
      if (pair.a != nullptr && pair.b != nullptr) {
        CB_ASSIGN(auto comparison, stats::compare(*pair.a, *pair.b, {.resamples = kResamples}));
        p.push_back(comparison.test.p);
        CB_ASSIGN(const auto floor, find_floor_(pair, comparison));
        found.push_back({key.first, key.second, comparison, floor.noise, floor.is_above, 1});
      }
    }
    CB_ASSIGN(const auto adjusted, stats::holm(p));
    for (size_t i = 0; i < found.size(); ++i) {
      found[i].p_adjusted = adjusted[i];
    }
    return found;
  }

 private:
  const report::Report& report_;
  const std::string& a_;
  const std::string& b_;
  FindFloor find_floor_;
  Pairs pairs_;
};

std::vector<ComparedGrades> grades_of(const report::Report& report,
                                      const std::string& a,
                                      const std::string& b) {
  std::vector<ComparedGrades> found;
  found.reserve(report.models.size());
  for (const auto& model : report.models) {
    ComparedGrades grades;
    grades.model = model;
    for (const auto& graded : report.graded) {
      if (graded.model == model && graded.binding == a) {
        grades.a = graded.grade;
      }
      if (graded.model == model && graded.binding == b) {
        grades.b = graded.grade;
      }
    }
    found.push_back(std::move(grades));
  }
  return found;
}

template <typename Entry, typename Keep>
std::vector<Entry> kept(const std::vector<Entry>& entries, const Keep& keep) {
  std::vector<Entry> found;
  std::ranges::copy_if(entries, std::back_inserter(found), keep);
  return found;
}

}  // namespace

Result<Compared> compare_bindings(const report::Report& report,
                                  const std::string& a,
                                  const std::string& b) {
  for (const auto& binding : {a, b}) {
    if (std::ranges::find(report.bindings, binding) == report.bindings.end()) {
      return fail(ErrorKind::kNotFound, "there is no trial of the binding '{}' here", binding);
    }
  }
  if (a == b) {
    return fail(ErrorKind::kInvalid, "a binding is not compared with itself: name two");
  }
  Pairing times(report, a, b, floor_of_times);
  for (const auto& time : report.analysis.training_times) {
    times.add("training", time, time.device, time.seconds);
  }
  for (const auto& time : report.analysis.inference_times) {
    times.add("inference", time, time.device, time.seconds);
  }
  Pairing scores(report, a, b, floor_of_scores);
  for (const auto& score : report.analysis.scores) {
    scores.add(std::string(analysis::to_string(score.score)), score, "", score.values);
  }
  Compared compared;
  compared.grades = grades_of(report, a, b);
  CB_ASSIGN(compared.times, times.compare());
  CB_ASSIGN(compared.scores, scores.compare());
  return compared;
}

report::Document document_of_two(const report::Report& report,
                                 const std::string& a,
                                 const std::string& b) {
  const auto is_one = [&](const std::string& binding) { return binding == a || binding == b; };
  const auto has_one = [&](const auto& entry) { return is_one(entry.binding); };
  const auto is_of_one = [&](const auto& entry) { return is_one(name_of(entry)); };
  report::Report two;
  two.varied = report.varied;
  two.models = report.models;
  two.bindings = {a, b};
  two.training = kept(report.training, has_one);
  two.inference = kept(report.inference, has_one);
  two.bands = kept(report.bands, has_one);
  two.memory = kept(report.memory, has_one);
  two.analysis.training_parts = kept(report.analysis.training_parts, is_of_one);
  two.analysis.inference_parts = kept(report.analysis.inference_parts, is_of_one);
  report::Document document;
  document.bindings = two.bindings;
  document.sections = {report::training_section(two),
                       report::inference_section(two),
                       report::parts_section(two),
                       report::curves_section(two),
                       report::memory_section(two)};
  for (auto& section : document.sections) {
    // Ratios are to a third binding, the framework's baseline.
    std::erase_if(section.figures, [](const report::Figure& figure) {
      return figure.kind == report::FigureKind::kRatio;
    });
  }
  return document;
}

}  // namespace crossbind::serve
