// Any bytes are either a whole published file with finite numbers or an error. The first byte says
// of which kind and language.
#include <cmath>
#include <cstdlib>

#include "published/contents.h"
#include "published/recomputed.h"

namespace {

namespace published = crossbind::published;

void check(const std::vector<double>& values) {
  for (const double value : values) {
    if (!std::isfinite(value)) {
      std::abort();
    }
  }
}

void check_inference(const published::Inference& inference) {
  if (inference.test.seconds.size() != 5 || inference.test.same.size() != 5) {
    std::abort();
  }
  check(inference.test.seconds);
  check(inference.test.accuracies);
  static_cast<void>(published::recompute(inference));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto language = static_cast<published::Language>(data[0] % 4);
  published::TrainingFiles files;
  switch (data[0] / 4 % 4) {
    case 0:
      if (const auto curve = published::read_curve(text, std::nullopt)) {
        check(*curve);
      }
      break;
    case 1:
      if (const auto cost = published::read_time_cost(text, language)) {
        files.cost = *cost;
        check({cost->training});
      }
      break;
    case 2:
      if (const auto inference = published::read_inference(text, language)) {
        check_inference(*inference);
      }
      break;
    default:
      if (const auto roc = published::read_roc_auc(text)) {
        files.roc = *roc;
        check({roc->macro, roc->accuracy, roc->expected});
      }
  }
  static_cast<void>(published::recompute(files, 1));
  return 0;
}
