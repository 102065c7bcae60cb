#include "claims/significance.h"

#include "stats/comparison.h"
#include "stats/effect_size.h"
#include "stats/rank_tests.h"

namespace crossbind::claims {
namespace {

struct Evidence {
  double p = 1;
  std::optional<stats::Magnitude> effect;
  std::string figure;
};

Tested weighed(const Test& test, double alpha, const Evidence& evidence) {
  Tested tested;
  tested.value = evidence.p;
  tested.figure = evidence.figure;
  const bool differs = evidence.p < alpha;
  if (test.kind == TestKind::kAlike) {
    tested.state = differs ? State::kFails : State::kHolds;
  } else if (!differs || test.effect == stats::Magnitude::kNegligible) {
    tested.state = differs ? State::kHolds : State::kFails;
  } else if (!evidence.effect) {
    tested.reason = "the size of the effect is not printed";
  } else {
    tested.state = *evidence.effect >= test.effect ? State::kHolds : State::kFails;
  }
  return tested;
}

// The labels in which both agree, of the quantity beside theirs.
std::optional<Labels> printed_labels(const Labels& a, const Labels& b, std::string_view suffix) {
  Labels shared;
  std::vector<std::string> differing;
  for (const auto& [name, value] : a) {
    const auto other = b.find(name);
    if (other != b.end() && other->second == value) {
      shared.emplace(name, value);
    } else {
      differing.push_back(name);
    }
  }
  const auto quantity = shared.find(kQuantity);
  if (quantity == shared.end() || differing.size() != 1 || a.size() != b.size()) {
    return std::nullopt;
  }
  quantity->second += suffix;
  shared.emplace(kPair, fmt::format("{}-{}", a.at(differing[0]), b.at(differing[0])));
  return shared;
}

std::optional<Cell> printed(const Labels& a,
                            const Labels& b,
                            std::string_view suffix,
                            Lookup& lookup) {
  auto labels = printed_labels(a, b, suffix);
  if (!labels) {
    return std::nullopt;
  }
  auto of_pair = lookup.find(*labels);
  if (!of_pair) {
    labels->erase(std::string(kPair));
    of_pair = lookup.find(*labels);
  }
  return of_pair;
}

std::optional<Evidence> printed_evidence(const Labels& a, const Labels& b, Lookup& lookup) {
  const auto p = printed(a, b, ".p", lookup);
  if (!p || p->samples.size() != 1) {
    return std::nullopt;
  }
  Evidence evidence;
  evidence.p = p->samples.front();
  evidence.figure = fmt::format("p = {}", figure_text(evidence.p));
  if (const auto effect = printed(a, b, ".effect", lookup)) {
    evidence.effect = value_in(kEffects, effect->word);
    evidence.figure += fmt::format(", {}", effect->word);
  }
  return evidence;
}

// By how many comparisons alpha is divided.
size_t family_size(const Test& test, const Labels& second, Lookup& lookup) {
  size_t measured = 0;
  for (const auto& member : test.family.points()) {
    const auto cell = lookup.find(merged(second, member));
    measured += cell && !cell->samples.empty() ? 1 : 0;
  }
  return std::max<size_t>(measured, 1);
}

}  // namespace

Result<Tested> find_significance(const Test& test, Lookup& lookup) {
  const Labels labels_a = lookup.resolve(test.operands[0].labels);
  const Labels labels_b = lookup.resolve(test.operands[1].labels);
  if (const auto evidence = printed_evidence(labels_a, labels_b, lookup)) {
    return weighed(test, test.alpha, *evidence);
  }
  Tested tested;
  const auto a = lookup.find(labels_a);
  const auto b = lookup.find(labels_b);
  if (!a || !b) {
    tested.reason = fmt::format("no {}", to_string(a ? labels_b : labels_a));
    return tested;
  }
  if (a->samples.empty() || b->samples.empty()) {
    tested.state = State::kLeftOut;
    tested.reason = fmt::format("{} is {}",
                                to_string(a->samples.empty() ? labels_a : labels_b),
                                a->samples.empty() ? a->word : b->word);
    return tested;
  }
  const double alpha = test.alpha / static_cast<double>(family_size(test, labels_b, lookup));
  CB_ASSIGN(const double smallest, stats::smallest_p(a->samples.size(), b->samples.size()));
  if (smallest >= alpha) {
    tested.reason = fmt::format("{} and {} samples cannot differ at {}",
                                a->samples.size(),
                                b->samples.size(),
                                figure_text(alpha));
    return tested;
  }
  CB_ASSIGN(const auto found, stats::mann_whitney(a->samples, b->samples));
  CB_ASSIGN(const double delta, stats::cliffs_delta(a->samples, b->samples));
  const auto effect = stats::magnitude_of(delta);
  return weighed(
      test,
      alpha,
      {found.p,
       effect,
       fmt::format(
           "p = {}, d = {:.2f} ({})", figure_text(found.p), delta, stats::to_string(effect))});
}

}  // namespace crossbind::claims
