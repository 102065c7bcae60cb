#include <functional>

#include "protocol/codec.h"
#include "protocol/json_line.h"
#include "protocol/members.h"

namespace crossbind::protocol {
namespace {

using trial::Settings;

Json settings_json(const Settings& settings) {
  return {{"device", settings.device},
          {"loader", name_in(trial::kLoaders, settings.loader)},
          {"variant", name_in(trial::kVariants, settings.variant)},
          {"measure", name_in(trial::kMeasures, settings.measure)},
          {"seed", settings.seed},
          {"epochs", settings.epochs},
          {"batch_size", settings.batch_size},
          {"training_accuracy", name_in(trial::kTrainingAccuracies, settings.training_accuracy)},
          {"evaluate", name_in(trial::kEvaluates, settings.evaluate)},
          {"warmup_steps", settings.warmup_steps},
          {"threads", settings.threads}};
}

Settings read_settings(Members& prepare) {
  Members members(prepare.object("settings"), "'prepare' message, 'settings'");
  Settings settings;
  settings.device = members.text("device");
  settings.loader = members.word("loader", trial::kLoaders);
  settings.variant = members.word("variant", trial::kVariants);
  settings.measure = members.word("measure", trial::kMeasures);
  settings.seed = static_cast<uint32_t>(members.integer("seed"));
  settings.epochs = members.integer("epochs", 1);
  settings.batch_size = members.integer("batch_size", 1);
  settings.training_accuracy = members.word("training_accuracy", trial::kTrainingAccuracies);
  settings.evaluate = members.word("evaluate", trial::kEvaluates);
  settings.warmup_steps = members.integer("warmup_steps");
  settings.threads = static_cast<int>(members.integer("threads", 1));
  prepare.adopt(members);
  return settings;
}

void set_path(Json& json, const char* key, const std::optional<std::filesystem::path>& path) {
  if (path) {
    json[key] = path->string();
  }
}

// What is not said is not so.
void set_if(Json& json, const char* key, bool is_so) {
  if (is_so) {
    json[key] = true;
  }
}

bool is_set(Members& members, const char* key) {
  return members.has(key) && members.boolean(key);
}

struct RequestJson {
  Json operator()(const Welcome& welcome) const {
    return {{"type", "welcome"}, {"protocol", welcome.protocol}, {"crossbind", welcome.crossbind}};
  }
  Json operator()(const Prepare& prepare) const {
    Json json = {{"type", "prepare"}, {"id", prepare.id}, {"graph", Json::parse(prepare.graph)}};
    set_path(json, "weights", prepare.weights);
    set_path(json, "serialized", prepare.serialized);
    if (prepare.format) {
      json["format"] = name_in(trial::kFormats, *prepare.format);
    }
    if (prepare.data) {
      json["data"] = {{"path", prepare.data->path.string()},
                      {"train_samples", prepare.data->train_samples},
                      {"test_samples", prepare.data->test_samples}};
    }
    set_path(json, "order", prepare.order);
    json["settings"] = settings_json(prepare.settings);
    json["scratch"] = prepare.scratch.string();
    return json;
  }
  Json operator()(const Train& train) const {
    Json json = {{"type", "train"}, {"id", train.id}};
    set_path(json, "save", train.save);
    json["evidence"] = train.evidence;
    return json;
  }
  Json operator()(const Infer& infer) const {
    Json json = {{"type", "infer"}, {"id", infer.id}};
    set_path(json, "outputs", infer.outputs);
    return json;
  }
  Json operator()(const Probe& probe) const {
    Json json = {{"type", "probe"},
                 {"id", probe.id},
                 {"mode", name_in(kProbeModes, probe.mode)},
                 {"step", probe.step},
                 {"batch", probe.batch.string()}};
    set_path(json, "state", probe.state);
    set_if(json, "dropout", probe.dropout);
    json["wanted"] = probe.wanted;
    json["directory"] = probe.directory.string();
    return json;
  }
  Json operator()(const Query& query) const {
    Json json = {{"type", "query"}, {"id", query.id}, {"batch", query.batch.string()}};
    set_if(json, "gradients", query.gradients);
    json["answer"] = query.answer.string();
    return json;
  }
  Json operator()(const Serialize& serialize) const {
    Json json = {{"type", "serialize"},
                 {"id", serialize.id},
                 {"path", serialize.path.string()},
                 {"format", name_in(trial::kFormats, serialize.format)},
                 {"precision", name_in(trial::kPrecisions, serialize.precision)}};
    set_path(json, "calibration", serialize.calibration);
    set_if(json, "training", serialize.training);
    set_if(json, "optimizer", serialize.optimizer);
    return json;
  }
  Json operator()(const Cancel& cancel) const { return {{"type", "cancel"}, {"id", cancel.id}}; }
  Json operator()(const Bye& bye) const {
    Json json = {{"type", "bye"}};
    if (!bye.reason.empty()) {
      json["reason"] = bye.reason;
    }
    return json;
  }
};

Request read_welcome(Members& members) {
  return Welcome{static_cast<int>(members.integer("protocol")), members.text("crossbind")};
}

Request read_prepare(Members& members) {
  Prepare prepare;
  prepare.id = members.integer("id");
  prepare.graph = members.object("graph").dump();
  prepare.weights = members.optional_path("weights");
  prepare.serialized = members.optional_path("serialized");
  if (members.has("format")) {
    prepare.format = members.word("format", trial::kFormats);
  }
  if (members.has("data")) {
    Members data(members.object("data"), "'prepare' message, 'data'");
    prepare.data =
        DataFile{data.path("path"), data.integer("train_samples"), data.integer("test_samples")};
    members.adopt(data);
  }
  prepare.order = members.optional_path("order");
  prepare.settings = read_settings(members);
  prepare.scratch = members.path("scratch");
  if (prepare.weights.has_value() == prepare.serialized.has_value()) {
    members.complain("weights", "either 'weights' or 'serialized'");
  }
  return prepare;
}

Request read_train(Members& members) {
  return Train{members.integer("id"),
               members.optional_path("save"),
               members.optional_integer("evidence", -1).value_or(0)};
}

Request read_infer(Members& members) {
  return Infer{members.integer("id"), members.optional_path("outputs")};
}

Request read_probe(Members& members) {
  Probe probe{.id = members.integer("id"),
              .mode = members.word("mode", kProbeModes),
              .dropout = is_set(members, "dropout"),
              .step = members.integer("step", 1),
              .batch = members.path("batch"),
              .state = members.optional_path("state"),
              .wanted = members.texts("wanted"),
              .directory = members.path("directory")};
  if (probe.mode == ProbeMode::kTrain && !probe.state) {
    members.complain("state", "a training step starts from a 'state'");
  }
  if (probe.mode == ProbeMode::kEval && probe.dropout) {
    members.complain("dropout", "only a training step has 'dropout'");
  }
  return probe;
}

Request read_query(Members& members) {
  return Query{.id = members.integer("id"),
               .batch = members.path("batch"),
               .gradients = is_set(members, "gradients"),
               .answer = members.path("answer")};
}

Request read_serialize(Members& members) {
  return Serialize{.id = members.integer("id"),
                   .path = members.path("path"),
                   .format = members.word("format", trial::kFormats),
                   .precision = members.word("precision", trial::kPrecisions),
                   .calibration = members.optional_path("calibration"),
                   .training = is_set(members, "training"),
                   .optimizer = is_set(members, "optimizer")};
}

Request read_cancel(Members& members) {
  return Cancel{members.integer("id")};
}
Request read_bye(Members& members) {
  return Bye{members.optional_text("reason")};
}

constexpr std::array<MessageReader<Request>, 9> kRequestReaders = {{{"welcome", read_welcome},
                                                                    {"prepare", read_prepare},
                                                                    {"train", read_train},
                                                                    {"infer", read_infer},
                                                                    {"probe", read_probe},
                                                                    {"query", read_query},
                                                                    {"serialize", read_serialize},
                                                                    {"cancel", read_cancel},
                                                                    {"bye", read_bye}}};

}  // namespace

std::string encode(const Request& request) {
  return to_line(std::visit(RequestJson{}, request));
}

Result<Request> decode_request(std::string_view line) {
  return decode<Request>(line, kRequestReaders);
}

Result<RequestId> decode_request_id(std::string_view line) {
  CB_ASSIGN(const Json json, parse_line(line));
  Members members(json, "message");
  static_cast<void>(members.text("type"));
  const RequestId id = members.integer("id");
  CB_TRY(members.finish());
  return id;
}

}  // namespace crossbind::protocol
