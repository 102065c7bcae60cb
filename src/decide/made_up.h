// Trials for the tests of this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/memory_store.h"
#include "store/record.h"
#include "tasks/measured.h"

namespace crossbind::decide {

// LeNet-5 on MNIST with 10,000 test samples, two epochs of `seconds` in all.
[[nodiscard]] store::TrialRecord made_training(const std::string& binding,
                                               uint32_t seed,
                                               double seconds,
                                               double accuracy = 0.98);

// By parameters, those that pytorch/python trained.
[[nodiscard]] store::TrialRecord made_inference(const std::string& binding,
                                                uint32_t seed,
                                                double seconds,
                                                double accuracy = 0.98);

[[nodiscard]] store::TrialRecord made_judgement(const std::string& binding,
                                                uint32_t seed,
                                                tasks::Ruling ruling = tasks::Ruling::kAgrees);

// What `conform --store` keeps of a binding.
[[nodiscard]] store::TrialRecord made_verdict(const std::string& binding,
                                              tasks::ConformOutcome outcome);

[[nodiscard]] store::TrialRecord made_failure(store::TrialRecord trial, const std::string& reason);

// With identities that no other store of `build` shares.
[[nodiscard]] store::MemoryStore store_of(const std::vector<store::TrialRecord>& trials,
                                          const std::string& build = "a");

// `count` trainings of one binding that take about `seconds`, with seeded noise of that share.
[[nodiscard]] std::vector<store::TrialRecord> noisy_trainings(const std::string& binding,
                                                              size_t count,
                                                              double seconds,
                                                              double noise = 0.02);

[[nodiscard]] std::vector<store::TrialRecord> shuffled(
    const std::vector<store::TrialRecord>& trials, uint32_t seed);

}  // namespace crossbind::decide
