#include "crossbind_worker/answer_file.h"
#include "crossbind_worker/procedure.h"
#include "crossbind_worker/scoring.h"
#include "tensor/safetensors.h"

namespace crossbind::worker {

Result<Reply> run_query(Session& session, const Job& job, const protocol::Query& request) {
  CB_ASSIGN(const auto file, tensor::SafetensorsFile::open(request.batch));
  CB_ASSIGN(
      const Samples batch,
      read_samples(file, "", job.model, request.gradients ? Labels::kNeeded : Labels::kOptional));
  CB_ASSIGN(Answer answer,
            session.query(batch, request.gradients ? Gradients::kOfInputs : Gradients::kNone));
  if (!all_finite(answer.outputs.view())) {
    return not_finite("an output");
  }
  tensor::TensorMap tensors;
  tensors.emplace("outputs", std::move(answer.outputs));
  for (auto& [input, gradient] : answer.gradients) {
    tensors.emplace(input + ".grad", std::move(gradient));
  }
  if (const auto written = write_answer(request.answer, tensors); !written) {
    return cannot_write(written.error());
  }
  return protocol::Done{};
}

}  // namespace crossbind::worker
