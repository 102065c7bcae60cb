#include "stats/rank_tests.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/named.h"
#include "stats/distributions.h"
#include "stats/input.h"
#include "stats/pooled.h"
#include "stats/u_counts.h"

namespace crossbind::stats {
namespace {

constexpr size_t kLargestAutoExact = 8;   // scipy's rule
constexpr size_t kLargestPermuted = 200;  // in all: half a second

constexpr std::array kMethods = {Named<UMethod>{"auto", UMethod::kAuto},
                                 Named<UMethod>{"exact", UMethod::kExact},
                                 Named<UMethod>{"asymptotic", UMethod::kAsymptotic},
                                 Named<UMethod>{"permutation", UMethod::kPermutation}};

UMethod effective(UMethod method, size_t n_a, size_t n_b, bool ties) {
  if (method == UMethod::kAuto) {
    const bool small = std::min(n_a, n_b) <= kLargestAutoExact;
    return small && !ties && is_countable(n_a, n_b) ? UMethod::kExact : UMethod::kAsymptotic;
  }
  return method == UMethod::kExact && ties ? UMethod::kPermutation : method;
}

Status check_size(UMethod method, size_t n_a, size_t n_b) {
  const bool too_large = (method == UMethod::kExact && !is_countable(n_a, n_b)) ||
                         (method == UMethod::kPermutation && n_a + n_b > kLargestPermuted);
  if (!too_large) {
    return {};
  }
  return tl::unexpected(Error{
      ErrorKind::kUnsupported,
      fmt::format(
          "{} against {} numbers are too many for the {} method", n_a, n_b, to_string(method)),
      {},
      "The asymptotic method takes any number."});
}

Tails exact_tails(uint64_t u, size_t n_a, size_t n_b) {
  // By symmetry P(U >= u) is P(U <= pairs - u).
  return {exact_u_at_most(u, n_a, n_b), exact_u_at_most(n_a * n_b - u, n_a, n_b)};
}

Tails asymptotic_tails(double u, double n_a, double n_b, double tie_term) {
  const double n = n_a + n_b;
  const double variance = n_a * n_b / 12 * ((n + 1) - tie_term / (n * (n - 1)));
  if (!(variance > 0)) {
    return {};  // all numbers are equal
  }
  const double deviation = std::sqrt(variance);
  const double mean = n_a * n_b / 2;
  return {normal_survival((mean - u - 0.5) / deviation),
          normal_survival((u - mean - 0.5) / deviation)};
}

double p_of(Tails tails, Alternative alternative) {
  switch (alternative) {
    case Alternative::kLess:
      return std::min(tails.at_most, 1.0);
    case Alternative::kGreater:
      return std::min(tails.at_least, 1.0);
    case Alternative::kTwoSided:
      break;
  }
  return std::min(2 * std::min(tails.at_most, tails.at_least), 1.0);
}

Tails tails_of(UMethod method, const Pooled& pooled, size_t n_a, size_t n_b) {
  switch (method) {
    case UMethod::kExact:
      return exact_tails(pooled.twice_u / 2, n_a, n_b);
    case UMethod::kPermutation:
      return permutation_tails(pooled.twice_u, pooled.groups);
    case UMethod::kAuto:
    case UMethod::kAsymptotic:
      break;
  }
  return asymptotic_tails(static_cast<double>(pooled.twice_u) / 2,
                          static_cast<double>(n_a),
                          static_cast<double>(n_b),
                          pooled.tie_term);
}

}  // namespace

std::string_view to_string(UMethod method) {
  return name_in(kMethods, method);
}

std::optional<UMethod> u_method_named(std::string_view name) {
  return value_in(kMethods, name);
}

Result<UTest> mann_whitney(std::span<const double> a,
                           std::span<const double> b,
                           UMethod method,
                           Alternative alternative) {
  CB_TRY(check_ordered(a, "sample a"));
  CB_TRY(check_ordered(b, "sample b"));
  const Pooled pooled = pool(a, b);
  const UMethod used = effective(method, a.size(), b.size(), pooled.has_ties());
  CB_TRY(check_size(used, a.size(), b.size()));
  const Tails tails = tails_of(used, pooled, a.size(), b.size());
  return UTest{static_cast<double>(pooled.twice_u) / 2, p_of(tails, alternative), used};
}

Result<double> smallest_p(size_t n_a, size_t n_b, UMethod method) {
  if (n_a == 0 || n_b == 0) {
    return fail(ErrorKind::kInvalid, "an empty sample has no p");
  }
  const UMethod used = effective(method, n_a, n_b, false);
  CB_TRY(check_size(used, n_a, n_b));
  const Tails tails =
      used == UMethod::kAsymptotic
          ? asymptotic_tails(0, static_cast<double>(n_a), static_cast<double>(n_b), 0)
          : exact_tails(0, n_a, n_b);  // without ties every division counts once
  return p_of(tails, Alternative::kTwoSided);
}

Result<size_t> smallest_n(double alpha, UMethod method) {
  CB_TRY(check_probability(alpha, "alpha"));
  for (size_t n = 1;; ++n) {
    CB_ASSIGN(const double p, smallest_p(n, n, method));
    if (p <= alpha) {
      return n;
    }
  }
}

}  // namespace crossbind::stats
