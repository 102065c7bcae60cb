// The five seeds of the study: file number I is of the I-th.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace crossbind::published {

inline constexpr std::array<uint32_t, 5> kSeeds = {
    287426343, 1850616268, 2068338201, 1202616822, 868822724};
inline constexpr size_t kModels = kSeeds.size();  // trained in each setting, one from each seed

}  // namespace crossbind::published
