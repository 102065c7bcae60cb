// What a worker can do: declared in its manifest and repeated in its greeting.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trial/format.h"
#include "trial/settings.h"

namespace crossbind::trial {

struct Capabilities {
  std::vector<Task> tasks;
  std::vector<std::string> devices;
  std::vector<Loader> loaders;
  std::vector<Variant> variants;
  std::vector<Measure> measures;
  std::vector<TrainingAccuracy> training_accuracies;
  std::vector<std::string> layers;      // types of the graph
  std::vector<std::string> losses;      // as the graph names them
  std::vector<std::string> optimizers;  // as the graph names them
  std::vector<std::string> lacks;  // features of those that are missing: "gru.reset_after=false"
  // Conventions of which the binding has one form only, whatever is asked:
  // "adam.epsilon_form" -> "hat". Results then say so instead of diverging.
  std::map<std::string, std::string, std::less<>> conventions;
  ProbeLevel probe = ProbeLevel::kNone;
  Queries queries = Queries::kNone;
  bool saves = false;          // can write the trained parameters as safetensors
  std::vector<Format> reads;   // files of whole models that it is prepared with
  std::vector<Format> writes;  // files that it writes of what it was prepared with

  bool operator==(const Capabilities&) const = default;
};

// Settings that the worker has, the common ones where there is a choice.
[[nodiscard]] Settings plain_settings(const Capabilities& able);

// The first format that the writer writes and the reader reads.
[[nodiscard]] std::optional<Format> common_format(const Capabilities& writer,
                                                  const Capabilities& reader);

}  // namespace crossbind::trial
