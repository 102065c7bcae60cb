// What conform says of a binding on a model: values only. Tensors and layers have the names of the
// protocol.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/named.h"
#include "trial/capabilities.h"

namespace crossbind::conform {

enum class Part { kProbe, kEvaluation, kLoader };

enum class Kind { kData, kForward, kLoss, kGradient, kUpdate, kState, kEvaluation };

// Where a binding is off first.
struct Divergence {
  Part part = Part::kProbe;
  Kind kind = Kind::kForward;
  uint64_t seed = 0;
  int64_t step = 0;    // from 1; of the loader: the batch
  std::string layer;   // empty where it is no layer's: the loss, the data
  std::string tensor;  // "conv1.weight.grad"
  double error = 0;
  double bound = 0;
  std::string detail;  // in words, where numbers do not say it: which samples came instead
  std::string cause;   // what explains it, when the referee has shown that it does; else empty
  std::string repro;   // the folder that shows it again, or why there is none; empty: not asked for
};

enum class Outcome { kBitForBit, kRounding, kConvention, kKnown, kDiverges, kUnsupported, kFailed };

// Of all seeds: the first divergence, else the largest ratio.
struct PartFinding {
  Part part = Part::kProbe;
  Outcome outcome = Outcome::kRounding;  // never kConvention: that is said of all parts together
  double ratio = 0;                      // the largest of an error to its bound
  std::optional<Divergence> divergence;
  std::string reason;  // why it is unsupported, failed, or known
};

struct Verdict {
  std::string binding;
  std::string model;
  trial::ProbeLevel level = trial::ProbeLevel::kNone;  // how deep it could be looked into
  Outcome outcome = Outcome::kFailed;
  double ratio = 0;                      // the largest of an error to its bound
  std::vector<std::string> conventions;  // "batchnorm.running_variance = biased"
  std::optional<Divergence> divergence;  // the first part's that has one
  std::string reason;                    // why it is unsupported, failed, or known
  std::vector<PartFinding> parts;
  std::vector<std::string> same_as;  // bindings that showed the same bits in every probed step
  std::vector<std::string> missed;   // known divergences that have changed or vanished
};

inline constexpr std::array kParts = {
    Named<Part>{"probe", Part::kProbe},
    Named<Part>{"evaluation", Part::kEvaluation},
    Named<Part>{"loader", Part::kLoader},
};
inline constexpr std::array kKinds = {
    Named<Kind>{"data", Kind::kData},
    Named<Kind>{"forward", Kind::kForward},
    Named<Kind>{"loss", Kind::kLoss},
    Named<Kind>{"gradient", Kind::kGradient},
    Named<Kind>{"update", Kind::kUpdate},
    Named<Kind>{"state", Kind::kState},
    Named<Kind>{"evaluation", Kind::kEvaluation},
};
inline constexpr std::array kOutcomes = {
    Named<Outcome>{"agrees bit for bit", Outcome::kBitForBit},
    Named<Outcome>{"agrees within rounding", Outcome::kRounding},
    Named<Outcome>{"convention", Outcome::kConvention},
    Named<Outcome>{"known", Outcome::kKnown},
    Named<Outcome>{"diverges", Outcome::kDiverges},
    Named<Outcome>{"unsupported", Outcome::kUnsupported},
    Named<Outcome>{"failed", Outcome::kFailed},
};

[[nodiscard]] constexpr bool agrees(Outcome outcome) {
  return outcome == Outcome::kBitForBit || outcome == Outcome::kRounding ||
         outcome == Outcome::kConvention;
}

}  // namespace crossbind::conform
