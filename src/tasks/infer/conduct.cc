#include "tasks/infer/conduct.h"

#include "converse/parameters_file.h"
#include "tasks/accounting.h"
#include "tasks/infer/account.h"
#include "tasks/infer/compared_outputs.h"

namespace crossbind::tasks {

using converse::Attempt;
using converse::because;
using converse::Failure;

Attempt<std::string> hash_of_outputs(const Assignment& job, const std::filesystem::path& path) {
  auto hash = converse::hash_outputs(path, *job.model, job.data.test_samples);
  if (!hash) {
    return because(Failure{"wrote wrong outputs: " + hash.error().to_string()});
  }
  return std::move(*hash);
}

Attempt<Inferred> infer(const Session& session) {
  const Assignment& job = session.job;
  const protocol::Infer request{kWorkId, session.directory / "outputs.safetensors"};
  InferenceAccount account(job);
  const auto done = ask(session, request, account);
  if (!done) {
    return because(done.error());
  }
  auto inferred = std::move(account).finish(*done);
  if (!inferred) {
    return because(Failure{inferred.error().to_string()});
  }
  auto hash = hash_of_outputs(job, *request.outputs);
  if (!hash) {
    return because(hash.error());
  }
  inferred->outputs_sha256 = std::move(*hash);
  if (!job.expected.empty()) {
    if (const auto compared = compare_outputs(job, *request.outputs, *inferred); !compared) {
      return because(Failure{"cannot be compared: " + compared.error().to_string()});
    }
  }
  if (!job.keep_outputs.empty()) {
    if (auto kept = keep_file(*request.outputs, job.keep_outputs); !kept) {
      return because(kept.error());
    }
  }
  return std::move(*inferred);
}

}  // namespace crossbind::tasks
