#include "decide/recommend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/named.h"
#include "decide/recommend_words.h"
#include "decide/slowdown.h"
#include "stats/comparison.h"
#include "stats/noise.h"
#include "stats/rank_tests.h"
#include "stats/sample_size.h"
#include "trial/binding_name.h"

namespace crossbind::decide {
namespace {

constexpr std::string_view kReference = "reference";  // crossbind's own framework
constexpr size_t kMostSamples = 10'000;  // beyond that an estimate is a way of saying no

constexpr std::array kStandings = {Named<Standing>{"first", Standing::kFirst},
                                   Named<Standing>{"tied", Standing::kTied},
                                   Named<Standing>{"slower", Standing::kSlower},
                                   Named<Standing>{"trade-off", Standing::kTradeOff}};
constexpr std::array kAnswers = {Named<Answer>{"recommended", Answer::kRecommended},
                                 Named<Answer>{"not enough evidence", Answer::kNotEnough},
                                 Named<Answer>{"nothing measured", Answer::kNothing}};

// Excluding the true best in error has at most the probability alpha when each option is tested
// against one other, one-sided, at alpha over the number of others: Hsu, "Simultaneous confidence
// intervals for all distances from the 'best'", Annals of Statistics 9 (1981). That the one was
// chosen for being the fastest in the sample only makes exclusions fewer than allowed.
class Contest {
 public:
  Contest(double alpha, size_t comparisons)
      : alpha_(alpha),
        comparisons_(static_cast<double>(std::max<size_t>(comparisons, 1))) {}

  [[nodiscard]] Result<Against> operator()(const Option& other, const Option& best) const {
    Against against;
    if (other.name() == best.name()) {
      return against;
    }
    CB_ASSIGN(const auto found,
              compare_times({best.seconds, other.seconds}, stats::Alternative::kGreater));
    CB_ASSIGN(const auto compared,
              stats::compare(best.seconds, other.seconds, {.method = stats::UMethod::kAsymptotic}));
    against.ratio = found.ratio;
    against.interval = compared.ratio_interval;
    against.p = std::min(found.p * comparisons_, 1.0);
    against.noise = compared.noise;
    against.is_slower = against.p <= alpha_ && against.interval && against.interval->low > 1 &&
                        stats::is_above_noise(against.ratio, against.noise);
    if (!against.is_slower) {
      CB_TRY(estimate(found, other, best, against));
    }
    return against;
  }

 private:
  Status estimate(const TimeFinding& found,
                  const Option& other,
                  const Option& best,
                  Against& against) const {
    const double level = alpha_ / comparisons_;
    if (found.smallest_p > level) {
      // A one-sided p is half the two-sided one.
      CB_ASSIGN(against.needed, stats::smallest_n(2 * level, stats::UMethod::kExact));
      against.needed_is_least = true;
      return {};
    }
    const auto samples = stats::samples_for(found.larger, level);
    if (samples && *samples <= kMostSamples) {
      // One that has samples enough by this estimate was unlucky, or its interval is wide.
      const size_t most = std::max(other.seconds.size(), best.seconds.size());
      against.needed = std::max(*samples, most + 1);
    }
    return {};
  }

