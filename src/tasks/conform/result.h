// What conform says of a binding on a model: values only. Tensors and layers have the names of the
// protocol.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/named.h"
#include "tasks/ruling.h"
#include "trial/kind.h"
#include "trial/settings.h"

namespace crossbind::tasks {

enum class ConformPart { kProbe, kDropout, kEvaluation, kLoader };

// Where a binding is off first.
struct Divergence {
  ConformPart part = ConformPart::kProbe;
  trial::Kind kind = trial::Kind::kForward;
  uint64_t seed = 0;
  int64_t step = 0;    // from 1; of the loader: the batch
  std::string layer;   // empty where it is no layer's: the loss, the data
  std::string tensor;  // "conv1.weight.grad"
  double error = 0;
  double bound = 0;
  std::string detail;  // in words, where numbers do not say it: which samples came instead
  std::string cause;   // what explains it, when the referee has shown that it does; else empty
  std::string repro;   // the folder that shows it again, or why there is none; empty: not asked for

  bool operator==(const Divergence&) const = default;
};

enum class ConformOutcome {
  kBitForBit,
  kRounding,
  kConvention,
  kKnown,
  kDiverges,
  kUnsupported,
  kFailed,
};

// What a part found with all seeds: the first divergence, else the largest ratio.
struct PartFinding {
  ConformPart part = ConformPart::kProbe;
  // Never kConvention: that is said of all parts together.
  ConformOutcome outcome = ConformOutcome::kRounding;
  double ratio = 0;  // the largest of an error to its bound
  std::optional<Divergence> divergence;
  std::string reason;  // why it is unsupported, failed, or known

  bool operator==(const PartFinding&) const = default;
};

struct Conformed {
  trial::ProbeLevel level = trial::ProbeLevel::kNone;  // how deep it could be looked into
  ConformOutcome outcome = ConformOutcome::kFailed;
  double ratio = 0;                      // the largest of an error to its bound
  std::vector<std::string> conventions;  // "batchnorm.running_variance = biased"
  std::optional<Divergence> divergence;  // the first part's that has one
  std::string reason;                    // why it is unsupported, failed, or known
  std::vector<PartFinding> parts;
  std::vector<std::string> same_as;  // bindings that showed the same bits in every probed step
  std::vector<std::string> missed;   // known divergences that have changed or vanished

  bool operator==(const Conformed&) const = default;
};

struct Verdict : Conformed {
  std::string binding;
  std::string model;

  bool operator==(const Verdict&) const = default;
};

inline constexpr std::array kConformParts = {
    Named<ConformPart>{"probe", ConformPart::kProbe},
    Named<ConformPart>{"dropout", ConformPart::kDropout},
    Named<ConformPart>{"evaluation", ConformPart::kEvaluation},
    Named<ConformPart>{"loader", ConformPart::kLoader},
};
inline constexpr std::array kConformOutcomes = {
    Named<ConformOutcome>{"agrees bit for bit", ConformOutcome::kBitForBit},
    Named<ConformOutcome>{"agrees within rounding", ConformOutcome::kRounding},
    Named<ConformOutcome>{"convention", ConformOutcome::kConvention},
    Named<ConformOutcome>{"known", ConformOutcome::kKnown},
    Named<ConformOutcome>{"diverges", ConformOutcome::kDiverges},
    Named<ConformOutcome>{"unsupported", ConformOutcome::kUnsupported},
    Named<ConformOutcome>{"failed", ConformOutcome::kFailed},
};

[[nodiscard]] constexpr Ruling ruling_of(ConformOutcome outcome) {
  switch (outcome) {
    case ConformOutcome::kBitForBit:
    case ConformOutcome::kRounding:
    case ConformOutcome::kConvention:
      return Ruling::kAgrees;
    case ConformOutcome::kKnown:
    case ConformOutcome::kDiverges:
      return Ruling::kDiverges;
    case ConformOutcome::kUnsupported:
    case ConformOutcome::kFailed:
      return Ruling::kNone;
  }
  return Ruling::kNone;
}

// A divergence that is known is one all the same.
[[nodiscard]] bool diverges(const Conformed& conformed);

// Whether error and bound say something: samples are wrong or right, and masks are improbable.
[[nodiscard]] constexpr bool is_measured(trial::Kind kind) {
  return kind != trial::Kind::kData && kind != trial::Kind::kMask;
}

// "gradient of probe, layer conv1, tensor conv1.weight.grad, 12.5 times its bound; cause: ...".
[[nodiscard]] std::string where_in_words(const Divergence& divergence);

// Whether its ratio says something: where nothing could be examined there is none, and wrong data
// and wrong masks are not off by a number.
[[nodiscard]] bool has_ratio(const Conformed& conformed);

}  // namespace crossbind::tasks
