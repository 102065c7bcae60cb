#include "checkup/inference.h"

#include <cmath>

#include "converse/parameters_file.h"

namespace crossbind::checkup {
namespace {

// How far off outputs may be, as a share of the largest: far above what rounding does to a small
// model, far below what other weights, another layout or another mode would. 'conform' judges.
constexpr double kOutputTolerance = 1e-3;

double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double value : values) {
    result = std::max(result, std::abs(value));
  }
  return result;
}

}  // namespace

Result<Inference> infer(Conversation& worker, const Exercise& exercise) {
  const auto path = exercise.file("outputs.safetensors");
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  Inference inference;
  CB_ASSIGN(inference.answer, worker.ask(protocol::Infer{.outputs = path}));
  CB_ASSIGN(inference.done, expect_done(inference.answer));
  if (const auto hash = converse::hash_outputs(path, exercise.model(), kTestSamples); !hash) {
    return wrong("what it wrote: {}", hash.error().to_string());
  }
  CB_ASSIGN(const auto file, tensor::SafetensorsFile::open(path));
  CB_ASSIGN(const auto values, file.values<float>("outputs"));
  inference.outputs.assign(values.begin(), values.end());
  return inference;
}

Status near(const std::vector<float>& came, const std::vector<double>& expected) {
  const double tolerance = kOutputTolerance * largest(expected);
  for (size_t i = 0; i < came.size(); ++i) {
    if (!(std::abs(came[i] - expected[i]) <= tolerance)) {
      return wrong("expected {:.6f} (to {:.1e}) as element {} of the outputs, came {:.6f}",
                   expected[i],
                   tolerance,
                   i,
                   came[i]);
    }
  }
  return {};
}

}  // namespace crossbind::checkup
