#include "cli/recommend_text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "cli/text_table.h"
#include "decide/recommend_words.h"

namespace crossbind::cli {
namespace {

constexpr size_t kMostRows = 10;

std::string correctness_of(const decide::Option& option) {
  std::string text(to_string(option.correctness));
  if (!option.because.empty()) {
    text += fmt::format(" ({})", option.because);
  }
  return option.failed > 0 ? fmt::format("{}, {} {} failed",
                                         text,
                                         option.failed,
                                         plural(option.failed, "trial", "trials"))
                           : text;
}

std::string memory_of(const decide::Option& option) {
  return option.peak_memory ? human_bytes(static_cast<uint64_t>(*option.peak_memory)) : "-";
}

std::string parts_of(const decide::Option& option) {
  if (!option.parts || option.parts->total <= 0) {
    return "-";
  }
  const auto share = [&](double part) { return 100 * part / option.parts->total; };
  std::string text = fmt::format(
      "load {:.0f} %, forward {:.0f} %", share(option.parts->load), share(option.parts->forward));
  return option.parts->backward
             ? fmt::format("{}, backward {:.0f} %", text, share(*option.parts->backward))
             : text;
}

std::string options_table(const decide::Ranking& ranking) {
  TextTable table({{"STANDING"},
                   {"BINDING"},
                   {std::string(decide::unit_of(ranking).column), Align::kRight},
                   {"TIMES THE FASTEST", Align::kRight},
                   {"N", Align::kRight},
                   {"MEMORY", Align::kRight},
                   {"PARTS"},
                   {"AGREEMENT"}});
  for (size_t i = 0; i < std::min(ranking.options.size(), kMostRows); ++i) {
    const auto& [option, fastest, first, standing] = ranking.options[i];
    table.add({std::string(to_string(standing)),
               option.name(),
               fmt::format("{:.4g}", option.median),
               decide::words_of(fastest),
               std::to_string(option.seconds.size()),
               memory_of(option),
               parts_of(option),
               correctness_of(option)});
  }
  return table.to_string();
}

std::string pairs_table(const decide::Ranking& ranking) {
  TextTable table({{"STANDING"},
                   {"TRAIN IN"},
                   {std::string(decide::unit_of(ranking).column), Align::kRight},
                   {"INFER IN"},
                   {"S A PASS", Align::kRight},
                   {"TIMES THE FASTEST", Align::kRight},
                   {"EVEN AT", Align::kRight},
                   {"AGREEMENT"}});
  for (size_t i = 0; i < std::min(ranking.pairs.size(), kMostRows); ++i) {
    const auto& pair = ranking.pairs[i];
    table.add(
        {std::string(to_string(pair.standing)),
         pair.train.option.name(),
         fmt::format("{:.4g}", pair.train.option.median),
         pair.infer.option.name(),
         fmt::format("{:.4g}", pair.infer.option.median),
         fmt::format(
             "{} x {}", decide::words_of(pair.train.fastest), decide::words_of(pair.infer.fastest)),
         pair.break_even ? fmt::format("{:.0f} passes", *pair.break_even) : "-",
         fmt::format("{}; {}{}",
                     correctness_of(pair.train.option),
                     correctness_of(pair.infer.option),
                     pair.was_tried ? "" : "; not tried with each other")});
  }
  return table.to_string();
}

std::string text_of(const decide::Ranking& ranking) {
  TextTable head({{decide::title_of(ranking)}});
  std::string text = head.to_string() + "\n";
  const size_t rows = ranking.infer_key ? ranking.pairs.size() : ranking.options.size();
  if (rows > 0) {
    text += ranking.infer_key ? pairs_table(ranking) : options_table(ranking);
  }
  if (rows > kMostRows) {
    text += fmt::format("{} more: --json\n", rows - kMostRows);
  }
  TextTable answer({{std::string(to_string(ranking.answer))}});
  answer.add({ranking.because});
  if (ranking.fastest_elsewhere) {
    answer.add({"the fastest in any language is " + *ranking.fastest_elsewhere});
  }
  for (const auto& [name, why] : ranking.left_out) {
    answer.add({fmt::format("left out: {}: {}", name, why)});
  }
  return text + "\n" + answer.to_string();
}

}  // namespace

std::string recommendations_text(const std::vector<decide::Ranking>& rankings) {
  if (rankings.empty()) {
    return "nothing measured: the store has no trial that the question is about\n";
  }
  std::string text;
  for (const auto& ranking : rankings) {
    text += (text.empty() ? "" : "\n\n") + text_of(ranking);
  }
  return text;
}

std::string measured_text(const decide::Cases& cases) {
  TextTable table({{"measured"}});
  for (const auto work : {decide::Work::kTraining, decide::Work::kInference}) {
    std::set<std::string> models;
    std::set<std::string> devices;
    std::set<std::string> languages;
    for (const auto& [key, one] : cases) {
      if (key.work != work) {
        continue;
      }
      models.insert(key.model);
      devices.insert(key.device);
      for (const auto& option : one.options) {
        languages.insert(option.language());
      }
    }
    if (!languages.empty()) {
      table.add({fmt::format("{} of {} on {} in {}",
                             to_string(work),
                             fmt::join(models, ", "),
                             fmt::join(devices, ", "),
                             fmt::join(languages, ", "))});
    }
  }
  return table.to_string();
}

}  // namespace crossbind::cli
