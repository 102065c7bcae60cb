#include "converse/serialized_models.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <span>

#include "base/digest.h"
#include "base/file.h"
#include "model/graph_json.h"
#include "trial/binding_name.h"

namespace crossbind::converse {
namespace {

Attempt<void> talk(Worker& worker,
                   const process::StopSignal& stop,
                   const SerializeJob& job,
                   const std::filesystem::path& scratch,
                   const std::filesystem::path& path) {
  Dialogue dialogue(worker, stop);
  const auto ignore = [](const protocol::Event&) { return Status(); };
  if (const auto hello = dialogue.greet(); !hello) {
    return because(hello.error());
  }
  protocol::Prepare prepare;
  prepare.id = 1;
  prepare.graph = model::canonical_graph(*job.model).dump();
  prepare.weights = job.weights;
  prepare.settings = job.settings;
  prepare.scratch = scratch;
  if (const auto done = dialogue.ask(prepare, ignore); !done) {
    return because(done.error());
  }
  if (const auto done = dialogue.ask(
          protocol::Serialize{
              .id = 2, .path = path, .format = job.format, .training = job.training},
          ignore);
      !done) {
    return because(done.error());
  }
  static_cast<void>(worker.send(protocol::Bye{}));  // it has done its work; it may be gone
  return {};
}

// "pytorch/python could not serialize the model: ..."
Setback blame(const SerializeJob& job, const Setback& setback, const process::End& end) {
  if (const auto* failure = std::get_if<Failure>(&setback)) {
    return Failure{one_line(
        fmt::format("{} could not serialize the model: {}", job.binding, explain(*failure, end)))};
  }
  if (const auto* lack = std::get_if<Lack>(&setback)) {
    return Lack{fmt::format("serialized by {}: {}", job.binding, lack->feature)};
  }
  return setback;
}

// What the file depends on. The loss, the optimizer and the seed of the masks matter to training
// only, but are few enough not to be told apart.
std::string name_of(const SerializeJob& job) {
  const std::string graph = model::canonical_graph(*job.model).dump();
  return fmt::format("{}.{}.{}{}.{}.{}",
                     job.weights.stem().string(),
                     sha256_hex(std::as_bytes(std::span(graph))).substr(0, 12),
                     job.settings.seed,
                     job.training ? ".training" : "",
                     trial::BindingName(job.binding).as_file_name(),
                     name_in(trial::kFormats, job.format));
}

}  // namespace

Attempt<std::filesystem::path> SerializedModels::get(const SerializeJob& job) {
  const std::scoped_lock lock(mutex_);
  auto path = directory_ / name_of(job);
  if (std::filesystem::exists(path)) {
    return path;
  }
  const auto scratch = TemporaryDirectory::create_in(directory_);
  if (!scratch) {
    return because(Failure{scratch.error().to_string()});
  }
  const auto worker = launcher_.launch(job.binding, job.command, job.limits);
  if (!worker) {
    return because(Failure{worker.error().to_string()});
  }
  const Attempt<void> step = talk(**worker, stop_, job, scratch->path(), path);
  const process::End end = (*worker)->end(leave_after(step));
  if (!step) {
    return because(blame(job, step.error(), end));
  }
  if (!std::filesystem::exists(path)) {
    return because(
        Failure{fmt::format("{} said that it has serialized the model, and there is no "
                            "file",
                            job.binding)});
  }
  return path;
}

}  // namespace crossbind::converse
