// The front page in words: every statement is a count, a ratio or a difference of this report.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "report/sections.h"
#include "report/spread.h"

namespace crossbind::report {
namespace {

std::string many(size_t count, std::string_view one, std::string_view more) {
  return fmt::format(
      "{} {}", with_thousands(static_cast<int64_t>(count)), plural(count, one, more));
}

size_t count_of(const Report& report, Grade grade) {
  return static_cast<size_t>(std::ranges::count(report.graded, grade, &Graded::grade));
}

std::string size_sentence(const Report& report) {
  const auto& counts = report.counts;
  return fmt::format("{} of {}, {}: {} done, {} unsupported, {} failed, {}.",
                     many(counts.trials, "trial", "trials"),
                     many(report.bindings.size(), "binding", "bindings"),
                     many(report.models.size(), "model", "models"),
                     counts.done,
                     counts.unsupported,
                     counts.failed,
                     many(counts.samples, "sample", "samples"));
}

std::string grades_sentence(const Report& report) {
  size_t judged = 0;
  double largest = 0;
  for (const auto& graded : report.graded) {
    judged += graded.judged > 0 ? 1 : 0;
    largest = std::max(largest, graded.largest_error.value_or(0));
  }
  if (judged == 0) {
    return {};
  }
  std::vector<std::string> words;
  for (const auto& [name, grade] : kGrades) {
    if (const size_t count = count_of(report, grade); count > 0) {
      words.push_back(fmt::format("{} {}", count, name));
    }
  }
  return fmt::format(
      "Of {} of binding and model the referee judged {}: {}; the largest error is "
      "{:.3g} times its bound.",
      many(report.graded.size(), "pair", "pairs"),
      judged,
      fmt::join(words, ", "),
      largest);
}

std::string ratio_text(const Time& time) {
  const std::string interval =
      time.interval ? fmt::format(" ({:.2f} to {:.2f})", time.interval->low, time.interval->high)
                    : "";
  if (!time.is_above_noise) {
    return fmt::format("{} on {} cannot be told from it: {:.2f}{} times as long, {}",
                       time.binding,
                       time.group.model,
                       *time.ratio,
                       interval,
                       time.noise ? "below the noise" : "and too few trials to know the noise");
  }
  return fmt::format("{} on {} takes {:.2f}{} times as long",
                     time.binding,
                     time.group.model,
                     *time.ratio,
                     interval);
}

// How far apart a floor lets two times be: a few numbers may leave it at any factor.
std::string floor_text(double ratio) {
  constexpr double kPercent = 100;
  return ratio < 2 ? fmt::format("{:.1f} %", (ratio - 1) * kPercent)
                   : fmt::format("a factor of {:.1f}", ratio);
}

// The study's own noise floor: what it could not have told apart.
std::string noise_sentence(const Report& report) {
  std::vector<double> floors;
  floors.reserve(report.training.size() + report.inference.size());
  for (const auto* times : {&report.training, &report.inference}) {
    for (const auto& time : *times) {
      if (time.noise) {
        floors.push_back(*time.noise);
      }
    }
  }
  if (floors.empty()) {
    return {};
  }
  return fmt::format(
      "Held against itself, a binding's time differs by up to {} (the median of {}; at most {}): "
      "what is below this noise floor is not called a difference.",
      floor_text(spread_of(floors).median),
      many(floors.size(), "comparison", "comparisons"),
      floor_text(spread_of(floors).max));
}

std::string time_sentence(const std::vector<Time>& times, std::string_view what) {
  std::vector<const Time*> compared;
  size_t significant = 0;
  for (const auto& time : times) {
    if (time.ratio) {
      compared.push_back(&time);
      significant += time.difference() == analysis::Difference::kFound ? 1 : 0;
    }
  }
  if (compared.empty()) {
    return {};
  }
  const auto [fastest, slowest] =
      std::ranges::minmax_element(compared, {}, [](const Time* time) { return *time->ratio; });
  const std::string extremes = *fastest == *slowest
                                   ? ratio_text(**fastest)
                                   : ratio_text(**fastest) + ", " + ratio_text(**slowest);
  return fmt::format("{} against the framework's Python: {}; {} of {} significant and above noise.",
                     what,
                     extremes,
                     significant,
                     many(compared.size(), "comparison is", "comparisons are"));
}

std::string accuracy_sentence(const Report& report) {
  const analysis::ScoreTest* widest = nullptr;
  size_t pairs = 0;
  size_t above = 0;
  for (const auto& test : report.analysis.score_tests) {
    if (test.score != analysis::Score::kAccuracy) {
      continue;
    }
    ++pairs;
    above += test.is_above_noise() ? 1 : 0;
    if (widest == nullptr ||
        std::abs(test.mean_a - test.mean_b) > std::abs(widest->mean_a - widest->mean_b)) {
      widest = &test;
    }
  }
  if (widest == nullptr) {
    return {};
  }
  constexpr double kPercent = 100;
  return fmt::format(
      "Trained models of {} of bindings differ by at most {:.2f} percentage points of test "
      "accuracy ({} and {} of {} on {}); {} above the noise floor, which is {} there.",
      many(pairs, "pair", "pairs"),
      std::abs(widest->mean_a - widest->mean_b) * kPercent,
      widest->a,
      widest->b,
      widest->scope.framework,
      widest->scope.model,
      many(above, "pair is", "pairs are"),
      widest->noise ? fmt::format("{:.2f}", *widest->noise * kPercent) : "unknown");
}

std::string reproduction_sentence(const Report& report) {
  size_t reproduced = 0;
  size_t failed = 0;
  for (const auto& cell : report.analysis.cross_binding) {
    reproduced += cell.outcome == analysis::Reproduction::kReproduced ? 1 : 0;
    failed += cell.outcome == analysis::Reproduction::kFailed ? 1 : 0;
  }
  return reproduced + failed == 0
             ? ""
             : fmt::format("Given to another binding, models keep their accuracy in {} of {}.",
                           reproduced,
                           many(reproduced + failed, "measurement", "measurements"));
}

std::string memory_sentence(const Report& report) {
  if (report.memory.empty()) {
    return {};
  }
  const auto [least, most] = std::ranges::minmax_element(
      report.memory, {}, [](const Memory& memory) { return memory.bytes.median; });
  return fmt::format("Median peak memory goes from {} ({}) to {} ({}).",
                     human_bytes(static_cast<uint64_t>(least->bytes.median)),
                     least->binding,
                     human_bytes(static_cast<uint64_t>(most->bytes.median)),
                     most->binding);
}

std::string claims_sentence(const Report& report) {
  size_t all = 0;
  size_t confirmed = 0;
  size_t refuted = 0;
  for (const auto& list : report.claims) {
    all += list.judged.size();
    confirmed += list.count(claims::Conclusion::kConfirmed);
    refuted += list.count(claims::Conclusion::kRefuted);
  }
  return confirmed + refuted == 0 ? ""
                                  : fmt::format("Of {}, this store confirms {} and refutes {}.",
                                                many(all, "published claim", "published claims"),
                                                confirmed,
                                                refuted);
}

}  // namespace

std::vector<std::string> summary_of(const Report& report) {
  std::vector<std::string> sentences = {size_sentence(report),
                                        grades_sentence(report),
                                        time_sentence(report.training, "Training"),
                                        time_sentence(report.inference, "Inference"),
                                        noise_sentence(report),
                                        accuracy_sentence(report),
                                        reproduction_sentence(report),
                                        memory_sentence(report),
                                        claims_sentence(report)};
  std::erase(sentences, "");
  return sentences;
}

std::vector<Tile> tiles_of(const Report& report) {
  const auto number = [](size_t count) { return with_thousands(static_cast<int64_t>(count)); };
  const size_t agreeing = count_of(report, Grade::kAgrees) + count_of(report, Grade::kRounding);
  return {{number(report.bindings.size()), "bindings"},
          {number(report.models.size()), "models"},
          {number(report.counts.trials), "trials"},
          {number(report.counts.samples), "samples"},
          {fmt::format("{} of {}", agreeing, report.graded.size()), "agree or differ by rounding"},
          {number(count_of(report, Grade::kDiverges)), "diverge"},
          {number(report.counts.failed), "trials failed"}};
}

}  // namespace crossbind::report
