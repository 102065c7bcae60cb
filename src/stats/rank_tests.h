// Whether samples come from one population, judged by ranks. Infinities have a rank; NaN and empty
// samples are errors. Samples in which all numbers are equal differ in nothing: p = 1. Own code:
// Boost.Math has distributions, but no rank tests.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.h"

namespace crossbind::stats {

enum class UMethod {
  kAuto,        // exact without ties when a sample has 8 numbers or fewer, else asymptotic: scipy's
  kExact,       // the distribution without ties; with ties it is that of kPermutation
  kAsymptotic,  // normal, corrected for ties and continuity
  kPermutation,  // every division of the values, ties as they are
};

[[nodiscard]] std::string_view to_string(UMethod method);
[[nodiscard]] std::optional<UMethod> u_method_named(std::string_view name);

enum class Alternative { kTwoSided, kLess, kGreater };  // kLess: a's numbers are the smaller ones

struct UTest {
  double u = 0;  // of a: the pairs in which a's number is the larger, a tie counting half
  double p = 1;
  UMethod method = UMethod::kAuto;  // the one that was used, never kAuto
};

// kExact takes samples up to 500 against 500 or 1,000,000 against 10, kPermutation 200 numbers in
// all; above that they are an error, and kAuto is asymptotic. A two-sided p is twice the smaller
// tail, at most 1.
// Mann and Whitney, "On a test of whether one of two random variables is stochastically larger than
// the other", Annals of Mathematical Statistics 18 (1947); the corrections for ties and continuity
// as in Lehmann, Nonparametrics: Statistical Methods Based on Ranks (1975), 1.2 and 1.4.
[[nodiscard]] Result<UTest> mann_whitney(std::span<const double> a,
                                         std::span<const double> b,
                                         UMethod method = UMethod::kAuto,
                                         Alternative alternative = Alternative::kTwoSided);

// The smallest two-sided p that samples of these sizes can have: that of samples which do not
// overlap and have no ties. When it is above alpha, "not significant" says nothing.
[[nodiscard]] Result<double> smallest_p(size_t n_a, size_t n_b, UMethod method = UMethod::kAuto);

// The smallest n for which n against n numbers can reach p <= alpha (divide alpha by the number of
// comparisons for Bonferroni's correction). kAuto turns asymptotic at n = 9, where the smallest p
// is larger than at 8: for an alpha between them the next few n cannot.
[[nodiscard]] Result<size_t> smallest_n(double alpha, UMethod method = UMethod::kAuto);

}  // namespace crossbind::stats
