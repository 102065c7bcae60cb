#include <array>
#include <cstdio>
#include <memory>

#include "app/recommendation.h"
#include "base/named.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/recommend_text.h"
#include "cli/slowdown_option.h"
#include "decide/recommend_report.h"
#include "store/open.h"

namespace crossbind::cli {
namespace {

constexpr std::array kPurposes = {Named<decide::Purpose>{"train", decide::Purpose::kTrain},
                                  Named<decide::Purpose>{"infer", decide::Purpose::kInfer},
                                  Named<decide::Purpose>{"both", decide::Purpose::kBoth}};

// What the command line says; lives as long as the closures that read it.
struct RecommendOptions {
  std::string store = store::kDefaultStore;
  std::string task = "infer";
  std::string max_slowdown;
  decide::Question question;
  bool json = false;
};

Result<int> recommend(const RecommendOptions& options) {
  auto question = options.question;
  question.purpose = value_in(kPurposes, options.task).value();
  if (!options.max_slowdown.empty()) {
    CB_ASSIGN(question.max_slowdown, slowdown_from(options.max_slowdown));
  }
  CB_ASSIGN(const auto made, app::recommend_from(options.store, question));
  if (options.json) {
    std::fputs(decide::recommendations_json(made.rankings).c_str(), stdout);
    return kSuccess;
  }
  std::fputs(recommendations_text(made.rankings).c_str(), stdout);
  if (made.is_about_nothing()) {
    std::fputs(("\n" + measured_text(made.cases)).c_str(), stdout);
  }
  return kSuccess;
}

}  // namespace

void add_recommend_command(Command& program) {
  const auto options = std::make_shared<RecommendOptions>();
  auto& question = options->question;
  Command command =
      program.subcommand("recommend", "Which binding to take, by what a store says for each");
  command.option("--store", options->store, "The store's file").shows_default();
  command.option("--language", question.language, "The product's, such as javascript");
  command.option("--task", options->task, "What the product does; both ranks pairs")
      .one_of({"train", "infer", "both"})
      .shows_default();
  command.option("--model", question.model, "Only this model");
  command.option("--device", question.device, "cpu or gpu; of pairs, where they infer");
  command.flag("--must-match",
               question.must_match,
               "Only what agrees with the referee or keeps accuracy, with evidence");
  command.option("--max-slowdown",
                 options->max_slowdown,
                 "Only what is at most so much slower than the fastest in any language: 50%, 1.5x");
  command.flag("--json", options->json, "Print JSON");
  command.footer(
      "A model that Python trained, in a product in JavaScript:\n"
      "  crossbind recommend --store lab.db --task infer --language javascript\n"
      "Training and inference in the product's own language:\n"
      "  crossbind recommend --store lab.db --task both --language javascript\n"
      "The best pair of bindings, whatever the languages:\n"
      "  crossbind recommend --store lab.db --task both --must-match\n"
      "Where the times do not tell bindings apart it says \"not enough evidence\", and how many\n"
      "samples would. docs/recommend.md has the rules. The same store gives the same bytes.\n"
      "Exit codes: 0 answered, whatever the answer, 1 the store cannot be read, 2 wrong usage.");
  command.runs([options] { return recommend(*options); },
               [options] {
                 const auto slowdown = slowdown_from(options->max_slowdown);
                 return slowdown || options->max_slowdown.empty() ? std::string()
                                                                  : slowdown.error().to_string();
               });
}

}  // namespace crossbind::cli
