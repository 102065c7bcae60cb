#include "converse/batch_evidence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/digest.h"
#include "model/losses.h"

namespace crossbind::converse {
namespace {

Status add_rows(const tensor::SafetensorsFile& data,
                const std::string& name,
                std::span<const int64_t> ids,
                Sha256& hash) {
  CB_ASSIGN(const auto view, data.find(name));
  const size_t row = view.bytes.size() / static_cast<size_t>(view.shape.front());
  for (const int64_t id : ids) {
    hash.update(view.bytes.subspan(static_cast<size_t>(id) * row, row));
  }
  return {};
}

}  // namespace

Result<protocol::Batch> expected_batch(const tensor::SafetensorsFile& data,
                                       const model::Model& model,
                                       std::span<const int64_t> ids) {
  Sha256 inputs;
  for (const auto& input : model.inputs) {
    CB_TRY(add_rows(data, "train." + input.name, ids, inputs));
  }
  Sha256 labels;
  for (const std::string_view target : model::describe(model.loss).targets) {
    CB_TRY(add_rows(data, fmt::format("train.{}", target), ids, labels));
  }
  protocol::Batch batch;
  batch.count = std::ssize(ids);
  batch.ids.assign(ids.begin(), ids.end());
  batch.inputs_sha256 = inputs.hex();
  batch.labels_sha256 = labels.hex();
  return batch;
}

std::optional<BatchDifference> difference(const protocol::Batch& came,
                                          const protocol::Batch& expected) {
  if (came.count != expected.count) {
    return BatchDifference{"count",
                           fmt::format("expected {} samples, came {}", expected.count, came.count)};
  }
  if (came.ids != expected.ids) {
    return BatchDifference{"ids",
                           fmt::format("expected the ids {}, as in the order, came {}",
                                       fmt::join(expected.ids, " "),
                                       fmt::join(came.ids, " "))};
  }
  for (const auto& [member, left, right] :
       {std::tuple{"inputs_sha256", &came.inputs_sha256, &expected.inputs_sha256},
        std::tuple{"labels_sha256", &came.labels_sha256, &expected.labels_sha256}}) {
    if (*left != *right) {
      return BatchDifference{
          member, fmt::format("expected {} {}, from the data, came {}", member, *right, *left)};
    }
  }
  return std::nullopt;
}

}  // namespace crossbind::converse
