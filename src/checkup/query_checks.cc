// Queries: outputs and gradients of the inputs, judged by the referee, and nothing left behind.
#include <algorithm>
#include <numeric>

#include "checkup/inference.h"
#include "checkup/probe_step.h"
#include "converse/query_answer.h"
#include "judge/free_step.h"
#include "judge/step_tensors.h"

namespace crossbind::checkup {
namespace {

using trial::Queries;

// The first samples of the test set as the batch of a query: what the referee starts from, and the
// file.
struct Asked {
  judge::RecordedStep start;
  protocol::Query request;
};

Result<Asked> first_samples(const Exercise& exercise, int64_t samples, bool gradients) {
  Asked asked;
  asked.start.trains = false;
  CB_ASSIGN(asked.start.state, tensor::load_safetensors(exercise.file("weights.safetensors")));
  CB_ASSIGN(const auto split,
            referee::Split::open(exercise.data(), "test", exercise.model(), kTestSamples));
  std::vector<int64_t> ids(static_cast<size_t>(samples));
  std::iota(ids.begin(), ids.end(), int64_t{0});
  asked.start.batch = split.gather<double>(ids);
  CB_ASSIGN(const auto batch, judge::batch_of(exercise.data(), ids, "test"));
  asked.request = {.batch = exercise.file("query.safetensors"),
                   .gradients = gradients,
                   .answer = exercise.file("answer.safetensors")};
  CB_TRY(tensor::save_safetensors(asked.request.batch, batch, {}));
  std::error_code ignored;
  std::filesystem::remove(asked.request.answer, ignored);
  return asked;
}

Status need(const Examination& examination, Queries queries) {
  if (examination.able().queries < queries) {
    return skip("it does not claim queries '{}'", name_in(trial::kQueries, queries));
  }
  return {};
}

Result<tensor::TensorMap> answer_to(const Asked& asked,
                                    Conversation& worker,
                                    const Exercise& exercise) {
  CB_ASSIGN(const Answer answer, worker.ask(asked.request));
  CB_TRY(expect_done(answer));
  const int64_t samples = asked.start.batch.inputs.front().batch();
  return converse::read_query_answer(
      asked.request.answer, exercise.model(), samples, asked.request.gradients);
}

// A tensor of the answer by the bound of a whole network: nothing of the inside is shown.
Status judge(const std::string& name,
             const tensor::TensorMap& answer,
             const referee::Bounded& expected) {
  return expect_rounding(judge::deviation_of(
      name, judge::array_of(answer.at(name)), expected, referee::Scope::kSample));
}

Status answers_with_its_outputs(Examination& examination) {
  CB_TRY(need(examination, Queries::kOutputs));
  CB_ASSIGN(const auto* exercise, examination.exercise());
  CB_ASSIGN(auto* worker, examination.prepared());
  for (const int64_t samples : {kBatch, int64_t{1}, kTestSamples}) {
    CB_ASSIGN(const auto asked, first_samples(*exercise, samples, false));
    CB_ASSIGN(const auto answer, answer_to(asked, *worker, *exercise));
    CB_ASSIGN(const auto free, judge::free_step(exercise->model(), asked.start));
    CB_TRY(judge("outputs", answer, free.output));
  }
  return {};
}

// With two numbers of samples: a gradient of the mean would be another one.
Status gives_the_gradients_of_the_inputs(Examination& examination) {
  CB_TRY(need(examination, Queries::kGradients));
  CB_TRY(examination.need_parameters());
  CB_ASSIGN(const auto* exercise, examination.exercise());
  CB_ASSIGN(auto* worker, examination.prepared());
  for (const int64_t samples : {kBatch, int64_t{1}}) {
    CB_ASSIGN(const auto asked, first_samples(*exercise, samples, true));
    CB_ASSIGN(const auto answer, answer_to(asked, *worker, *exercise));
    CB_ASSIGN(const auto free, judge::free_query(exercise->model(), asked.start));
    CB_TRY(judge("outputs", answer, free.output));
    const auto& inputs = exercise->model().inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].is_integer()) {
        CB_TRY(judge(inputs[i].name + ".grad", answer, free.inputs[i]));
      }
    }
  }
  return {};
}

Status leaves_nothing_behind(Examination& examination) {
  CB_TRY(need(examination, Queries::kOutputs));
  const bool gradients = examination.able().queries == Queries::kGradients &&
                         examination.need_parameters().has_value();
  CB_ASSIGN(const auto* exercise, examination.exercise());
  CB_ASSIGN(auto* worker, examination.prepared());
  CB_ASSIGN(const auto asked, first_samples(*exercise, kBatch, gradients));
  CB_ASSIGN(const auto first, answer_to(asked, *worker, *exercise));
  CB_ASSIGN(const auto second, answer_to(asked, *worker, *exercise));
  for (const auto& [name, tensor] : first) {
    if (!judge::is_same(tensor, second.at(name))) {
      return wrong("expected the same '{}' when the same is asked again, came another", name);
    }
  }
  return {};
}

Status refuses_what_it_does_not_claim(Examination& examination) {
  const auto claimed = examination.able().queries;
  if (claimed == Queries::kGradients) {
    return skip("it claims all that can be asked");
  }
  CB_ASSIGN(const auto* exercise, examination.exercise());
  CB_ASSIGN(auto* worker, examination.prepared());
  CB_ASSIGN(const auto asked, first_samples(*exercise, 1, claimed == Queries::kOutputs));
  CB_ASSIGN(const Answer answer, worker->ask(asked.request));
  if (!std::holds_alternative<protocol::Unsupported>(answer.reply)) {
    return wrong("expected unsupported, came {}", describe(answer.reply));
  }
  return examination.is_alive();
}

}  // namespace

std::vector<Check> query_checks() {
  return {
      {"query",
       "answers queries of any size with its outputs",
       "query",
       answers_with_its_outputs,
       Stops::kGroup},
      {"query",
       "gives the gradients of the inputs within the referee's bound",
       "query",
       gives_the_gradients_of_the_inputs},
      {"query", "answers the same when it is asked again", "query", leaves_nothing_behind},
      {"query", "refuses queries that it does not claim", "query", refuses_what_it_does_not_claim},
  };
}

}  // namespace crossbind::checkup
