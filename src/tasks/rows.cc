#include "tasks/rows.h"

#include <fmt/format.h>

#include <charconv>

namespace crossbind::tasks {
namespace {

constexpr std::string_view kContradiction = "contradiction.";

}  // namespace

void add_series(std::string_view metric,
                int epoch,
                const std::vector<double>& values,
                store::TrialRecord& into) {
  if (!values.empty()) {
    into.series.push_back({std::string(metric), epoch, values});
  }
}

void add_fact(std::string_view name, const std::string& value, store::TrialRecord& into) {
  if (!value.empty()) {
    into.facts.insert_or_assign(std::string(name), value);
  }
}

std::string fact_in(const store::TrialRecord& trial, std::string_view name) {
  const auto found = trial.facts.find(std::string(name));
  return found == trial.facts.end() ? std::string() : found->second;
}

void append(const store::Series& series, std::vector<double>& into) {
  into.insert(into.end(), series.values.begin(), series.values.end());
}

void add_contradictions(const std::vector<Contradiction>& all, store::TrialRecord& into) {
  for (const auto& [kind, claim, value, expected] : all) {
    add_fact(fmt::format("{}{}", kContradiction, kind),
             fmt::format("{} {} {}", claim, value, expected),
             into);
  }
}

std::vector<Contradiction> contradictions_in(const store::TrialRecord& trial) {
  std::vector<Contradiction> all;
  for (auto fact = trial.facts.lower_bound(std::string(kContradiction));
       fact != trial.facts.end() && fact->first.starts_with(kContradiction);
       ++fact) {
    const std::string_view text = fact->second;
    const size_t first = text.find(' ');
    const size_t second = first == std::string::npos ? first : text.find(' ', first + 1);
    if (second != std::string::npos) {
      all.push_back({fact->first.substr(kContradiction.size()),
                     std::string(text.substr(0, first)),
                     number_in(text.substr(first + 1, second - first - 1)),
                     number_in(text.substr(second + 1))});
    }
  }
  return all;
}

std::string text_of(double number) {
  return fmt::format("{}", number);
}

double number_in(std::string_view text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

double storable(double ratio) {
  return ratio <= kFarthest ? ratio : kFarthest;
}

}  // namespace crossbind::tasks