  double alpha_;
  double comparisons_;
};

bool is_asked(const CaseKey& key, const Question& question) {
  return (question.model.empty() || question.model == key.model) &&
         (question.device.empty() || question.device == key.device);
}

// The options of a case that a question lets in, those in any language first.
struct Field {
  std::vector<Option> any;    // by median
  std::vector<Option> asked;  // of the language
  std::vector<LeftOut> left_out;
};

Field field_of(const Case& found, const Question& question) {
  Field field;
  const auto speaks = [&](const std::string& binding) {
    return question.language.empty() || trial::BindingName(binding).language() == question.language;
  };
  for (const auto& [binding, name, why] : found.unmeasured) {
    if (speaks(binding)) {
      field.left_out.push_back({name, why});
    }
  }
  for (const auto& option : found.options) {
    const bool is_own = option.framework() == kReference;
    const bool matches = is_match(option.correctness) && option.failed == 0;
    if (is_own || (question.must_match && !matches)) {
      if (speaks(option.binding)) {
        field.left_out.push_back(
            {option.name(),
             is_own ? "is crossbind's own, to hold others against" : why_no_match(option)});
      }
      continue;
    }
    field.any.push_back(option);
    if (speaks(option.binding)) {
      field.asked.push_back(option);
    }
  }
  return field;
}

bool is_too_slow(const Against& fastest, const Question& question) {
  return question.max_slowdown && fastest.ratio > 1 + *question.max_slowdown;
}

Result<std::vector<RankedOption>> ranked(Field& field,
                                         const Question& question,
                                         const Contest& contest) {
  std::vector<RankedOption> options;
  for (const auto& option : field.asked) {
    RankedOption one{.option = option};
    CB_ASSIGN(one.fastest, contest(option, field.any.front()));
    if (is_too_slow(one.fastest, question)) {
      field.left_out.push_back({option.name(), why_too_slow(one.fastest, field.any.front())});
      continue;
    }
    if (!options.empty()) {
      CB_ASSIGN(one.first, contest(option, options.front().option));
      one.standing = one.first.is_slower ? Standing::kSlower : Standing::kTied;
    }
    options.push_back(std::move(one));
  }
  return options;
}

size_t others_in(const Field& field) {
  return field.asked.empty() ? 0 : field.asked.size() - 1;
}

Result<Ranking> rank_options(const CaseKey& key, const Case& found, const Question& question) {
  Ranking ranking{.key = key, .per_epoch = found.per_epoch};
  Field field = field_of(found, question);
  CB_ASSIGN(ranking.options, ranked(field, question, Contest(question.alpha, others_in(field))));
  ranking.left_out = std::move(field.left_out);
  if (!question.language.empty() && !field.any.empty()) {
    ranking.fastest_elsewhere = field.any.front().name();
  }
  return ranking;
}

// Two cases of which a pair can be made: all that both name is equal. How a step is driven
// (variant) and where it runs concern one of them.
bool can_pair(const CaseKey& train, const CaseKey& infer) {
  return train.model == infer.model && std::ranges::all_of(train.condition, [&](const auto& entry) {
           const auto other = infer.condition.find(entry.first);
           return entry.first == "variant" || other == infer.condition.end() ||
                  other->second == entry.second;
         });
}

// How a part of a pair relates to the same part of the first pair.
enum class Relation { kSame, kUnclear, kSlower, kFaster };

using Relations = std::map<std::string, Relation>;  // by an option's name

Result<Relations> relations(const std::vector<RankedOption>& options,
                            const Option& first,
                            const Contest& contest) {
  Relations found;
  for (const auto& [option, fastest, to_first, standing] : options) {
    auto& relation = found[option.name()];
    if (option.name() == first.name()) {
      continue;
    }
    CB_ASSIGN(const auto behind, contest(option, first));
    CB_ASSIGN(const auto ahead, contest(first, option));
    relation = behind.is_slower  ? Relation::kSlower
               : ahead.is_slower ? Relation::kFaster
                                 : Relation::kUnclear;
  }
  return found;
}

void place(Relation train, Relation infer, const RankedPair& first, RankedPair& pair) {
  const bool slower = train == Relation::kSlower || infer == Relation::kSlower;
  const bool faster = train == Relation::kFaster || infer == Relation::kFaster;
  pair.standing = slower && faster ? Standing::kTradeOff
                  : slower         ? Standing::kSlower
                                   : Standing::kTied;
  if (pair.standing == Standing::kTradeOff) {
    const double training = pair.train.option.whole - first.train.option.whole;
    pair.break_even = training / (first.infer.option.median - pair.infer.option.median);
  }
}

std::vector<RankedPair> pairs_of(const std::vector<RankedOption>& trains,
                                 const std::vector<RankedOption>& infers) {
  std::vector<RankedPair> pairs;
  for (const auto& train : trains) {
    for (const auto& infer : infers) {
      const bool tried = infer.option.weights.contains(train.option.binding);
      if (tried || train.option.framework() == infer.option.framework()) {
        pairs.push_back({.train = train,
                         .infer = infer,
                         .cost = train.fastest.ratio * infer.fastest.ratio,
                         .was_tried = tried});
      }
    }
  }
  std::ranges::stable_sort(pairs, {}, &RankedPair::cost);
  return pairs;
}

void leave_out(Work work, Field& field, Ranking& into) {
  for (auto& [name, why] : field.left_out) {
    into.left_out.push_back({fmt::format("{} in {}", to_string(work), name), std::move(why)});
  }
}

Result<Ranking> rank_pairs(const Cases::value_type& train,
                           const Cases::value_type& infer,
                           const Question& question) {
  Ranking ranking{
      .key = train.first, .infer_key = infer.first, .per_epoch = train.second.per_epoch};
  Field trains = field_of(train.second, question);
  Field infers = field_of(infer.second, question);
  // Trainings and inferences are each judged as if they had been asked about alone.
  const Contest of_trains(question.alpha, others_in(trains));
  const Contest of_infers(question.alpha, others_in(infers));
  CB_ASSIGN(const auto training, ranked(trains, question, of_trains));
  CB_ASSIGN(const auto inferring, ranked(infers, question, of_infers));
  ranking.pairs = pairs_of(training, inferring);
  if (!ranking.pairs.empty()) {
    const auto& first = ranking.pairs.front();
    CB_ASSIGN(const auto of_training, relations(training, first.train.option, of_trains));
    CB_ASSIGN(const auto of_inference, relations(inferring, first.infer.option, of_infers));
    for (size_t i = 1; i < ranking.pairs.size(); ++i) {
      auto& pair = ranking.pairs[i];
      place(of_training.at(pair.train.option.name()),
            of_inference.at(pair.infer.option.name()),
            first,
            pair);
    }
  }
  leave_out(Work::kTraining, trains, ranking);
  leave_out(Work::kInference, infers, ranking);
  return ranking;
}

Result<std::vector<Ranking>> pair_rankings(const Cases& cases, const Question& question) {
  std::vector<Ranking> rankings;
  auto any_device = question;
  any_device.device.clear();  // a model is trained elsewhere as a rule
  for (const auto& train : cases) {
    for (const auto& infer : cases) {
      if (train.first.work == Work::kTraining && infer.first.work == Work::kInference &&
          is_asked(train.first, any_device) && is_asked(infer.first, question) &&
          can_pair(train.first, infer.first)) {
        CB_ASSIGN(auto ranking, rank_pairs(train, infer, question));
        rankings.push_back(std::move(ranking));
      }
    }
  }
  return rankings;
}

Result<std::vector<Ranking>> option_rankings(const Cases& cases,
                                             Work work,
                                             const Question& question) {
  std::vector<Ranking> rankings;
  for (const auto& [key, found] : cases) {
    if (key.work == work && is_asked(key, question)) {
      CB_ASSIGN(auto ranking, rank_options(key, found, question));
      rankings.push_back(std::move(ranking));
    }
  }
  return rankings;
}

Result<std::vector<Ranking>> rankings_for(const Cases& cases, const Question& question) {
  switch (question.purpose) {
    case Purpose::kTrain:
      return option_rankings(cases, Work::kTraining, question);
    case Purpose::kInfer:
      return option_rankings(cases, Work::kInference, question);
    case Purpose::kBoth:
      return pair_rankings(cases, question);
  }
  return {};
}

}  // namespace

std::string_view to_string(Standing standing) {
  return name_in(kStandings, standing);
}

std::string_view to_string(Answer answer) {
  return name_in(kAnswers, answer);
}

Result<std::vector<Ranking>> recommend(const Cases& cases, const Question& question) {
  CB_ASSIGN(auto rankings, rankings_for(cases, question));
  for (auto& ranking : rankings) {
    ranking.answer = answer_of(ranking);
    ranking.because = sentence_on(ranking);
  }
  return rankings;
}

}  // namespace crossbind::decide
