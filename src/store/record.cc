#include "store/record.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <tuple>

#include "base/digest.h"
#include "base/text.h"

namespace crossbind::store {
namespace {

constexpr std::array<std::string_view, 3> kOutcomeNames = {"done", "unsupported", "failed"};

// Each part with its length in front, so that no two lists of parts have the same bytes.
void add_part(Sha256& sha, std::string_view part) {
  const std::string length = fmt::format("{}:", part.size());
  sha.update(std::as_bytes(std::span(length)));
  sha.update(std::as_bytes(std::span(part)));
}

Status check_curve(const std::vector<EpochPoint>& curve) {
  std::set<int> epochs;
  for (const auto& point : curve) {
    const auto finite = [](const std::optional<double>& value) {
      return !value || std::isfinite(*value);
    };
    for (const auto& [name, value] : {std::pair("loss", point.loss),
                                      std::pair("train_accuracy", point.train_accuracy),
                                      std::pair("test_accuracy", point.test_accuracy)}) {
      if (!finite(value)) {
        return fail(ErrorKind::kInvalid, "{} of epoch {} is {}", name, point.epoch, *value);
      }
    }
    if (!epochs.insert(point.epoch).second) {
      return fail(ErrorKind::kInvalid, "the curve has epoch {} twice", point.epoch);
    }
  }
  return {};
}

Status check_series(const std::vector<Series>& all) {
  std::set<std::pair<std::string_view, int>> seen;
  for (const auto& series : all) {
    const std::string name = fmt::format("metric '{}' of epoch {}", series.metric, series.epoch);
    if (series.values.empty()) {
      return fail(ErrorKind::kInvalid, "{} has no values", name);
    }
    if (!seen.insert({series.metric, series.epoch}).second) {
      return fail(ErrorKind::kInvalid, "{} is there twice", name);
    }
    const auto bad =
        std::ranges::find_if(series.values, [](double value) { return !std::isfinite(value); });
    if (bad != series.values.end()) {
      return fail(
          ErrorKind::kInvalid, "{} is {} at step {}", name, *bad, bad - series.values.begin());
    }
  }
  return {};
}

Status check_parts(const TrialRecord& trial) {
  if ((trial.outcome == Outcome::kDone) != trial.reason.empty()) {
    return fail(ErrorKind::kInvalid,
                "a trial has a reason exactly when it is not done; this one is {}, its reason '{}'",
                name_of(trial.outcome),
                trial.reason);
  }
  std::set<std::string_view> names;
  for (const auto& setting : trial.settings) {
    if (!names.insert(setting.name).second) {
      return fail(ErrorKind::kInvalid, "setting '{}' is there twice", setting.name);
    }
  }
  CB_TRY(check_curve(trial.curve));
  CB_TRY(check_series(trial.series));
  if (trial.log.size() > kMostLogBytes) {
    return fail(ErrorKind::kInvalid,
                "the log has {}, more than the {} that are kept of one",
                human_bytes(trial.log.size()),
                human_bytes(kMostLogBytes));
  }
  return {};
}

}  // namespace

std::string_view name_of(Outcome outcome) {
  return kOutcomeNames[static_cast<size_t>(outcome)];
}

std::optional<Outcome> outcome_from(std::string_view name) {
  for (const auto outcome : {Outcome::kDone, Outcome::kUnsupported, Outcome::kFailed}) {
    if (name_of(outcome) == name) {
      return outcome;
    }
  }
  return std::nullopt;
}

StudyId id_of(const StudyRecord& study) {
  Sha256 sha;
  add_part(sha, study.name);
  add_part(sha, study.text);
  return {sha.hex()};
}

std::string sha256_of(const Environment& environment) {
  Sha256 sha;
  for (const auto& [name, value] : environment) {
    add_part(sha, name);
    add_part(sha, value);
  }
  return sha.hex();
}

Status validate(const TrialRecord& trial) {
  constexpr std::string_view kHexadecimal = "0123456789abcdef";
  if (trial.identity.empty() ||
      trial.identity.find_first_not_of(kHexadecimal) != std::string::npos) {
    return fail(ErrorKind::kInvalid,
                "a trial's identity is lower-case hexadecimal, not '{}'",
                trial.identity);
  }
  return check_parts(trial).map_error(
      [&](Error&& error) { return std::move(error).at("trial " + trial.identity); });
}

void sort_parts(TrialRecord& trial) {
  std::ranges::sort(trial.settings, {}, &Setting::name);
  std::ranges::sort(trial.curve, {}, &EpochPoint::epoch);
  std::ranges::sort(
      trial.series, {}, [](const Series& series) { return std::tie(series.metric, series.epoch); });
}

}  // namespace crossbind::store
