// The devices that a worker may compute on: the one list of their names.
#pragma once

#include <string>
#include <vector>

namespace crossbind::trial {

[[nodiscard]] inline std::vector<std::string> all_devices() {
  return {"cpu", "cuda", "wasm", "webgl", "webgpu"};
}

}  // namespace crossbind::trial
