#include "claims/judge.h"

#include <algorithm>

namespace crossbind::claims {
namespace {

// One point in one condition, and what its cells can be told apart by.
struct Asked {
  Finding finding;
  bool found_any = false;
  Grid conditions;
};

// All tests: one that fails decides, then one that cannot be made, then one that does not apply.
Result<Asked> ask(const Check& check,
                  const Labels& point,
                  const Labels& condition,
                  const Cells& cells) {
  Lookup lookup(cells, point, condition);
  std::vector<Finding> findings;
  for (const auto& test : check.tests) {
    CB_ASSIGN(auto finding, find_out(test, lookup));
    findings.push_back(std::move(finding));
  }
  Asked asked;
  asked.finding = findings.front();
  for (const auto state : {State::kLeftOut, State::kMissing, State::kFails}) {
    const auto found = std::ranges::find(findings, state, &Finding::state);
    if (found != findings.end()) {
      asked.finding = *found;
    }
  }
  asked.finding.sources = lookup.sources();
  asked.found_any = lookup.found_any();
  if (!lookup.conditions().empty()) {
    auto& axes = asked.conditions.parts.emplace_back();
    for (const auto& [name, values] : lookup.conditions()) {
      axes[name] = {values.begin(), values.end()};
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
      judged.push_back({point, condition, std::move(asked.finding)});
    }
  }
  if (judged.empty()) {
    judged.push_back({point, {}, plain.finding});
  }
  return judged;
}

bool is_measured(const JudgedPoint& point) {
  return point.finding.state != State::kMissing;
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

// A point of `each` in one condition, with its choices of `some`.
struct Group {
  State state = State::kMissing;
  bool holds_so_far = false;
};

Group decide(const std::vector<const JudgedPoint*>& choices) {
  const auto any = [&](State state) {
    return std::ranges::any_of(choices,
                               [&](const auto* point) { return point->finding.state == state; });
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
std::vector<Group> decide_by_condition(const std::vector<JudgedPoint>& choices) {
  std::set<Labels> conditions;
  for (const auto& point : choices) {
    if (!point.condition.empty()) {
      conditions.insert(point.condition);
    }
  }
  if (conditions.empty()) {
    conditions.insert(Labels{});
  }
  std::vector<Group> groups;
  for (const auto& condition : conditions) {
    std::vector<const JudgedPoint*> here;
    for (const auto& point : choices) {
      if (point.condition.empty() || point.condition == condition) {
        here.push_back(&point);
      }
    }
    groups.push_back(decide(here));
  }
  return groups;
}

size_t count(const std::vector<Group>& groups, State state) {
  return static_cast<size_t>(std::ranges::count(groups, state, &Group::state));
}

bool is_share_reached(const Check& check, size_t holding, size_t all) {
  const double share = static_cast<double>(holding) / static_cast<double>(all);
  return (!check.share_above || share > *check.share_above) &&
         (!check.share_at_least || share >= *check.share_at_least);
}

// The share is certain when the points that are missing can no longer change it.
Group decide_share(const Check& check, const std::vector<Group>& groups) {
  const size_t holding = count(groups, State::kHolds);
  const size_t missing = count(groups, State::kMissing);
  const size_t measured = holding + count(groups, State::kFails);
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

Group decide_all(const Check& check, const std::vector<Group>& groups) {
  if (check.share_above || check.share_at_least) {
    return decide_share(check, groups);
  }
  if (count(groups, State::kFails) > 0) {
    return {State::kFails, false};
  }
  if (count(groups, State::kMissing) > 0) {
    return {State::kMissing, std::ranges::none_of(groups, [](const Group& group) {
              return group.state == State::kMissing && !group.holds_so_far;
            })};
  }
  return count(groups, State::kHolds) > 0 ? Group{State::kHolds, true} : Group{};
}

Verdict verdict_of(State state, const Tally& tally) {
  switch (state) {
    case State::kHolds:
      return Verdict::kConfirmed;
    case State::kFails:
      return Verdict::kRefuted;
    default:
      return tally.measured == 0 ? Verdict::kNotMeasured : Verdict::kPartlyMeasured;
  }
}

Tally tally_of(const std::vector<JudgedPoint>& points) {
  Tally tally;
  for (const auto& point : points) {
    const State state = point.finding.state;
    tally.holding += state == State::kHolds ? 1 : 0;
    tally.measured += state == State::kHolds || state == State::kFails ? 1 : 0;
    tally.asked += state == State::kLeftOut ? 0 : 1;
  }
  return tally;
}

Result<JudgedCheck> judge(const Check& check, const Cells& cells) {
  JudgedCheck judged;
  std::vector<Group> groups;
  for (const auto& point : check.each.points()) {
    std::vector<JudgedPoint> choices;
    for (const auto& choice : check.some.points()) {
      CB_ASSIGN(auto asked, ask_or_otherwise(check, merged(point, choice), cells));
      std::ranges::move(asked, std::back_inserter(choices));
    }
    std::ranges::copy(decide_by_condition(choices), std::back_inserter(groups));
    std::ranges::move(choices, std::back_inserter(judged.points));
  }
  const Group all = decide_all(check, groups);
  judged.tally = tally_of(judged.points);
  judged.verdict = verdict_of(all.state, judged.tally);
  judged.holds_so_far = all.holds_so_far;
  return judged;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  return name_in(kVerdicts, verdict);
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
  const auto is = [](Verdict verdict) {
    return [verdict](const JudgedCheck& check) { return check.verdict == verdict; };
  };
  if (std::ranges::any_of(judged.checks, is(Verdict::kRefuted))) {
    judged.verdict = Verdict::kRefuted;
  } else if (std::ranges::all_of(judged.checks, is(Verdict::kConfirmed))) {
    judged.verdict = Verdict::kConfirmed;
  } else if (!std::ranges::all_of(judged.checks, is(Verdict::kNotMeasured))) {
    judged.verdict = Verdict::kPartlyMeasured;
  }
  return judged;
}

}  // namespace crossbind::claims
