#include "claims/judge.h"

#include <algorithm>

namespace crossbind::claims {
namespace {

// One point in one condition, and what its cells can be told apart by.
struct Asked {
  Tested tested;
  bool found_any = false;
  Grid conditions;
};

// All tests: one that fails decides, then one that cannot be made, then one that does not apply.
Result<Asked> ask(const Check& check,
                  const Labels& point,
                  const Labels& condition,
                  const Cells& cells) {
  Lookup lookup(cells, point, condition);
  std::vector<Tested> all;
  for (const auto& test : check.tests) {
    CB_ASSIGN(auto tested, find_out(test, lookup));
    all.push_back(std::move(tested));
  }
  Asked asked;
  asked.tested = all.front();
  for (const auto state : {State::kLeftOut, State::kMissing, State::kFails}) {
    const auto found = std::ranges::find(all, state, &Tested::state);
    if (found != all.end()) {
      asked.tested = *found;
    }
  }
  asked.tested.sources = lookup.sources();
  asked.found_any = lookup.found_any();
  if (!lookup.conditions().empty()) {
    auto& part = asked.conditions.parts.emplace_back();
    for (const auto& [name, values] : lookup.conditions()) {
      part[name] = {values.begin(), values.end()};
    }
  }
  return asked;
}

// A point in every condition in which it has a cell.
Result<std::vector<JudgedPoint>> ask_in_conditions(const Check& check,
                                                   const Labels& point,
                                                   const Cells& cells) {
  CB_ASSIGN(const auto plain, ask(check, point, {}, cells));
  std::vector<JudgedPoint> judged;
  for (const auto& condition : plain.conditions.points()) {
    CB_ASSIGN(auto asked, ask(check, point, condition, cells));
    if (asked.found_any) {
      judged.push_back({point, condition, std::move(asked.tested)});
    }
  }
  if (judged.empty()) {
    judged.push_back({point, {}, plain.tested});
  }
  return judged;
}

bool is_measured(const JudgedPoint& point) {
  return point.tested.state != State::kMissing;
}

Result<std::vector<JudgedPoint>> ask_or_otherwise(const Check& check,
                                                  const Labels& point,
                                                  const Cells& cells) {
  CB_ASSIGN(auto judged, ask_in_conditions(check, point, cells));
  if (check.otherwise.empty() || std::ranges::any_of(judged, is_measured)) {
    return judged;
  }
  CB_ASSIGN(auto otherwise, ask_in_conditions(check, merged(point, check.otherwise), cells));
  return std::ranges::any_of(otherwise, is_measured) ? otherwise : judged;
}

// What a point of `each` comes to in one condition, over its choices of `some`.
struct Decided {
  State state = State::kMissing;
  bool holds_so_far = false;
};

Decided decide(const std::vector<const JudgedPoint*>& choices) {
  const auto any = [&](State state) {
    return std::ranges::any_of(choices,
                               [&](const auto* point) { return point->tested.state == state; });
  };
  if (any(State::kHolds)) {
    return {State::kHolds, true};
  }
  if (any(State::kMissing)) {
    return {State::kMissing, !any(State::kFails)};
  }
  return {any(State::kFails) ? State::kFails : State::kLeftOut, false};
}

// A choice that has no condition counts in every one.
std::vector<Decided> decide_by_condition(const std::vector<JudgedPoint>& choices) {
  std::set<Labels> conditions;
  for (const auto& point : choices) {
    if (!point.condition.empty()) {
      conditions.insert(point.condition);
    }
  }
  if (conditions.empty()) {
    conditions.insert(Labels{});
  }
  std::vector<Decided> points;
  for (const auto& condition : conditions) {
    std::vector<const JudgedPoint*> here;
    for (const auto& point : choices) {
      if (point.condition.empty() || point.condition == condition) {
        here.push_back(&point);
      }
    }
    points.push_back(decide(here));
  }
  return points;
}

size_t count(const std::vector<Decided>& points, State state) {
  return static_cast<size_t>(std::ranges::count(points, state, &Decided::state));
}

bool is_share_reached(const Check& check, size_t holding, size_t all) {
  const double share = static_cast<double>(holding) / static_cast<double>(all);
  return (!check.share_above || share > *check.share_above) &&
         (!check.share_at_least || share >= *check.share_at_least);
}

// The share is certain when the points that are missing can no longer change it.
Decided decide_share(const Check& check, const std::vector<Decided>& points) {
  const size_t holding = count(points, State::kHolds);
  const size_t missing = count(points, State::kMissing);
  const size_t measured = holding + count(points, State::kFails);
  if (measured == 0) {
    return {State::kMissing, false};
  }
  if (is_share_reached(check, holding, measured + missing)) {
    return {State::kHolds, true};
  }
  if (!is_share_reached(check, holding + missing, measured + missing)) {
    return {State::kFails, false};
  }
  return {State::kMissing, is_share_reached(check, holding, measured)};
}

Decided decide_all(const Check& check, const std::vector<Decided>& points) {
  if (check.share_above || check.share_at_least) {
    return decide_share(check, points);
  }
  if (count(points, State::kFails) > 0) {
    return {State::kFails, false};
  }
  if (count(points, State::kMissing) > 0) {
    return {State::kMissing, std::ranges::none_of(points, [](const Decided& point) {
              return point.state == State::kMissing && !point.holds_so_far;
            })};
  }
  return count(points, State::kHolds) > 0 ? Decided{State::kHolds, true} : Decided{};
}

Conclusion conclusion_of(State state, const Tally& tally) {
  switch (state) {
    case State::kHolds:
      return Conclusion::kConfirmed;
    case State::kFails:
      return Conclusion::kRefuted;
    case State::kMissing:
    case State::kLeftOut:
      break;
  }
  return tally.measured == 0 ? Conclusion::kNotMeasured : Conclusion::kPartlyMeasured;
}

Tally tally_of(const std::vector<JudgedPoint>& points) {
  Tally tally;
  for (const auto& point : points) {
    const State state = point.tested.state;
    tally.holding += state == State::kHolds ? 1 : 0;
    tally.measured += state == State::kHolds || state == State::kFails ? 1 : 0;
    tally.asked += state == State::kLeftOut ? 0 : 1;
  }
  return tally;
}

Result<JudgedCheck> judge(const Check& check, const Cells& cells) {
  JudgedCheck judged;
  std::vector<Decided> decided;
  for (const auto& point : check.each.points()) {
    std::vector<JudgedPoint> choices;
    for (const auto& choice : check.some.points()) {
      CB_ASSIGN(auto asked, ask_or_otherwise(check, merged(point, choice), cells));
      std::ranges::move(asked, std::back_inserter(choices));
    }
    std::ranges::copy(decide_by_condition(choices), std::back_inserter(decided));
    std::ranges::move(choices, std::back_inserter(judged.points));
  }
  const Decided all = decide_all(check, decided);
  judged.tally = tally_of(judged.points);
  judged.conclusion = conclusion_of(all.state, judged.tally);
  judged.holds_so_far = all.holds_so_far;
  return judged;
}

}  // namespace

std::string_view to_string(Conclusion conclusion) {
  return name_in(kConclusions, conclusion);
}

Result<JudgedClaim> judge(const Claim& claim, const Cells& cells) {
  JudgedClaim judged;
  judged.holds_so_far = true;
  for (const auto& check : claim.checks) {
    CB_ASSIGN(auto one, judge(check, cells));
    judged.tally.measured += one.tally.measured;
    judged.tally.holding += one.tally.holding;
    judged.tally.asked += one.tally.asked;
    judged.holds_so_far = judged.holds_so_far && (one.holds_so_far || one.tally.measured == 0);
    judged.checks.push_back(std::move(one));
  }
  const auto is = [](Conclusion conclusion) {
    return [conclusion](const JudgedCheck& check) { return check.conclusion == conclusion; };
  };
  if (std::ranges::any_of(judged.checks, is(Conclusion::kRefuted))) {
    judged.conclusion = Conclusion::kRefuted;
  } else if (std::ranges::all_of(judged.checks, is(Conclusion::kConfirmed))) {
    judged.conclusion = Conclusion::kConfirmed;
  } else if (!std::ranges::all_of(judged.checks, is(Conclusion::kNotMeasured))) {
    judged.conclusion = Conclusion::kPartlyMeasured;
  }
  return judged;
}

}  // namespace crossbind::claims
