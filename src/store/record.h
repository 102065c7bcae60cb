// What a store keeps: studies and their trials, as plain values. Vocabulary (bindings, tasks,
// metrics) is text: the store keeps it and does not know what it means.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace crossbind::store {

using Time = std::chrono::time_point<std::chrono::system_clock, std::chrono::microseconds>;

// The SHA-256 of a study's name and text.
struct StudyId {
  std::string sha256;

  bool operator==(const StudyId&) const = default;
};

struct StudyRecord {
  std::string name;
  std::string text;  // the study file as it was run

  bool operator==(const StudyRecord&) const = default;
};

enum class Outcome { kDone, kUnsupported, kFailed };

// What was varied. Trials of a comparison are those that differ in one of these.
struct Axes {
  std::string binding;
  std::string model;
  std::string dataset;
  std::string device;
  std::string task;
  std::string loader;
  std::string variant;
  std::string measure;
  std::string weights;  // where the weights of an inference came from; may be empty
  uint32_t seed = 0;
  int repeat = 0;

  // clang-tidy 14 takes the 0 that is compared with for a pointer.
  auto operator<=>(const Axes&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct TextAxis {
  std::string_view name;
  std::string Axes::*field;
};

inline constexpr std::array<TextAxis, 9> kTextAxes = {{{"binding", &Axes::binding},
                                                       {"model", &Axes::model},
                                                       {"dataset", &Axes::dataset},
                                                       {"device", &Axes::device},
                                                       {"task", &Axes::task},
                                                       {"loader", &Axes::loader},
                                                       {"variant", &Axes::variant},
                                                       {"measure", &Axes::measure},
                                                       {"weights", &Axes::weights}}};

// A trial without what was measured in it.
struct TrialSummary {
  std::string identity;  // lower-case hexadecimal; unique in a store
  Axes axes;
  Outcome outcome = Outcome::kDone;
  std::string reason;  // why it is not done; empty when it is
  Time started;
  std::optional<std::chrono::microseconds> wall;
  std::optional<std::chrono::microseconds> user;
  std::optional<std::chrono::microseconds> system;
  std::optional<uint64_t> peak_memory;  // bytes

  bool operator==(const TrialSummary&) const = default;
};

struct Setting {
  std::string name;
  std::string requested;
  std::string effective;

  bool operator==(const Setting&) const = default;
};

struct EpochPoint {
  int epoch = 0;
  std::optional<double> loss;
  std::optional<double> train_accuracy;
  std::optional<double> test_accuracy;

  bool operator==(const EpochPoint&) const = default;
};

// The samples of one metric in one epoch; a sample's step is its index.
struct Series {
  std::string metric;
  int epoch = 0;
  std::vector<double> values;

  bool operator==(const Series&) const = default;
};

using NamedTexts = std::map<std::string, std::string>;
using Environment = NamedTexts;  // kept once in a store, however many trials share it

inline constexpr size_t kMostLogBytes = size_t{16} << 20;

// Settings come back from a store sorted by name, the curve by epoch, series by metric and epoch.
struct TrialRecord : TrialSummary {
  std::vector<Setting> settings;
  std::vector<EpochPoint> curve;
  std::vector<Series> series;
  NamedTexts facts;
  Environment host;
  Environment worker;
  std::string log;  // any bytes, at most kMostLogBytes

  bool operator==(const TrialRecord&) const = default;
};

[[nodiscard]] std::string_view name_of(Outcome outcome);  // "done", "unsupported", "failed"
[[nodiscard]] std::optional<Outcome> outcome_from(std::string_view name);

[[nodiscard]] StudyId id_of(const StudyRecord& study);
[[nodiscard]] std::string sha256_of(const Environment& environment);

// What every store asks of a trial before it takes it: an identity, a reason exactly when it is not
// done, finite numbers, no name twice, no series without values.
[[nodiscard]] Status validate(const TrialRecord& trial);

// Brings the parts of a trial into the order in which stores return them.
void sort_parts(TrialRecord& trial);

}  // namespace crossbind::store
