#include "saved_model.h"

#include <tensorflow/cc/saved_model/loader.h>

#include "session_options.h"

namespace crossbind::worker {
namespace {

namespace tf = tensorflow;

SignatureTensor describe(const tf::TensorInfo& info) {
  SignatureTensor described{info.name(), info.dtype() == tf::DT_FLOAT, {}};
  for (const auto& dimension : info.tensor_shape().dim()) {
    described.shape.push_back(dimension.size());
  }
  return described;
}

Status to_result(const tf::Status& status, const std::filesystem::path& folder) {
  if (status.ok()) {
    return {};
  }
  return tl::unexpected(
      Error{ErrorKind::kCorrupt, std::string(status.message()), folder.string(), ""});
}

}  // namespace

SavedModel::SavedModel(std::filesystem::path folder,
                       GraphSession session,
                       std::unique_ptr<tf::MetaGraphDef> graph)
    : folder_(std::move(folder)),
      session_(std::move(session)),
      graph_(std::move(graph)) {
  for (const auto& [name, definition] : graph_->signature_def()) {
    Signature& signature = signatures_[name];
    for (const auto& [input, info] : definition.inputs()) {
      signature.inputs.emplace(input, describe(info));
    }
    for (const auto& [output, info] : definition.outputs()) {
      signature.outputs.emplace(output, describe(info));
    }
  }
}
SavedModel::SavedModel(SavedModel&& other) noexcept = default;
SavedModel& SavedModel::operator=(SavedModel&& other) noexcept = default;
SavedModel::~SavedModel() = default;

Result<SavedModel> SavedModel::load(const std::filesystem::path& folder, int threads) {
  tf::SavedModelBundle bundle;
  CB_TRY(to_result(
      tf::LoadSavedModel(options_for(threads), {}, folder.string(), {"serve"}, &bundle), folder));
  return SavedModel(folder,
                    GraphSession(std::move(bundle.session)),
                    std::make_unique<tf::MetaGraphDef>(std::move(bundle.meta_graph_def)));
}

const Signature* SavedModel::find(const std::string& name) const {
  const auto found = signatures_.find(name);
  return found == signatures_.end() ? nullptr : &found->second;
}

std::vector<NativeTensor> SavedModel::call(const Signature& signature,
                                           const Feeds& inputs,
                                           const Names& outputs) {
  Feeds feeds;
  for (const auto& [name, tensor] : inputs) {
    feeds.emplace_back(signature.inputs.at(name).node, tensor);
  }
  Names fetches;
  for (const std::string& name : outputs) {
    fetches.push_back(signature.outputs.at(name).node);
  }
  return session_.run(feeds, fetches);
}

Status SavedModel::restore() {
  return to_result(tf::RestoreSession({}, *graph_, folder_.string(), &session_.native()), folder_);
}

}  // namespace crossbind::worker
