// What every session must do, whatever the framework: the tests of each worker in C++ call these
// with sessions of their own. They report what is wrong to the test that runs.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "crossbind_worker/session.h"

namespace crossbind::worker {

// Of these layers and inputs, as model files have them.
[[nodiscard]] model::Model made_up_model(const std::string& layers,
                                         const std::string& inputs,
                                         const std::string& loss = "cross_entropy");

// Small ones that have a gradient everywhere: of images, of sequences, and of each loss.
[[nodiscard]] std::vector<model::Model> smooth_models();

// A job to train and test the model, whose parameters and samples are drawn; its files go into the
// folder.
[[nodiscard]] Job made_up_job(const model::Model& model, const std::filesystem::path& folder);

using OpenSession = std::function<Result<std::unique_ptr<Session>>(const Job& job)>;

// Outputs of queries are those of an inference, for batches of any size, and gradients those of
// finite differences of the summed loss.
void expect_right_answers(Session& session, const Job& job);

// Queries between two trainings change neither.
void expect_answers_without_a_trace(const OpenSession& open,
                                    const Job& job,
                                    const std::filesystem::path& folder);

// In training steps of probes, and only where it is wanted: masks that are drawn anew each time,
// from the job's seed.
void expect_drawn_dropout(const OpenSession& open, const std::filesystem::path& folder);

// Over both sets, the outputs of an inference with the parameters that are in force.
void expect_evaluation_of_both_splits(Session& session, const Job& job);

}  // namespace crossbind::worker
