#include "decide/recommend_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"

namespace crossbind::decide {
namespace {

std::string name_of(const RankedOption& one) {
  return one.option.name();
}

std::string name_of(const RankedPair& one) {
  return fmt::format("{} + {}", one.train.option.name(), one.infer.option.name());
}

std::string binding_of(const RankedOption& one) {
  return one.option.binding;
}

std::string binding_of(const RankedPair& one) {
  return fmt::format("{} + {}", one.train.option.binding, one.infer.option.binding);
}

// The bindings of the first, and of those that cannot be told from it.
template <typename Ranked>
std::set<std::string> bindings_in_front(const std::vector<Ranked>& all) {
  std::set<std::string> bindings;
  for (const auto& one : all) {
    if (one.standing != Standing::kSlower) {
      bindings.insert(binding_of(one));
    }
  }
  return bindings;
}

template <typename Ranked>
Answer answer_among(const std::vector<Ranked>& all) {
  if (all.empty()) {
    return Answer::kNothing;
  }
  return bindings_in_front(all).size() == 1 ? Answer::kRecommended : Answer::kNotEnough;
}

std::string needed_words(const Against& against) {
  if (!against.needed) {
    return "how many samples would tell cannot be said";
  }
  return against.needed_is_least
             ? fmt::format("at least {} samples each are needed", *against.needed)
             : fmt::format("about {} samples each would tell, if it is as it looks",
                           *against.needed);
}

std::string noise_words(const Against& against) {
  return against.noise ? fmt::format(", noise {:.3g}", *against.noise) : "";
}

std::string time_words(const Option& option, std::string_view unit) {
  return fmt::format("{:.4g} s {} (n = {})", option.median, unit, option.seconds.size());
}

std::string sentence_on_options(const Ranking& ranking) {
  const auto& first = ranking.options.front();
  const auto ways = std::ranges::count_if(ranking.options, [&](const RankedOption& one) {
    return one.standing != Standing::kSlower && one.option.binding == first.option.binding;
  });
  if (ranking.answer == Answer::kRecommended) {
    std::string text = fmt::format("{}: {}",
                                   ways > 1 ? first.option.binding + " either way" : name_of(first),
                                   time_words(first.option, unit_of(ranking).phrase));
    const auto next =
        std::ranges::find(ranking.options, Standing::kSlower, &RankedOption::standing);
    text += next == ranking.options.end() ? "; nothing else was measured that the question lets in"
                                          : fmt::format("; the next, {}, takes {} times as long",
                                                        name_of(*next),
                                                        words_of(next->first));
    return text;
  }
  std::string text = fmt::format("{} ({}) cannot be told from ",
                                 name_of(first),
                                 time_words(first.option, unit_of(ranking).phrase));
  constexpr size_t kMostNamed = 2;  // the nearest; the table has all
  size_t tied = 0;
  for (const auto& one : ranking.options) {
    if (one.standing != Standing::kTied || one.option.binding == first.option.binding) {
      continue;
    }
    ++tied;
    if (tied <= kMostNamed) {
      text += fmt::format("{}{}: {} times as long{}, n = {}, {}",
                          tied == 1 ? "" : "; ",
                          name_of(one),
                          words_of(one.first),
                          noise_words(one.first),
                          one.option.seconds.size(),
                          needed_words(one.first));
    }
  }
  return tied > kMostNamed ? fmt::format("{}; and {} more", text, tied - kMostNamed) : text;
}

std::string sentence_on_pairs(const Ranking& ranking) {
  const auto& first = ranking.pairs.front();
  const std::string times = fmt::format("{}, {}",
                                        time_words(first.train.option, unit_of(ranking).phrase),
                                        time_words(first.infer.option, "a pass"));
  if (ranking.answer == Answer::kRecommended) {
    const auto ways = std::ranges::count_if(
        ranking.pairs, [](const RankedPair& one) { return one.standing != Standing::kSlower; });
    return fmt::format("train in {}, infer in {}{}: {}",
                       first.train.option.binding,
                       ways > 1 ? first.infer.option.binding : first.infer.option.name(),
                       ways > 1 ? " either way" : "",
                       times);
  }
  size_t tied = 0;
  size_t trade_offs = 0;
  std::string rivals;
  for (const auto& one : ranking.pairs) {
    tied += one.standing == Standing::kTied ? 1 : 0;
    trade_offs += one.standing == Standing::kTradeOff ? 1 : 0;
    constexpr size_t kMostNamed = 3;
    if ((one.standing == Standing::kTied || one.standing == Standing::kTradeOff) &&
        tied + trade_offs <= kMostNamed) {
      rivals += (rivals.empty() ? "" : "; ") + name_of(one);
      if (one.break_even) {
        rivals +=
            fmt::format(" (slower in one, faster in the other: even at {:.0f} passes a training)",
                        *one.break_even);
      }
    }
  }
  return fmt::format(
      "{} ({}) has the smallest product of ratios, but {} {} cannot be told from it and {} {} one "
      "time for the other: {}",
      name_of(first),
      times,
      tied,
      plural(tied, "pair", "pairs"),
      trade_offs,
      plural(trade_offs, "trades", "trade"),
      rivals);
}

}  // namespace

UnitWords unit_of(const Ranking& ranking) {
  switch (ranking.key.work) {
    case Work::kInference:
      return {"pass", "a pass", "S A PASS"};
    case Work::kTraining:
      return ranking.per_epoch ? UnitWords{"epoch", "an epoch", "S AN EPOCH"}
                               : UnitWords{"training", "a training", "S A TRAINING"};
  }
  return {};
}

Answer answer_of(const Ranking& ranking) {
  return ranking.infer_key ? answer_among(ranking.pairs) : answer_among(ranking.options);
}

std::string sentence_on(const Ranking& ranking) {
  if (ranking.answer == Answer::kNothing) {
    return ranking.left_out.empty() ? "nothing was measured that the question lets in"
                                    : "all that was measured is left out";
  }
  return ranking.infer_key ? sentence_on_pairs(ranking) : sentence_on_options(ranking);
}

std::string why_no_match(const Option& option) {
  if (option.failed > 0) {
    return fmt::format("{} {} failed", option.failed, plural(option.failed, "trial", "trials"));
  }
  return fmt::format("agreement {}{}{}",
                     to_string(option.correctness),
                     option.because.empty() ? "" : ": ",
                     option.because);
}

std::string why_too_slow(const Against& fastest, const Option& best) {
  return fmt::format("takes {} times as long as {}", words_of(fastest), best.name());
}

std::string words_of(const Against& against) {
  return against.interval ? fmt::format("{:.3g} ({:.3g} to {:.3g})",
                                        against.ratio,
                                        against.interval->low,
                                        against.interval->high)
                          : fmt::format("{:.3g}", against.ratio);
}

std::string title_of(const Ranking& ranking) {
  std::string how;
  for (const auto& [name, value] : ranking.key.condition) {
    if (name != "dataset") {
      how += fmt::format("{}{} {}", how.empty() ? "" : ", ", name, value);
    }
  }
  const std::string what =
      ranking.infer_key
          ? fmt::format(
                "trained on {}, inference on {}", ranking.key.device, ranking.infer_key->device)
          : fmt::format("{} on {}", to_string(ranking.key.work), ranking.key.device);
  return fmt::format(
      "{} on {}: {} ({})", ranking.key.model, ranking.key.condition.at("dataset"), what, how);
}

}  // namespace crossbind::decide
