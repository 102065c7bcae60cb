// Which binding to take, or which pair: train in one, infer in another. docs/recommend.md says how
// it is decided. Decides; renders nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "decide/evidence.h"
#include "stats/interval.h"

namespace crossbind::decide {

enum class Purpose { kTrain, kInfer, kBoth };

struct Question {
  Purpose purpose = Purpose::kInfer;
  std::string language;  // of the product: of all that it runs itself; empty: any
  std::string model;     // empty: every one that was measured
  std::string device;    // that a training, or the inference, runs on; empty: each
  bool must_match = false;
  std::optional<double> max_slowdown;  // against the fastest in any language: 0.5 is 1.5 times
  double alpha = 0.05;
};

enum class Standing {
  kFirst,
  kTied,      // cannot be told from the first
  kSlower,    // than the first, with evidence
  kTradeOff,  // of a pair: slower in one, faster in the other
};

[[nodiscard]] std::string_view to_string(Standing standing);

// One option against another.
struct Against {
  double ratio = 1;
  std::optional<stats::Interval> interval;  // 95 %, bootstrap
  double p = 1;                             // one-sided, times the comparisons of the ranking
  std::optional<double> noise;              // the ratio that an option against itself stays within
  // p is at most alpha, the interval lies above 1, and the ratio above the noise.
  bool is_slower = false;
  std::optional<size_t> needed;  // samples each that would tell, where that can be said
  bool needed_is_least = false;  // no fewer can, whatever the difference; else an estimate
};

struct RankedOption {
  Option option;
  Against fastest;  // in any language
  Against first;
  Standing standing = Standing::kFirst;
};

struct RankedPair {
  RankedOption train;
  RankedOption infer;
  double cost = 1;         // the product of both ratios to the fastest
  bool was_tried = false;  // the store has models of the one running in the other
  Standing standing = Standing::kFirst;
  std::optional<double> break_even;  // passes from which a trade-off pays, or no longer pays
};

enum class Answer { kRecommended, kNotEnough, kNothing };

[[nodiscard]] std::string_view to_string(Answer answer);

struct LeftOut {
  std::string name;  // "pytorch/rust by serialization"; of pairs, "training in pytorch/rust"
  std::string why;
};

struct Ranking {
  CaseKey key;                       // of the training of a pair
  std::optional<CaseKey> infer_key;  // of the inference of a pair
  bool per_epoch = false;
  std::vector<RankedOption> options;
  std::vector<RankedPair> pairs;
  std::vector<LeftOut> left_out;
  std::optional<std::string> fastest_elsewhere;  // in another language, when that was filtered
  Answer answer = Answer::kNothing;
  std::string because;  // a sentence made of the numbers
};

// A ranking for every case that the question is about, in the order of their keys.
[[nodiscard]] Result<std::vector<Ranking>> recommend(const Cases& cases, const Question& question);

}  // namespace crossbind::decide
