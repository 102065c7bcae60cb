// Which outputs are right answers.
#pragma once

#include <cstdint>
#include <vector>

#include "model/training.h"
#include "native_tensor.h"

namespace crossbind::worker {

[[nodiscard]] int64_t count_correct(model::Loss loss,
                                    const NativeTensor& outputs,
                                    const std::vector<NativeTensor>& targets);

[[nodiscard]] bool all_finite(const NativeTensor& outputs);

[[nodiscard]] float number_in(const NativeTensor& scalar);

}  // namespace crossbind::worker
