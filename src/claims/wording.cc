#include "claims/wording.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace crossbind::claims {
namespace {

constexpr size_t kNamed = 4;  // points that a sentence lists

using Points = std::vector<const JudgedPoint*>;

Points points_in(const JudgedCheck& judged, State state) {
  Points points;
  for (const auto& point : judged.points) {
    if (point.tested.state == state) {
      points.push_back(&point);
    }
  }
  return points;
}

// The points whose figures stand for the check.
Points telling_points(const Check& check, const JudgedCheck& judged) {
  const bool has_share = check.share_above || check.share_at_least;
  if (!has_share && judged.conclusion == Conclusion::kRefuted) {
    return points_in(judged, State::kFails);
  }
  Points points = points_in(judged, State::kHolds);
  if (points.empty() || has_share) {
    std::ranges::copy(points_in(judged, State::kFails), std::back_inserter(points));
  }
  return points;
}

std::string figure_of(const Check& check, const JudgedCheck& judged) {
  const Points points = telling_points(check, judged);
  if (points.empty()) {
    return "-";
  }
  const bool all_numbers = std::ranges::all_of(
      points, [](const JudgedPoint* point) { return point->tested.value.has_value(); });
  const auto by_value = [](const JudgedPoint* a, const JudgedPoint* b) {
    return *a->tested.value < *b->tested.value;
  };
  if (all_numbers && points.size() > 1) {
    const auto [low, high] = std::ranges::minmax_element(points, by_value);
    const std::string from = figure_text(*(*low)->tested.value);
    const std::string to = figure_text(*(*high)->tested.value);
    return from == to ? from : fmt::format("{} to {}", from, to);
  }
  std::set<std::string> figures;
  for (const auto* point : points) {
    figures.insert(point->tested.figure);
  }
  return figures.size() == 1 ? *figures.begin()
                             : fmt::format("{} of {}", points.size(), judged.tally.asked);
}

std::string list(const Points& points, const Check& check) {
  std::vector<std::string> items;
  for (size_t i = 0; i < std::min(points.size(), kNamed); ++i) {
    const std::string name = name_of(*points[i], check);
    items.push_back((name.empty() ? "" : name + ": ") + points[i]->tested.figure);
  }
  std::string text = fmt::format("{}", fmt::join(items, "; "));
  if (points.size() > kNamed) {
    text += fmt::format("; and {} more", points.size() - kNamed);
  }
  return text;
}

std::string counts(const Tally& tally) {
  return tally.measured == tally.asked
             ? fmt::format("{} of {} hold", tally.holding, tally.asked)
             : fmt::format(
                   "{} of {} measured, {} hold", tally.measured, tally.asked, tally.holding);
}

std::string first_reason(const JudgedCheck& judged) {
  const auto missing = points_in(judged, State::kMissing);
  return missing.empty() ? std::string("nothing applies") : missing.front()->tested.reason;
}

std::string why_of(const Check& check, const JudgedCheck& judged) {
  std::string text;
  switch (judged.conclusion) {
    case Conclusion::kNotMeasured:
      return first_reason(judged);
    case Conclusion::kRefuted:
      text = fmt::format(
          "{}; not {}", counts(judged.tally), list(points_in(judged, State::kFails), check));
      break;
    case Conclusion::kPartlyMeasured:
      text = fmt::format("{}: {} so far; {}",
                         counts(judged.tally),
                         judged.holds_so_far ? "holds" : "does not hold",
                         first_reason(judged));
      break;
    case Conclusion::kConfirmed:
      text = counts(judged.tally);
      if (!check.some.empty()) {
        text += fmt::format("; {}", list(points_in(judged, State::kHolds), check));
      }
      break;
  }
  if (const auto left_out = points_in(judged, State::kLeftOut); !left_out.empty()) {
    text += fmt::format("; {} left out, as {}", left_out.size(), left_out.front()->tested.reason);
  }
  return text;
}

// The check that a claim's figure is taken from.
size_t telling_check(const JudgedClaim& judged) {
  for (const auto conclusion :
       {Conclusion::kRefuted, Conclusion::kPartlyMeasured, Conclusion::kConfirmed}) {
    const auto found = std::ranges::find(judged.checks, conclusion, &JudgedCheck::conclusion);
    if (found != judged.checks.end()) {
      return static_cast<size_t>(found - judged.checks.begin());
    }
  }
  return 0;
}

std::string in_check(const Check& check, const std::string& why) {
  return check.text.empty() ? why : fmt::format("{}: {}", check.text, why);
}

}  // namespace

std::string name_of(const JudgedPoint& point, const Check& check) {
  auto varying = check.each.varying();
  varying.merge(check.some.varying());
  std::string name;
  const auto add = [&](const std::string& value) {
    name += (name.empty() || value.empty() ? "" : " ") + value;
  };
  for (const auto& [label, value] : point.labels) {
    if (varying.contains(label)) {
      add(value);
    }
  }
  for (const auto& [label, value] : point.condition) {
    add(value);
  }
  return name;
}

Wording wording(const Check& check, const JudgedCheck& judged) {
  return {figure_of(check, judged), why_of(check, judged)};
}

Wording wording(const Claim& claim, const JudgedClaim& judged) {
  const size_t telling = telling_check(judged);
  const Check& check = claim.checks[telling];
  Wording words = wording(check, judged.checks[telling]);
  words.why = in_check(check, words.why);
  if (claim.checks.size() > 1) {
    std::vector<std::string> others;
    for (const auto& [name, conclusion] : kConclusions) {
      const auto number = std::ranges::count(judged.checks, conclusion, &JudgedCheck::conclusion);
      if (number > 0) {
        others.push_back(fmt::format("{} {}", number, name));
      }
    }
    words.why =
        fmt::format("{} parts: {}. {}", claim.checks.size(), fmt::join(others, ", "), words.why);
  }
  return words;
}

}  // namespace crossbind::claims
