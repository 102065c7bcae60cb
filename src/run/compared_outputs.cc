#include "run/compared_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "run/parameters_file.h"
#include "stats/agreement.h"
#include "tensor/safetensors.h"

namespace crossbind::run {
namespace {

// A share that a worker has rounded to float32 is still the same.
constexpr double kSameAccuracy = 1e-6;

stats::Reading reading_of(model::Loss loss) {
  switch (loss) {
    case model::Loss::kCrossEntropy:
      return stats::Reading::kClass;
    case model::Loss::kBinaryCrossEntropy:
      return stats::Reading::kSign;
    case model::Loss::kSpanCrossEntropy:
      return stats::Reading::kSpan;
  }
  return stats::Reading::kClass;
}

Result<stats::Outputs> outputs_in(const tensor::SafetensorsFile& file, const model::Model& model) {
  CB_ASSIGN(const auto values, file.values<float>("outputs"));
  CB_ASSIGN(const int64_t width, tensor::element_count(model.nodes.back().output));
  return stats::Outputs{reading_of(model.loss), static_cast<size_t>(width), values};
}

// The targets of the samples, as predictions are numbered; nothing where the data have none.
Result<std::optional<std::vector<int64_t>>> targets_of(const TrialJob& job) {
  CB_ASSIGN(const auto file, tensor::SafetensorsFile::open(job.data.path));
  std::vector<std::span<const int64_t>> columns;
  for (const auto& name : test_targets(*job.model)) {
    if (!file.find(name)) {
      return std::nullopt;
    }
    CB_ASSIGN(const auto column, file.values<int64_t>(name));
    if (static_cast<int64_t>(column.size()) < job.data.test_samples) {
      return fail(ErrorKind::kInvalid,
                  "{}: '{}' has {} of {} samples",
                  job.data.path.filename().string(),
                  name,
                  column.size(),
                  job.data.test_samples);
    }
    columns.push_back(column);
  }
  std::vector<int64_t> targets;
  targets.reserve(columns.size() * static_cast<size_t>(job.data.test_samples));
  for (size_t i = 0; i < static_cast<size_t>(job.data.test_samples); ++i) {
    for (const auto& column : columns) {
      targets.push_back(column[i]);
    }
  }
  return targets;
}

void note_contradiction(double accuracy, store::TrialRecord& record) {
  const auto claimed = std::ranges::find(record.series, "infer.accuracy", &store::Series::metric);
  if (claimed != record.series.end() &&
      std::abs(claimed->values.front() - accuracy) > kSameAccuracy) {
    record.facts["contradiction.accuracy"] =
        fmt::format("{0} {0} {1}", claimed->values.front(), accuracy);
  }
}

}  // namespace

std::vector<std::string> test_targets(const model::Model& model) {
  return model.loss == model::Loss::kSpanCrossEntropy
             ? std::vector<std::string>{"test.start", "test.end"}
             : std::vector<std::string>{"test.label"};
}

Status compare_outputs(const TrialJob& job,
                       const std::filesystem::path& outputs,
                       store::TrialRecord& record) {
  CB_ASSIGN(record.facts["expected_outputs_sha256"],
            hash_outputs(job.expected, *job.model, job.data.test_samples));
  CB_ASSIGN(const auto expected_file, tensor::SafetensorsFile::open(job.expected));
  CB_ASSIGN(const auto file, tensor::SafetensorsFile::open(outputs));
  CB_ASSIGN(const auto expected, outputs_in(expected_file, *job.model));
  CB_ASSIGN(const auto found, outputs_in(file, *job.model));
  CB_ASSIGN(const auto agreement, stats::agreement(expected, found));
  const auto add = [&](const char* metric, std::vector<double> values) {
    record.series.push_back({metric, 0, std::move(values)});
  };
  add("infer.differing", {static_cast<double>(agreement.differing)});
  add("infer.output_difference", {agreement.largest_difference});
  if (agreement.smallest_margin) {
    add("infer.margin", {*agreement.smallest_margin, *agreement.largest_margin});
  }
  CB_ASSIGN(const auto targets, targets_of(job));
  if (targets) {
    CB_ASSIGN(const double accuracy, stats::accuracy(expected, *targets));
    CB_ASSIGN(const double own, stats::accuracy(found, *targets));
    add("infer.expected", {accuracy});
    note_contradiction(own, record);
  }
  return {};
}

}  // namespace crossbind::run
