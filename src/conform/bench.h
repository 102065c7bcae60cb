// One binding at one model and seed: what the parts of an examination share.
#pragma once

#include <string>

#include "conform/course.h"
#include "conform/finding.h"
#include "conform/subject.h"
#include "converse/serialized_models.h"

namespace crossbind::conform {

struct Bench {
  Subject& subject;
  const Course& course;
  const trial::Capabilities& able;
  converse::SerializedModels& serialized;
  bool leads = false;          // whether the others start their steps from its states
  int64_t mask_questions = 1;  // that are asked in the whole run: a false alarm is one of any
};

// Settings that the worker has, the common ones where there is a choice.
[[nodiscard]] trial::Settings settings_of(const Bench& bench);

// What the worker made of a model.
struct Built {
  model::Model model;                    // with the conventions that it has
  std::vector<std::string> conventions;  // those that are not as asked: "adam.epsilon_form = hat"
};
// `request` without its scratch folder.
[[nodiscard]] converse::Attempt<Built> prepare(const Bench& bench,
                                               const model::Model& asked,
                                               protocol::Prepare request);
// The model of the course, to be taken apart.
[[nodiscard]] converse::Attempt<Built> prepare(const Bench& bench);

[[nodiscard]] bool has_task(const Bench& bench, trial::Task task);

// An error of ours as the end of a part.
[[nodiscard]] inline tl::unexpected<converse::Setback> because_of(const Error& error) {
  return converse::because(converse::Failure{error.to_string()});
}

}  // namespace crossbind::conform
