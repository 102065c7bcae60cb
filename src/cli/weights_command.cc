#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

#include "app/resources.h"
#include "base/digest.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/json_text.h"
#include "model/initial_weights.h"

namespace crossbind::cli {
namespace {

struct WeightsRequest {
  std::string model;
  uint32_t seed = 0;
  std::string output;
  bool conform = false;
  bool json = false;
};

Result<int> write_weights(const WeightsRequest& request) {
  using model::Geometry;
  CB_ASSIGN(const auto model,
            model::find_model(request.model,
                              app::resource_folder("models"),
                              request.conform ? Geometry::kConform : Geometry::kFull));
  const tensor::Metadata metadata = {{"model", model.id},
                                     {"seed", std::to_string(request.seed)},
                                     {"geometry", request.conform ? "conform" : "full"}};
  CB_TRY(model::save_initial_weights(request.output, model, request.seed, metadata));
  CB_ASSIGN(const std::string digest, sha256_file(request.output));
  std::string text;
  if (request.json) {
    const nlohmann::ordered_json json = {{"file", request.output},
                                         {"model", model.id},
                                         {"seed", request.seed},
                                         {"geometry", metadata.at("geometry")},
                                         {"tensors", model.parameters.size()},
                                         {"parameters", model.parameter_count()},
                                         {"sha256", digest}};
    text = json_text(json);
  } else {
    text = fmt::format("{}: {} {}, {} parameters, sha256 {}\n",
                       request.output,
                       model.parameters.size(),
                       plural(model.parameters.size(), "tensor", "tensors"),
                       with_thousands(model.parameter_count()),
                       digest);
  }
  std::fputs(text.c_str(), stdout);
  return kSuccess;
}

}  // namespace

void add_weights_command(Command& program) {
  const auto request = std::make_shared<WeightsRequest>();
  Command command = program.subcommand("weights", "Write a model's initial weights");
  command.option("--model", request->model, "A ready model's id, or a file ending in .toml")
      .required();
  command.option("--seed", request->seed, "The same seed gives the same bytes")
      .required()
      .between(0, UINT32_MAX);
  command.option("-o,--output", request->output, "The safetensors file to write").required();
  command.flag("--conform", request->conform, "At the conform geometry");
  command.flag("--json", request->json, "Print JSON");
  command.footer(
      "Example: crossbind weights --model lenet5 --seed 1 -o lenet5.safetensors\n"
      "Exit codes: 0 written, 1 failed (no file is left half-written), 2 wrong usage.");
  command.runs([request] { return write_weights(*request); });
}

}  // namespace crossbind::cli
