// One step of the referee, taken apart.
#pragma once

#include "base/error.h"
#include "crossbind_worker/session.h"
#include "referee/network.h"

namespace crossbind::worker {

[[nodiscard]] Status load_parameters(referee::Network<double>& network,
                                     const tensor::SafetensorsFile& file);

[[nodiscard]] Result<Probed> probe_step(const Job& job,
                                        const ProbeStep& step,
                                        const referee::DropoutSource& dropout);

}  // namespace crossbind::worker
