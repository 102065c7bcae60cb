#include "protocol/files.h"

namespace crossbind::protocol {
namespace {

using MaybePath = std::optional<std::filesystem::path>;

Status visit(MaybePath& path, FileUse use, const OnFile& on_file) {
  return path ? on_file(*path, use) : Status();
}

// One for each kind of request, and none for all: what a new one names must be said.
Status files_of(Welcome& /*welcome*/, const OnFile& /*on_file*/) {
  return {};
}
Status files_of(Prepare& prepare, const OnFile& on_file) {
  CB_TRY(visit(prepare.weights, FileUse::kRead, on_file));
  CB_TRY(visit(prepare.serialized, FileUse::kRead, on_file));
  if (prepare.data) {
    CB_TRY(on_file(prepare.data->path, FileUse::kRead));
  }
  CB_TRY(visit(prepare.order, FileUse::kRead, on_file));
  return on_file(prepare.scratch, FileUse::kScratch);
}
Status files_of(Train& train, const OnFile& on_file) {
  return visit(train.save, FileUse::kWritten, on_file);
}
Status files_of(Infer& infer, const OnFile& on_file) {
  return visit(infer.outputs, FileUse::kWritten, on_file);
}
Status files_of(Probe& probe, const OnFile& on_file) {
  CB_TRY(on_file(probe.batch, FileUse::kRead));
  CB_TRY(visit(probe.state, FileUse::kRead, on_file));
  return on_file(probe.directory, FileUse::kWritten);
}
Status files_of(Query& query, const OnFile& on_file) {
  CB_TRY(on_file(query.batch, FileUse::kRead));
  return on_file(query.answer, FileUse::kWritten);
}
Status files_of(Serialize& serialize, const OnFile& on_file) {
  CB_TRY(visit(serialize.calibration, FileUse::kRead, on_file));
  return on_file(serialize.path, FileUse::kWritten);
}
Status files_of(Cancel& /*cancel*/, const OnFile& /*on_file*/) {
  return {};
}
Status files_of(Bye& /*bye*/, const OnFile& /*on_file*/) {
  return {};
}

}  // namespace

Status for_each_file(Request& request, const OnFile& on_file) {
  return std::visit([&](auto& message) { return files_of(message, on_file); }, request);
}

}  // namespace crossbind::protocol
