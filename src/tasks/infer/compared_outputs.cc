#include "tasks/infer/compared_outputs.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

#include "converse/parameters_file.h"
#include "stats/agreement.h"
#include "tasks/infer/targets.h"
#include "tensor/safetensors.h"

namespace crossbind::tasks {
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
Result<std::optional<std::vector<int64_t>>> targets_of(const Assignment& job) {
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

void note_contradiction(double accuracy, Inferred& inferred) {
  for (const double claimed : inferred.test.accuracy) {
    if (std::abs(claimed - accuracy) > kSameAccuracy) {
      inferred.contradictions.push_back(
          {"accuracy", fmt::format("{}", claimed), claimed, accuracy});
    }
  }
}

}  // namespace

Status compare_outputs(const Assignment& job,
                       const std::filesystem::path& outputs,
                       Inferred& inferred) {
  CB_ASSIGN(inferred.expected_outputs_sha256,
            converse::hash_outputs(job.expected, *job.model, job.data.test_samples));
  CB_ASSIGN(const auto expected_file, tensor::SafetensorsFile::open(job.expected));
  CB_ASSIGN(const auto file, tensor::SafetensorsFile::open(outputs));
  CB_ASSIGN(const auto expected, outputs_in(expected_file, *job.model));
  CB_ASSIGN(const auto found, outputs_in(file, *job.model));
  CB_ASSIGN(const auto agreement, stats::agreement(expected, found));
  Answers& answers = inferred.answers;
  answers.differing = {static_cast<double>(agreement.differing)};
  answers.output_difference = {agreement.largest_difference};
  if (agreement.smallest_margin) {
    answers.margins = {*agreement.smallest_margin, *agreement.largest_margin};
  }
  CB_ASSIGN(const auto targets, targets_of(job));
  if (targets) {
    CB_ASSIGN(const double accuracy, stats::accuracy(expected, *targets));
    CB_ASSIGN(const double own, stats::accuracy(found, *targets));
    inferred.test.expected = {accuracy};
    note_contradiction(own, inferred);
  }
  return {};
}

}  // namespace crossbind::tasks
