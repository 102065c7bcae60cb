// What a plan needs to know beside the study, as plain values: planning itself looks nothing up.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plan/only.h"
#include "plan/trial_id.h"
#include "trial/capabilities.h"

namespace crossbind::plan {

struct BindingFacts {
  std::string name;
  std::optional<trial::Capabilities> capabilities;  // nothing: there is no worker yet
  std::string build;        // digest of the worker's build; empty: not known yet
  std::string unavailable;  // why it cannot run here, and the command that mends it; empty: it can
};

struct DatasetFacts {
  std::string id;
  std::string sha256;  // empty: not known yet
  int64_t train = 0;   // samples; 0: not known yet
  int64_t test = 0;
  std::string unavailable;  // why it cannot be used here, and what mends it; empty: it can
  std::string made_first;   // that it is not there, and that a run makes it; empty: it is
};

// Parameters that the user supplies for a model.
struct SuppliedFacts {
  std::string sha256;       // of their content; empty where they are not there
  std::string unavailable;  // why they cannot be used here, and what mends it; empty: they can
};

enum class PastState { kDone, kUnsupported, kFailed };

struct Past {
  PastState state = PastState::kDone;
  std::string reason;  // the feature, or why it failed
};

struct Facts {
  std::vector<BindingFacts> bindings;             // all there are
  std::vector<DatasetFacts> datasets;             // at least those of the study
  std::map<std::string, SuppliedFacts> supplied;  // by name, those of the study
  std::unordered_map<TrialId, Past> past;
  std::unordered_set<TrialId> parameters;  // trainings whose parameters are still on disk
  bool retry_failed = false;
  std::vector<Only> only;
};

}  // namespace crossbind::plan
