#include "plan/identity.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <span>

#include "model/graph_json.h"

namespace crossbind::plan {
namespace {

// Changes whenever the same inputs must count as another trial: it is a part of every identity.
constexpr std::string_view kVersion = "crossbind trial 1\n";

std::string hex(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<size_t>(byte >> 4)];
    text += kDigits[std::to_integer<size_t>(byte & std::byte{15})];
  }
  return text;
}

// Decomposed, so that a new setting cannot be forgotten here.
std::string text_of(const trial::Settings& settings) {
  const auto& [device,
               loader,
               variant,
               measure,
               seed,  // a part of the block
               epochs,
               batch_size,
               training_accuracy,
               evaluate,
               warmup_steps,
               threads] = settings;
  (void)seed;
  return fmt::format(
      "device {}\nloader {}\nvariant {}\nmeasure {}\nepochs {}\nbatch size {}\n"
      "training accuracy {}\nevaluate {}\nwarmup steps {}\nthreads {}\n",
      device,
      name_in(trial::kLoaders, loader),
      name_in(trial::kVariants, variant),
      name_in(trial::kMeasures, measure),
      epochs,
      batch_size,
      name_in(trial::kTrainingAccuracies, training_accuracy),
      name_in(trial::kEvaluates, evaluate),
      warmup_steps,
      threads);
}

// The rules by which initial weights are drawn: the graph does not have them.
std::string initial_values(const model::Model& model) {
  std::string text;
  for (const auto& parameter : model.parameters) {
    const auto& [distribution, amount, forget_begin, forget_end, forget_value] = parameter.initial;
    fmt::format_to(std::back_inserter(text),
                   "{} {} {} {} {}\n",
                   static_cast<int>(distribution),
                   amount,
                   forget_begin,
                   forget_end,
                   forget_value);
  }
  return text;
}

void put(std::span<std::byte> bytes, uint32_t value) {
  for (size_t i = 0; i < 4; ++i) {
    bytes[i] = static_cast<std::byte>(value >> (8 * i));
  }
}

}  // namespace

std::string TrialId::to_string() const {
  return hex(bytes);
}

std::optional<TrialId> parse_trial_id(std::string_view text) {
  TrialId id;
  if (text.size() != id.bytes.size() * 2) {
    return std::nullopt;
  }
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  for (size_t i = 0; i < id.bytes.size(); ++i) {
    const int high = digit(text[2 * i]);
    const int low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    id.bytes[i] = static_cast<std::byte>(high * 16 + low);
  }
  return id;
}

Digest IdentityMaker::digest(std::string_view text) {
  sha_.update(std::as_bytes(std::span(kVersion)));
  sha_.update(std::as_bytes(std::span(text)));
  return sha_.digest();
}

Digest IdentityMaker::model(const model::Model& model,
                            const DatasetFacts& dataset,
                            const Samples& samples,
                            std::string_view further) {
  model::Model plain = model;
  plain.title.clear();
  plain.dataset.clear();  // its bytes count, not its name
  return digest(fmt::format("{}\n{}{} {}\n{} {}\n{}",
                            model::canonical_graph(plain).dump(),
                            initial_values(model),
                            dataset.sha256.empty() ? "data set" : "data",
                            dataset.sha256.empty() ? dataset.id : dataset.sha256,
                            samples.train,
                            samples.test,
                            further));
}

Digest IdentityMaker::binding(const BindingFacts& binding) {
  return digest(fmt::format("{}\n{}\n", binding.name, binding.build));
}

Digest IdentityMaker::binding(const BindingFacts& binding, const BindingFacts& serializer) {
  return digest(fmt::format("{}\n{}\nserialized by {}\n{}\n",
                            binding.name,
                            binding.build,
                            serializer.name,
                            serializer.build));
}

Digest IdentityMaker::condition(const Digest& model,
                                trial::Task task,
                                const trial::Settings& settings) {
  return digest(
      fmt::format("{}\ntask {}\n{}", hex(model), name_in(trial::kTasks, task), text_of(settings)));
}

Digest IdentityMaker::block(const Digest& condition,
                            uint32_t seed,
                            uint32_t repeat,
                            const std::optional<TrialId>& source) {
  std::array<std::byte, 57> bytes{};  // 32 + 4 + 4 + 1 + 16
  const std::span all(bytes);
  std::ranges::copy(condition, all.begin());
  put(all.subspan(32, 4), seed);
  put(all.subspan(36, 4), repeat);
  if (source) {
    all[40] = std::byte{1};
    std::ranges::copy(source->bytes, all.subspan(41).begin());
  }
  sha_.update(all);
  return sha_.digest();
}

TrialId IdentityMaker::trial(const Digest& block, const Digest& binding) {
  sha_.update(block);
  sha_.update(binding);
  const Digest whole = sha_.digest();
  TrialId id;
  std::copy_n(whole.begin(), id.bytes.size(), id.bytes.begin());
  return id;
}

}  // namespace crossbind::plan
