// Philox 4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random
// numbers: as easy as 1, 2, 3" (SC 2011). Every draw is a pure function of key and counter, so
// weights and orders are the same bytes on every machine and in every language. Own code: C++ has
// it from C++26 on.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace crossbind::tensor {

using PhiloxBlock = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

[[nodiscard]] PhiloxBlock philox(PhiloxBlock counter, PhiloxKey key);

// What a stream of numbers is for: the second word of the key, so that streams never meet.
enum class Purpose : uint32_t {
  kWeights = 1,
  kBatchOrder = 2,
  kGlyphs = 3,
  kSummation = 4,
  kTest = 5,
  kDropout = 6,
  kSampleOrder = 7,  // of data sets whose source has no order
  kTrialOrder = 8,   // of the bindings within a comparison
  kBootstrap = 9,    // which numbers of a sample a resample has
  kHalves = 10,      // which numbers of a sample belong to which half
};

// The numbers of one stream in order: key (seed, purpose), counter (block low, block high, index,
// subindex).
class PhiloxStream {
 public:
  PhiloxStream(uint32_t seed, Purpose purpose, uint32_t index, uint32_t subindex = 0)
      : key_{seed, static_cast<uint32_t>(purpose)},
        index_(index),
        subindex_(subindex) {}

  [[nodiscard]] uint32_t next();
  [[nodiscard]] double uniform();                // [0, 1) on a grid of 2^-53
  [[nodiscard]] double normal();                 // standard normal, one uniform a draw
  [[nodiscard]] uint32_t below(uint32_t bound);  // [0, bound), by rejection; bound > 0

 private:
  PhiloxKey key_;
  uint32_t index_;
  uint32_t subindex_;
  uint64_t block_ = 0;
  PhiloxBlock words_{};
  size_t used_ = 4;
};

// Fisher-Yates from the last element down, each partner drawn by rejection.
void shuffle(std::span<int64_t> items, PhiloxStream& stream);

}  // namespace crossbind::tensor
