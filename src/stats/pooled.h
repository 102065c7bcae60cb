// Two samples sorted together: the groups of equal values and what rank tests take from them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace crossbind::stats {

// One value, and how often each sample has it.
struct TieGroup {
  uint64_t in_a = 0;
  uint64_t in_b = 0;

  [[nodiscard]] uint64_t size() const { return in_a + in_b; }
};

struct Pooled {
  std::vector<TieGroup> groups;  // by ascending value
  uint64_t twice_u = 0;          // twice the pairs in which a's is the larger, a tie counting half
  double tie_term = 0;           // the sum of t^3 - t over the groups of t equal values

  [[nodiscard]] bool has_ties() const { return tie_term > 0; }
};

// The samples have no NaN.
[[nodiscard]] Pooled pool(std::span<const double> a, std::span<const double> b);

}  // namespace crossbind::stats
