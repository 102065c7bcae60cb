#include "published/text_contents.h"

#include "base/text.h"
#include "published/checked_numbers.h"
#include "published/sections.h"
#include "published/seeds.h"

namespace crossbind::published {
namespace {

using Sections = std::vector<Section>;

Result<Sections> sections_of(std::string_view text, size_t at_least) {
  CB_ASSIGN(auto sections, read_sections(text));
  if (sections.size() < at_least) {
    return fail_at(
        sections.back().lines.empty() ? sections.back().line : sections.back().lines.back().number,
        "the file ends here, after {} of {} parts",
        sections.size(),
        at_least);
  }
  for (const auto& section : sections) {
    const size_t count = section.lines.size();
    const bool complete = count == kModels || (section.inline_value ? count == 0 : count == 1);
    if (!complete) {
      return fail_at(count == 0 ? section.line : section.lines.back().number,
                     "{} {} under '{}', there must be {}",
                     count,
                     plural(count, "line", "lines"),
                     section.title,
                     kModels);
    }
  }
  return sections;
}

Result<double> one_number(const Section& section) {
  CB_ASSIGN(const auto numbers, numbers_of(section, 1));
  return numbers[0];
}

Result<std::vector<double>> seconds_of(const Section& section) {
  CB_ASSIGN(auto seconds, numbers_of(section, kModels));
  for (size_t i = 0; i < kModels; ++i) {
    CB_TRY(check_seconds(seconds[i], "a time").map_error([&](Error&& error) {
      return std::move(error).at(fmt::format("line {}", section.lines[i].number));
    }));
  }
  return seconds;
}

Result<std::vector<double>> shares_of(const Section& section) {
  CB_ASSIGN(auto shares, numbers_of(section, kModels));
  for (size_t i = 0; i < kModels; ++i) {
    CB_TRY(check_share(shares[i], "an accuracy").map_error([&](Error&& error) {
      return std::move(error).at(fmt::format("line {}", section.lines[i].number));
    }));
  }
  return shares;
}

// "true, 0.98" five times.
Status read_scores(const Section& section, PublishedPasses& passes) {
  if (section.lines.size() != kModels) {
    return fail_at(section.line, "there must be {} lines under '{}'", kModels, section.title);
  }
  for (const auto& line : section.lines) {
    if (!line.flag || !line.value) {
      return fail_at(line.number, "there must be true or false and an accuracy");
    }
    CB_TRY(check_share(*line.value, "an accuracy").map_error([&](Error&& error) {
      return std::move(error).at(fmt::format("line {}", line.number));
    }));
    passes.same.push_back(*line.flag);
    passes.accuracies.push_back(*line.value);
  }
  return {};
}

Result<Inference> read_csharp(std::string_view text) {
  CB_ASSIGN(const auto sections, sections_of(text, 3));
  Inference inference;
  CB_ASSIGN(inference.test.average, one_number(sections[0]));
  CB_ASSIGN(inference.test.seconds, seconds_of(sections[1]));
  CB_TRY(read_scores(sections[2], inference.test));
  const auto* average = find_section(sections, "Train Eval Average Time");
  const auto* times = find_section(sections, "Train Eval Time");
  const auto* scores = find_section(sections, "Train Accuracy0 Same as Original");
  if (average != nullptr && times != nullptr && scores != nullptr) {
    CB_ASSIGN(inference.train.average, one_number(*average));
    CB_ASSIGN(inference.train.seconds, seconds_of(*times));
    CB_TRY(read_scores(*scores, inference.train));
  }
  return inference;
}

Result<Inference> read_rust(std::string_view text) {
  CB_ASSIGN(const auto sections, sections_of(text, 2));
  Inference inference;
  inference.test.average = sections[0].inline_value;
  CB_ASSIGN(inference.test.seconds, seconds_of(sections[0]));
  CB_TRY(read_scores(sections[1], inference.test));
  const auto* times = find_section(sections, "Train Eval Average Time");
  const auto* scores = find_section(sections, "Train Accuracy Same as Original");
  if (times != nullptr && scores != nullptr) {
    inference.train.average = times->inline_value;
    CB_ASSIGN(inference.train.seconds, seconds_of(*times));
    CB_TRY(read_scores(*scores, inference.train));
  }
  return inference;
}

Result<Inference> read_javascript(std::string_view text) {
  CB_ASSIGN(const auto sections, sections_of(text, 5));
  Inference inference;
  CB_ASSIGN(inference.test.average, one_number(sections[0]));
  CB_ASSIGN(inference.test.seconds, seconds_of(sections[1]));
  CB_ASSIGN(inference.train.average, one_number(sections[2]));
  CB_ASSIGN(inference.train.seconds, seconds_of(sections[3]));
  CB_ASSIGN(inference.test.same, flags_of(sections[4], kModels));
  if (const auto* flags = find_section(sections, "Train Set Same Acc")) {
    CB_ASSIGN(inference.train.same, flags_of(*flags, kModels));
  }
  if (const auto* accuracies = find_section(sections, "Test Set Accs")) {
    CB_ASSIGN(inference.test.accuracies, shares_of(*accuracies));
  }
  if (const auto* accuracies = find_section(sections, "Train Set Accs")) {
    CB_ASSIGN(inference.train.accuracies, shares_of(*accuracies));
  }
  return inference;
}

Result<uint32_t> seed_of(double value, size_t line) {
  const auto seed = static_cast<uint32_t>(value >= 0 && value <= UINT32_MAX ? value : 0);
  if (static_cast<double>(seed) != value) {
    return fail_at(line, "{} is not a seed", value);
  }
  return seed;
}

Result<TimeCost> read_titled_times(std::string_view text) {
  CB_ASSIGN(const auto sections, read_sections(text));
  TimeCost cost;
  CB_ASSIGN(cost.training, one_number(sections[0]));
  const auto read = [&](std::string_view title) -> Result<std::optional<double>> {
    const auto* section = find_section(sections, title);
    if (section == nullptr) {
      return std::nullopt;
    }
    CB_ASSIGN(const double number, one_number(*section));
    return number;
  };
  CB_ASSIGN(cost.total, read("Total Time"));
  CB_ASSIGN(cost.evaluation, read("Eval Time"));
  CB_ASSIGN(cost.test_accuracy, read("Testing Acc"));
  CB_ASSIGN(cost.train_accuracy, read("Training Acc"));
  CB_ASSIGN(const auto seed, read("Seed"));
  if (seed) {
    CB_ASSIGN(cost.seed, seed_of(*seed, find_section(sections, "Seed")->lines[0].number));
  }
  return cost;
}

// Total, evaluation, training, and the seed.
Result<TimeCost> read_bare_times(std::string_view text) {
  CB_ASSIGN(const auto sections, read_sections(text));
  const size_t count = sections[0].lines.size();
  if (sections.size() != 1 || !sections[0].title.empty()) {
    return fail_at(sections.back().line, "there must be a number, not '{}'", sections.back().title);
  }
  if (count < 3 || count > 4) {
    return fail_at(sections[0].lines.back().number,
                   "{} {}, there must be 3 or 4",
                   count,
                   plural(count, "line", "lines"));
  }
  CB_ASSIGN(const auto numbers, numbers_of(sections[0], count));
  TimeCost cost{.training = numbers[2], .total = numbers[0], .evaluation = numbers[1]};
  if (count == 4) {
    CB_ASSIGN(cost.seed, seed_of(numbers[3], sections[0].lines[3].number));
  }
  return cost;
}

}  // namespace

Result<std::vector<double>> read_curve(std::string_view text, std::optional<size_t> epochs) {
  CB_ASSIGN(const auto sections, read_sections(text));
  if (sections.size() != 1 || !sections[0].title.empty()) {
    return fail_at(sections.back().line, "there must be a number, not '{}'", sections.back().title);
  }
  const auto& lines = sections[0].lines;
  CB_ASSIGN(auto curve, numbers_of(sections[0], epochs.value_or(lines.size())));
  for (size_t i = 0; i < curve.size(); ++i) {
    CB_TRY(check_share(curve[i], "an accuracy").map_error([&](Error&& error) {
      return std::move(error).at(fmt::format("line {}", lines[i].number));
    }));
  }
  return curve;
}

Result<TimeCost> read_time_cost_text(std::string_view text, Language language) {
  return language == Language::kJavascript ? read_titled_times(text) : read_bare_times(text);
}

Result<Inference> read_inference_text(std::string_view text, Language language) {
  if (language == Language::kCsharp) {
    return read_csharp(text);
  }
  return language == Language::kRust ? read_rust(text) : read_javascript(text);
}

}  // namespace crossbind::published
