#include "conform/conformance.h"

#include <fmt/format.h>

#include <mutex>

#include "base/parallel.h"
#include "conform/dropout_part.h"
#include "conform/evaluation_part.h"
#include "conform/loader_part.h"
#include "conform/probe_part.h"
#include "conform/replay.h"
#include "conform/verdict.h"
#include "judge/masks.h"
#include "trial/binding_name.h"

namespace crossbind::conform {
namespace {

using Seconds = std::chrono::duration<double>;

Seconds since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::steady_clock::now() - begin;
}

// Both, each name once.
std::vector<std::string> united(std::vector<std::string> names,
                                const std::vector<std::string>& more) {
  for (const auto& name : more) {
    if (std::ranges::find(names, name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

// The courses of one model, a seed each.
using Courses = std::vector<Course>;

// What one binding came to on one model, and by which its bits are compared with others'.
struct Examined {
  Verdict verdict;
  std::optional<std::string> digest = "";  // of all seeds; nothing where one has none
};

class Examiner {
 public:
  Examiner(const std::vector<Participant>& participants,
           const Questions& questions,
           const Surroundings& surroundings,
           const OnVerdict& on_verdict)
      : participants_(participants),
        questions_(questions),
        surroundings_(surroundings),
        on_verdict_(on_verdict),
        examined_(participants.size()) {}

  Result<Conformance> run() {
    const auto begin = std::chrono::steady_clock::now();
    CB_TRY(make_courses());
    conformance_.crossbind += since(begin);
    if (questions_.against) {
      examine(*questions_.against);
    }
    parallel_for(surroundings_.lanes, std::ssize(participants_), [&](int64_t i) {
      if (static_cast<size_t>(i) != questions_.against) {
        examine(static_cast<size_t>(i));
      }
    });
    compare_bits();
    for (auto& of_binding : examined_) {
      for (auto& examined : of_binding) {
        conformance_.verdicts.push_back(std::move(examined.verdict));
      }
    }
    return std::move(conformance_);
  }

 private:
  Status make_courses() {
    const auto seeds = questions_.seeds.size();
    std::vector<std::optional<Result<Course>>> made(questions_.models.size() * seeds);
    parallel_for(surroundings_.lanes, std::ssize(made), [&](int64_t i) {
      const auto number = static_cast<size_t>(i);
      if (!surroundings_.stop.is_raised()) {
        made[number] = make_course(questions_.models[number / seeds], number % seeds);
      }
    });
    for (size_t i = 0; i < made.size() && made[i]; ++i) {
      CB_ASSIGN(auto course, std::move(*made[i]));
      if (i % seeds == 0) {
        courses_.emplace_back();
      }
      courses_.back().push_back(std::move(course));
    }
    return {};
  }

  [[nodiscard]] Result<Course> make_course(const model::Model& model, size_t seed_number) const {
    const uint32_t seed = questions_.seeds[seed_number];
    const auto folder = surroundings_.scratch / fmt::format("{}-{}", model.id, seed);
    CB_ASSIGN(auto course, Course::make(model, seed, questions_.steps, folder));
    if (!questions_.against) {
      CB_TRY(course.walk());
    }
    return course;
  }

  // One binding, on all models.
  void examine(size_t number) {
    const auto begin = std::chrono::steady_clock::now();
    const auto& participant = participants_[number];
    Subject subject(participant.candidate,
                    surroundings_.launcher,
                    surroundings_.stop,
                    surroundings_.scratch / fmt::format("subject-{}", number));
    converse::SerializedModels serialized(
        subject.fresh_folder("serialized"), surroundings_.launcher, surroundings_.stop);
    for (const auto& courses : courses_) {
      Examined examined = examine(subject, serialized, courses, number);
      if (surroundings_.stop.is_raised()) {
        break;
      }
      const std::scoped_lock lock(mutex_);
      on_verdict_(examined.verdict);
      examined_[number].push_back(std::move(examined));
    }
    const std::scoped_lock lock(mutex_);
    conformance_.versions[participant.name] = subject.versions();
    conformance_.bindings += subject.waited();
    conformance_.crossbind += since(begin) - subject.waited();
  }

  // One binding on one model.
  Examined examine(Subject& subject,
                   converse::SerializedModels& serialized,
                   const Courses& courses,
                   size_t number) {
    Examined examined;
    examined.verdict.binding = participants_[number].name;
    examined.verdict.model = courses.front().whole_model().id;
    const auto able = subject.able();
    if (!able) {
      examined.verdict.parts = {settled(Part::kProbe, able.error())};
    } else {
      for (const auto& course : courses) {
        const Bench bench{.subject = subject,
                          .course = course,
                          .able = *able,
                          .serialized = serialized,
                          .leads = number == questions_.against,
                          .mask_questions = mask_questions()};
        examine(bench, examined);
      }
    }
    conclude(examined.verdict);
    apply_known(
        participants_[number].known, questions_.is_full ? 0 : questions_.steps, examined.verdict);
    return examined;
  }

  // With one seed.
  void examine(const Bench& bench, Examined& examined) {
    auto& verdict = examined.verdict;
    auto probed = probe_part(bench);
    keep_smallest_of(bench, probed, verdict);
    if (probed) {
      verdict.level = std::max(verdict.level, probed->level);
      verdict.conventions = united(verdict.conventions, probed->conventions);
    }
    if (!probed || probed->digest.empty()) {
      examined.digest.reset();
    } else if (examined.digest) {
      *examined.digest += probed->digest;
    }
    note(Part::kProbe, probed ? probed->finding : settled(Part::kProbe, probed.error()), verdict);
    if (has_dropout(bench)) {
      auto dropped = dropout_part(bench);
      note(Part::kDropout, dropped ? *dropped : settled(Part::kDropout, dropped.error()), verdict);
    }
    auto evaluated = evaluation_part(bench, free_outputs_);
    keep_smallest_of(bench, evaluated, verdict);
    if (evaluated) {
      verdict.level = std::max(verdict.level, evaluated->level);
      verdict.conventions = united(verdict.conventions, evaluated->conventions);
    }
    note(Part::kEvaluation,
         evaluated ? evaluated->finding : settled(Part::kEvaluation, evaluated.error()),
         verdict);
    const auto loaded = loader_part(bench);
    note(Part::kLoader, loaded ? *loaded : settled(Part::kLoader, loaded.error()), verdict);
  }

  // Of all bindings, models and seeds.
  [[nodiscard]] int64_t mask_questions() const {
    int64_t of_models = 0;
    for (const auto& model : questions_.models) {
      of_models += judge::count_questions(model, questions_.steps);
    }
    return std::max<int64_t>(of_models * std::ssize(questions_.seeds) * std::ssize(participants_),
                             1);
  }

  // For the first divergence of a part, where the repros are wanted.
  template <typename Examination>
  void keep_smallest_of(const Bench& bench,
                        converse::Attempt<Examination>& examination,
                        const Verdict& verdict) const {
    if (!questions_.repros || !examination || !examination->diverging || bench.leads) {
      return;
    }
    auto& divergence = *examination->finding.divergence;
    const auto is_same_part = [&](const PartFinding& part) {
      return part.part == divergence.part && part.divergence;
    };
    if (std::ranges::any_of(verdict.parts, is_same_part)) {
      return;
    }
    const auto folder =
        *questions_.repros / fmt::format("{}-{}-{}",
                                         trial::BindingName(verdict.binding).as_file_name(),
                                         verdict.model,
                                         name_in(kParts, divergence.part));
    const auto kept =
        keep_smallest(bench.subject, bench.able, *examination->diverging, verdict.binding, folder);
    divergence.repro = kept ? folder.string() : "none, " + kept.error().to_string();
  }

  static void note(Part part, PartFinding finding, Verdict& verdict) {
    finding.part = part;
    const auto found = std::ranges::find(verdict.parts, part, &PartFinding::part);
    if (found == verdict.parts.end()) {
      verdict.parts.push_back(std::move(finding));
    } else {
      merge(*found, std::move(finding));
    }
  }

  // Who showed the same bits; with --against, that is a verdict.
  void compare_bits() {
    for (size_t i = 0; i < examined_.size(); ++i) {
      for (size_t j = 0; j < examined_.size(); ++j) {
        for (size_t m = 0; m < std::min(examined_[i].size(), examined_[j].size()); ++m) {
          const auto& other = examined_[j][m];
          if (i != j && other.digest && examined_[i][m].digest == other.digest) {
            auto& verdict = examined_[i][m].verdict;
            verdict.same_as.push_back(participants_[j].name);
            if (j == questions_.against && verdict.outcome == Outcome::kRounding) {
              verdict.outcome = Outcome::kBitForBit;
            }
          }
        }
      }
    }
  }

  const std::vector<Participant>& participants_;
  const Questions& questions_;
  const Surroundings& surroundings_;
  const OnVerdict& on_verdict_;
  std::vector<Courses> courses_;                 // by model
  std::vector<std::vector<Examined>> examined_;  // by participant, then by model
  FreeOutputs free_outputs_;
  std::mutex mutex_;
  Conformance conformance_;
};

}  // namespace

Result<Conformance> examine(const std::vector<Participant>& participants,
                            const Questions& questions,
                            const Surroundings& surroundings,
                            const OnVerdict& on_verdict) {
  return Examiner(participants, questions, surroundings, on_verdict).run();
}

Conformance replay_all(const std::vector<Participant>& participants,
                       const Case& subject,
                       const Surroundings& surroundings,
                       const OnVerdict& on_verdict) {
  Conformance report;
  for (const auto& participant : participants) {
    Subject binding(participant.candidate,
                    surroundings.launcher,
                    surroundings.stop,
                    surroundings.scratch / fmt::format("subject-{}", report.verdicts.size()));
    Verdict verdict;
    verdict.binding = participant.name;
    verdict.model = subject.model.id;
    const auto able = binding.able();
    const auto replayed = able ? replay(binding, *able, subject)
                               : converse::Attempt<Replayed>(converse::because(able.error()));
    if (replayed) {
      verdict.level = replayed->level;
      verdict.conventions = replayed->conventions;
    }
    const Part part = subject.trains ? Part::kProbe : Part::kEvaluation;
    verdict.parts = {replayed ? replayed->finding : settled(part, replayed.error())};
    conclude(verdict);
    on_verdict(verdict);
    report.verdicts.push_back(std::move(verdict));
  }
  return report;
}

}  // namespace crossbind::conform
