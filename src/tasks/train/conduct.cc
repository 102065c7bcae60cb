#include "tasks/train/conduct.h"

#include "converse/parameters_file.h"
#include "tasks/accounting.h"
#include "tasks/infer/conduct.h"
#include "tasks/train/account.h"

namespace crossbind::tasks {
namespace {

using converse::Attempt;
using converse::because;
using converse::Failure;

constexpr protocol::RequestId kAnswerId = kWorkId + 1;

// What the trained model says, for others to be compared with. Its times are no measurement: the
// worker has just trained.
Attempt<std::string> answer(const Session& session) {
  const protocol::Infer request{kAnswerId, session.directory / "outputs.safetensors"};
  const auto done = session.dialogue.ask(request, [](const protocol::Event&) { return Status(); });
  if (!done) {
    return because(done.error());
  }
  auto hash = hash_of_outputs(session.job, *request.outputs);
  if (!hash) {
    return hash;
  }
  if (auto kept = keep_file(*request.outputs, session.job.keep_outputs); !kept) {
    return because(kept.error());
  }
  return hash;
}

Attempt<std::string> keep_parameters(const Session& session, const std::filesystem::path& path) {
  const auto hash = converse::hash_parameters(path, *session.job.model);
  if (!hash) {
    return because(Failure{"saved wrong parameters: " + hash.error().to_string()});
  }
  if (session.job.keep.empty()) {
    return *hash;
  }
  if (auto kept = keep_file(path, session.job.keep); !kept) {
    return because(kept.error());
  }
  return *hash;
}

}  // namespace

Attempt<Trained> train(const Session& session) {
  protocol::Train request{.id = kWorkId};
  if (session.job.saves) {
    request.save = session.directory / "trained.safetensors";
  }
  TrainingAccount account(session.job);
  const auto done = ask(session, request, account);
  if (!done) {
    return because(done.error());
  }
  auto trained = std::move(account).finish(*done);
  if (!trained) {
    return because(Failure{trained.error().to_string()});
  }
  // Outputs first, so that where parameters are, the outputs are.
  if (!session.job.keep_outputs.empty()) {
    auto hash = answer(session);
    if (!hash) {
      return because(hash.error());
    }
    trained->outputs_sha256 = std::move(*hash);
  }
  if (request.save) {
    auto hash = keep_parameters(session, *request.save);
    if (!hash) {
      return because(hash.error());
    }
    trained->parameters_sha256 = std::move(*hash);
  }
  return std::move(*trained);
}

}  // namespace crossbind::tasks
