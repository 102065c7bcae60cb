#include "conform/loader_part.h"

#include <fmt/format.h>

#include <algorithm>

#include "conform/train_path.h"
#include "converse/batch_evidence.h"
#include "tasks/missing.h"

namespace crossbind::conform {
namespace {

using converse::Attempt;
using converse::because;
using protocol::Batch;
using trial::Task;
using trial::Variant;

Divergence data_divergence(int64_t number, const std::string& what, std::string detail) {
  Divergence divergence;
  divergence.part = Part::kLoader;
  divergence.kind = Kind::kData;
  divergence.step = number;
  divergence.tensor = what;
  divergence.detail = std::move(detail);
  return divergence;
}

// "; these are the labels of batch 2"
std::string whose(const std::string& hash,
                  std::string Batch::*member,
                  const std::vector<Batch>& expected) {
  const auto found = std::ranges::find(expected, hash, member);
  return found == expected.end()
             ? ""
             : fmt::format("; they are those of batch {}", found - expected.begin() + 1);
}

std::optional<Divergence> compare(const std::vector<Batch>& came,
                                  const std::vector<Batch>& expected) {
  for (size_t i = 0; i < std::min(came.size(), expected.size()); ++i) {
    const auto different = converse::difference(came[i], expected[i]);
    if (!different) {
      continue;
    }
    std::string detail = different->text;
    if (different->member == "labels_sha256") {
      detail = "other labels than the data's" +
               whose(came[i].labels_sha256, &Batch::labels_sha256, expected);
    } else if (different->member == "inputs_sha256") {
      detail = "other inputs than the data's" +
               whose(came[i].inputs_sha256, &Batch::inputs_sha256, expected);
    }
    return data_divergence(static_cast<int64_t>(i) + 1, different->member, std::move(detail));
  }
  if (came.size() == expected.size()) {
    return std::nullopt;
  }
  const size_t number = std::min(came.size(), expected.size());
  return data_divergence(
      static_cast<int64_t>(number) + 1,
      "count",
      came.size() < expected.size()
          ? fmt::format("dropped: {} batches of {} came, this one of {} samples did not",
                        came.size(),
                        expected.size(),
                        expected[number].count)
          : fmt::format("{} batches came, there are {}", came.size(), expected.size()));
}

class LoaderPart {
 public:
  explicit LoaderPart(const Bench& bench) : bench_(bench), path_(bench) {}

  Attempt<PartFinding> run() {
    if (const auto made = expect(); !made) {
      return because_of(made.error());
    }
    for (const Variant variant : {Variant::kStep, Variant::kFit, Variant::kGraph}) {
      for (const auto loader : bench_.able.loaders) {
        auto settings = settings_of(bench_);
        settings.variant = variant;
        settings.loader = loader;
        const auto tried = attempt(settings);
        if (!tried && !std::holds_alternative<converse::Lack>(tried.error())) {
          return because(tried.error());
        }
        if (!tried && lack_.empty()) {
          lack_ = std::get<converse::Lack>(tried.error()).feature;
        }
        if (finding_.divergence) {
          return diverged(settings);
        }
      }
    }
    return trained_ ? Attempt<PartFinding>(finding_) : because(converse::Lack{lack_});
  }

 private:
  Status expect() {
    const auto& course = bench_.course;
    for (const auto& ids : course.loader_order()) {
      CB_ASSIGN(auto batch,
                converse::expected_batch(course.exercise().data(), course.model(), ids));
      expected_.push_back(std::move(batch));
    }
    return {};
  }

  // One loader and variant: what reached the model, then what came of it.
  Attempt<void> attempt(const trial::Settings& settings) {
    const auto& model = bench_.course.model();
    if (const auto lack = tasks::missing_feature(bench_.able, model, Task::kTrain, settings)) {
      return because(converse::Lack{*lack});
    }
    const auto saved = bench_.subject.fresh_folder("saved") / "saved.safetensors";
    auto watched = watch(settings, saved);
    if (!watched || finding_.divergence || !bench_.able.saves) {
      return watched;
    }
    const auto parameters = load_parameters(saved, model);
    if (!parameters) {
      return because_of(parameters.error());
    }
    auto found = path_.judge(*parameters, settings);
    if (!found) {
      return because(found.error());
    }
    finding_.ratio = found->divergence ? found->ratio : std::max(finding_.ratio, found->ratio);
    finding_.divergence = std::move(found->divergence);
    return {};
  }

  Attempt<void> watch(const trial::Settings& settings, const std::filesystem::path& saved) {
    const auto& course = bench_.course;
    const auto prepared = prepare(bench_, course.model(), course.prepare_loader(settings));
    if (!prepared) {
      return because(prepared.error());
    }
    protocol::Train request{.evidence = -1};
    if (bench_.able.saves) {
      request.save = saved;
    }
    std::vector<Batch> came;
    const auto done = bench_.subject.ask(request, [&](const protocol::Event& event) {
      if (const auto* batch = std::get_if<Batch>(&event)) {
        came.push_back(*batch);
      }
      return Status();
    });
    if (!done) {
      return because(done.error());
    }
    trained_ = true;
    finding_.divergence = compare(came, expected_);
    if (!finding_.divergence && done->steps != std::ssize(expected_)) {
      finding_.divergence = data_divergence(
          std::ssize(expected_),
          "steps",
          fmt::format(
              "{} steps were made, expected {}", done->steps.value_or(0), expected_.size()));
    }
    return {};
  }

  PartFinding diverged(const trial::Settings& settings) {
    finding_.outcome = Outcome::kDiverges;
    auto& divergence = *finding_.divergence;
    divergence.part = Part::kLoader;
    divergence.seed = bench_.course.seed();
    divergence.detail += fmt::format("; loader {}, variant {}",
                                     name_in(trial::kLoaders, settings.loader),
                                     name_in(trial::kVariants, settings.variant));
    return finding_;
  }

  const Bench& bench_;
  TrainPath path_;
  std::vector<Batch> expected_;
  std::string lack_;  // of the first loader and variant that cannot be
  bool trained_ = false;
  PartFinding finding_;
};

}  // namespace

Attempt<PartFinding> loader_part(const Bench& bench) {
  return LoaderPart(bench).run();
}

}  // namespace crossbind::conform
