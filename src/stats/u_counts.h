// The distribution of U when both samples come from one population, counted exactly: in how many
// of the equally likely ways to divide the pooled values into the two samples U is at most u.
#pragma once

#include <cstdint>
#include <span>

#include "stats/pooled.h"

namespace crossbind::stats {

// Whether a double can hold the number of divisions (500 against 500 can), and memory the counts.
[[nodiscard]] bool is_countable(uint64_t n_a, uint64_t n_b);

// P(U <= u) of two samples without ties, of countable sizes.
// Mann and Whitney, "On a test of whether one of two random variables is stochastically larger than
// the other", Annals of Mathematical Statistics 18 (1947). The counts are the coefficients of the
// Gaussian binomial (n_a + n_b over n_a): Andrews, The Theory of Partitions (1976), 3.2.
[[nodiscard]] double exact_u_at_most(uint64_t u, uint64_t n_a, uint64_t n_b);

struct Tails {
  double at_most = 1;
  double at_least = 1;
};

// P(2U <= twice_u) and P(2U >= twice_u) over all divisions of these tied values, all of which it
// counts value by value: Streitberg and Roehmel, "Exact distributions for permutation and rank
// tests", Statistical Software Newsletter 12 (1986). Time grows with n_a^2 n_b (n_a + n_b).
[[nodiscard]] Tails permutation_tails(uint64_t twice_u, std::span<const TieGroup> groups);

}  // namespace crossbind::stats
