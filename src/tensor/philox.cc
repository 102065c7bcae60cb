#include "tensor/philox.h"

#include <utility>

#include "tensor/normal.h"

namespace crossbind::tensor {
namespace {

constexpr uint32_t kMultiplier0 = 0xD2511F53;
constexpr uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr uint32_t kWeyl0 = 0x9E3779B9;
constexpr uint32_t kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

std::pair<uint32_t, uint32_t> multiply(uint32_t a, uint32_t b) {
  const uint64_t product = uint64_t{a} * b;
  return {static_cast<uint32_t>(product >> 32), static_cast<uint32_t>(product)};
}

}  // namespace

PhiloxBlock philox(PhiloxBlock counter, PhiloxKey key) {
  for (int round = 0; round < kRounds; ++round) {
    const auto [high0, low0] = multiply(kMultiplier0, counter[0]);
    const auto [high1, low1] = multiply(kMultiplier1, counter[2]);
    counter = {high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

uint32_t PhiloxStream::next() {
  if (used_ == words_.size()) {
    words_ = philox(
        {static_cast<uint32_t>(block_), static_cast<uint32_t>(block_ >> 32), index_, subindex_},
        key_);
    ++block_;
    used_ = 0;
  }
  return words_[used_++];
}

double PhiloxStream::uniform() {
  const uint32_t high = next() >> 5;  // 27 bits
  const uint32_t low = next() >> 6;   // 26 bits
  return (static_cast<double>(high) * 0x1p26 + static_cast<double>(low)) * 0x1p-53;
}

double PhiloxStream::normal() {
  // The middle of the grid cell: never 0 or 1, symmetric about 0.5.
  return normal_quantile(uniform() + 0x1p-54);
}

uint32_t PhiloxStream::below(uint32_t bound) {
  // Rejects the values that would make the first few results likelier than the rest.
  const uint32_t threshold = (0U - bound) % bound;
  uint32_t value = next();
  while (value < threshold) {
    value = next();
  }
  return value % bound;
}

void shuffle(std::span<int64_t> items, PhiloxStream& stream) {
  for (size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[stream.below(static_cast<uint32_t>(i))]);
  }
}

}  // namespace crossbind::tensor
