#include "conform/bench.h"

#include <algorithm>

#include "judge/built_model.h"

namespace crossbind::conform {

trial::Settings settings_of(const Bench& bench) {
  trial::Settings settings = trial::plain_settings(bench.able);
  if (const auto& device = bench.subject.candidate().device; !device.empty()) {
    settings.device = device;
  }
  settings.seed = bench.course.seed();
  settings.epochs = 1;
  settings.batch_size = bench.course.batch_size();
  settings.evaluate = trial::Evaluate::kLast;
  return settings;
}

converse::Attempt<Built> prepare(const Bench& bench,
                                 const model::Model& asked,
                                 protocol::Prepare request) {
  request.scratch = bench.subject.fresh_folder("scratch");
  const auto done = bench.subject.ask(std::move(request));
  if (!done) {
    return converse::because(done.error());
  }
  auto built = model::with_forms(asked, done->effective);
  if (!built) {
    return converse::because(
        converse::Failure{"claims a form that there is not: " + built.error().to_string()});
  }
  return Built{std::move(*built), judge::conventions_of(asked, done->effective)};
}

converse::Attempt<Built> prepare(const Bench& bench) {
  const auto& course = bench.course;
  return prepare(bench, course.model(), course.exercise().prepare(settings_of(bench), {}));
}

bool has_task(const Bench& bench, trial::Task task) {
  return std::ranges::find(bench.able.tasks, task) != bench.able.tasks.end();
}

}  // namespace crossbind::conform
