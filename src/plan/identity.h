// What makes a trial the trial it is, as a hash: equal identities mean that there is nothing new to
// learn from running it. Limits, titles, and the place of a trial in its study do not count.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "plan/facts.h"
#include "plan/trial_id.h"
#include "spec/study.h"
#include "trial/settings.h"

namespace crossbind::plan {

// Samples that a trial of the entry uses: all there are, or the limit of the study.
struct Samples {
  int64_t train = 0;
  int64_t test = 0;
};

// The parts are hashed once each; a trial then costs one short hash.
class IdentityMaker {
 public:
  // Graph, optimizer, the rules of its initial weights, and data. A data set whose checksum is not
  // known yet counts by its name. `further`: whatever else the study asks for, in lines.
  [[nodiscard]] Digest model(const model::Model& model,
                             const DatasetFacts& dataset,
                             const Samples& samples,
                             std::string_view further);
  [[nodiscard]] Digest binding(const BindingFacts& binding);
  // For what is done with a file that `serializer` writes.
  [[nodiscard]] Digest binding(const BindingFacts& binding, const BindingFacts& serializer);
  // `settings` but for the seed.
  [[nodiscard]] Digest condition(const Digest& model,
                                 trial::Task task,
                                 const trial::Settings& settings);
  // `source`: the training whose parameters are used; nothing for the initial ones.
  [[nodiscard]] Digest block(const Digest& condition,
                             uint32_t seed,
                             uint32_t repeat,
                             const std::optional<TrialId>& source);
  [[nodiscard]] TrialId trial(const Digest& block, const Digest& binding);

 private:
  [[nodiscard]] Digest digest(std::string_view text);

  Sha256 sha_;
};

}  // namespace crossbind::plan
