#include "protocol/codec.h"
#include "protocol/json_line.h"
#include "protocol/members.h"

namespace crossbind::protocol {
namespace {

using trial::Capabilities;

template <typename T, size_t N>
std::vector<std::string_view> names_of(const std::vector<T>& values,
                                       const std::array<Named<T>, N>& names) {
  std::vector<std::string_view> words;
  words.reserve(values.size());
  for (const T value : values) {
    words.push_back(name_in(names, value));
  }
  return words;
}

template <typename T>
void set(Json& json, const char* key, const std::optional<T>& value) {
  if (value) {
    json[key] = *value;
  }
}

template <typename T>
void set(Json& json, const char* key, const std::vector<T>& values) {
  if (!values.empty()) {
    json[key] = values;
  }
}

Json capabilities_json(const Capabilities& able) {
  Json json = {
      {"tasks", names_of(able.tasks, trial::kWorkerTasks)},
      {"devices", able.devices},
      {"loaders", names_of(able.loaders, trial::kLoaders)},
      {"variants", names_of(able.variants, trial::kVariants)},
      {"measures", names_of(able.measures, trial::kMeasures)},
      {"training_accuracies", names_of(able.training_accuracies, trial::kTrainingAccuracies)},
      {"layers", able.layers},
      {"losses", able.losses},
      {"optimizers", able.optimizers},
      {"lacks", able.lacks},
      {"conventions", Json(able.conventions)},
      {"probe", name_in(trial::kProbeLevels, able.probe)},
      {"queries", name_in(trial::kQueries, able.queries)},
      {"saves", able.saves}};
  set(json, "reads", names_of(able.reads, trial::kFormats));
  set(json, "writes", names_of(able.writes, trial::kFormats));
  return json;
}

Capabilities read_capabilities(Members& hello) {
  Members members(hello.object("capabilities"), "'hello' message, 'capabilities'");
  Capabilities able;
  able.tasks = members.words("tasks", trial::kWorkerTasks);
  able.devices = members.texts("devices");
  able.loaders = members.words("loaders", trial::kLoaders);
  able.variants = members.words("variants", trial::kVariants);
  able.measures = members.words("measures", trial::kMeasures);
  able.training_accuracies = members.words("training_accuracies", trial::kTrainingAccuracies);
  able.layers = members.texts("layers");
  able.losses = members.texts("losses");
  able.optimizers = members.texts("optimizers");
  able.lacks = members.optional_texts("lacks");
  able.conventions = members.optional_map("conventions");
  able.probe = members.word("probe", trial::kProbeLevels);
  able.saves = members.boolean("saves");
  if (members.has("queries")) {
    able.queries = members.word("queries", trial::kQueries);
  }
  if (members.has("reads")) {
    able.reads = members.words("reads", trial::kFormats);
  }
  if (members.has("writes")) {
    able.writes = members.words("writes", trial::kFormats);
  }
  hello.adopt(members);
  return able;
}

struct EventJson {
  Json operator()(const Hello& hello) const {
    Json json = {{"type", "hello"},
                 {"protocol", hello.protocol},
                 {"token", hello.token},
                 {"binding", hello.binding},
                 {"versions", Json(hello.versions)}};
    if (!hello.leaves_capabilities) {
      json["capabilities"] = capabilities_json(hello.capabilities);
    }
    return json;
  }
  Json operator()(const Progress& progress) const {
    return {{"type", "progress"},
            {"id", progress.id},
            {"epoch", progress.epoch},
            {"step", progress.step},
            {"steps", progress.steps}};
  }
  Json operator()(const Timings& timings) const {
    Json json = {
        {"type", "timings"}, {"id", timings.id}, {"phase", name_in(kPhases, timings.phase)}};
    if (timings.phase == Phase::kTrain) {
      json["epoch"] = timings.epoch;
    }
    set(json, "total_ns", timings.total_ns);
    if (timings.phase == Phase::kWarmup) {
      json["steps_ns"] = timings.steps_ns;
    }
    set(json, "load_ns", timings.load_ns);
    set(json, "forward_ns", timings.forward_ns);
    set(json, "backward_ns", timings.backward_ns);
    return json;
  }
  Json operator()(const Epoch& epoch) const {
    Json json = {{"type", "epoch"}, {"id", epoch.id}, {"epoch", epoch.epoch}, {"loss", epoch.loss}};
    set(json, "train_accuracy", epoch.train_accuracy);
    set(json, "test_accuracy", epoch.test_accuracy);
    set(json, "test_loss", epoch.test_loss);
    return json;
  }
  Json operator()(const Batch& batch) const {
    return {{"type", "batch"},
            {"id", batch.id},
            {"epoch", batch.epoch},
            {"batch", batch.batch},
            {"count", batch.count},
            {"ids", batch.ids},
            {"inputs_sha256", batch.inputs_sha256},
            {"labels_sha256", batch.labels_sha256}};
  }
  Json operator()(const Done& done) const {
    Json json = {{"type", "done"}, {"id", done.id}};
    set(json, "parameters", done.parameters);
    if (!done.effective.empty()) {
      json["effective"] = done.effective;
    }
    set(json, "steps", done.steps);
    set(json, "samples", done.samples);
    set(json, "accuracy", done.accuracy);
    if (done.tensors) {
      json["tensors"] = done.tensors->string();
    }
    set(json, "loss", done.loss);
    set(json, "fused", done.fused);
    set(json, "missing", done.missing);
    return json;
  }
  Json operator()(const Unsupported& unsupported) const {
    return {{"type", "unsupported"}, {"id", unsupported.id}, {"feature", unsupported.feature}};
  }
  Json operator()(const Failed& failed) const {
    return {{"type", "failed"},
            {"id", failed.id},
            {"code", name_in(kFailureCodes, failed.code)},
            {"message", failed.message}};
  }
};

Event read_hello(Members& members) {
  Hello hello;
  hello.protocol = static_cast<int>(members.integer("protocol"));
  hello.token = members.text("token");
  hello.binding = members.text("binding");
  if (hello.protocol == kVersion) {  // what another version says is its own affair
    hello.versions = members.optional_map("versions");
    hello.leaves_capabilities = !members.has("capabilities");
    if (!hello.leaves_capabilities) {
      hello.capabilities = read_capabilities(members);
    }
  }
  return hello;
}

Event read_progress(Members& members) {
  return Progress{members.integer("id"),
                  members.integer("epoch", 1),
                  members.integer("step"),
                  members.integer("steps", 1)};
}

Event read_timings(Members& members) {
  Timings timings;
  timings.id = members.integer("id");
  timings.phase = members.word("phase", kPhases);
  timings.epoch = timings.phase == Phase::kTrain ? members.integer("epoch", 1) : 0;
  if (timings.phase == Phase::kWarmup) {
    timings.steps_ns = members.optional_integers("steps_ns");
  } else {
    timings.total_ns = members.integer("total_ns");
  }
  timings.load_ns = members.optional_integers("load_ns");
  timings.forward_ns = members.optional_integers("forward_ns");
  timings.backward_ns = members.optional_integers("backward_ns");
  return timings;
}

Event read_epoch(Members& members) {
  return Epoch{members.integer("id"),
               members.integer("epoch", 1),
               members.number("loss"),
               members.optional_number("train_accuracy"),
               members.optional_number("test_accuracy"),
               members.optional_number("test_loss")};
}

Event read_batch(Members& members) {
  return Batch{.id = members.integer("id"),
               .epoch = members.integer("epoch", 1),
               .batch = members.integer("batch"),
               .count = members.integer("count", 1),
               .ids = members.optional_integers("ids"),
               .inputs_sha256 = members.text("inputs_sha256"),
               .labels_sha256 = members.text("labels_sha256")};
}

Event read_done(Members& members) {
  return Done{.id = members.integer("id"),
              .parameters = members.optional_integer("parameters"),
              .effective = members.optional_map("effective"),
              .steps = members.optional_integer("steps"),
              .samples = members.optional_integer("samples"),
              .accuracy = members.optional_number("accuracy"),
              .tensors = members.optional_path("tensors"),
              .loss = members.optional_number("loss"),
              .fused = members.optional_texts("fused"),
              .missing = members.optional_texts("missing")};
}

Event read_unsupported(Members& members) {
  return Unsupported{members.integer("id"), members.text("feature")};
}

Event read_failed(Members& members) {
  return Failed{
      members.integer("id"), members.word("code", kFailureCodes), members.text("message")};
}

constexpr std::array<MessageReader<Event>, 8> kEventReaders = {{{"hello", read_hello},
                                                                {"progress", read_progress},
                                                                {"timings", read_timings},
                                                                {"epoch", read_epoch},
                                                                {"batch", read_batch},
                                                                {"done", read_done},
                                                                {"unsupported", read_unsupported},
                                                                {"failed", read_failed}}};

}  // namespace

std::string encode(const Event& event) {
  return to_line(std::visit(EventJson{}, event));
}

Result<Event> decode_event(std::string_view line) {
  return decode<Event>(line, kEventReaders);
}

}  // namespace crossbind::protocol
