
#include <cstdio>
#include <memory>

#include "app/ready_models.h"
#include "app/resources.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/models_report.h"
#include "model/layers_page.h"

namespace crossbind::cli {
namespace {

using model::Geometry;

Result<int> list(Geometry geometry, bool json) {
  CB_ASSIGN(const auto models, app::ready_models(app::resource_folder("models"), geometry));
  std::fputs((json ? models_json(models) : models_table(models)).c_str(), stdout);
  return kSuccess;
}

Result<int> show(const std::string& name, Geometry geometry, bool json) {
  CB_ASSIGN(const auto found, model::find_model(name, app::resource_folder("models"), geometry));
  std::fputs((json ? model_json(found) : model_text(found)).c_str(), stdout);
  return kSuccess;
}

Result<int> check(const std::string& file, bool json) {
  const ModelCheck checked = {
      file, model::load_model(file, Geometry::kFull), model::load_model(file, Geometry::kConform)};
  const Error* error = checked.error();
  if (json) {
    std::fputs(check_json(checked).c_str(), stdout);
    return error == nullptr ? kSuccess : kFailure;
  }
  if (error != nullptr) {
    return tl::unexpected(*error);
  }
  std::fputs(check_text(checked).c_str(), stdout);
  return kSuccess;
}

struct ModelOptions {
  std::string model;  // an id, or a file
  bool conform = false;
  bool json = false;

  [[nodiscard]] Geometry geometry() const { return conform ? Geometry::kConform : Geometry::kFull; }
};

void add_show(Command& models) {
  const auto options = std::make_shared<ModelOptions>();
  Command command = models.subcommand("show", "The layers of one model");
  command.option("MODEL", options->model, "A ready model's id, or a file ending in .toml")
      .required();
  command.flag("--conform", options->conform, "At the conform geometry");
  command.flag("--json", options->json, "Print the canonical graph");
  command.footer(
      "Example: crossbind models show lenet5\n"
      "Exit codes: 0 shown, 1 there is no such model or it is wrong, 2 wrong usage.");
  command.runs([options] { return show(options->model, options->geometry(), options->json); });
}

void add_check(Command& models) {
  const auto options = std::make_shared<ModelOptions>();
  Command command = models.subcommand("check", "Check a model file of your own");
  command.option("FILE", options->model, "The model file").required();
  command.flag("--json", options->json, "Print JSON");
  command.footer(
      "Example: crossbind models check mine.toml\n"
      "Exit codes: 0 it is right, 1 it is wrong (with file, line and key), 2 wrong usage.");
  command.runs([options] { return check(options->model, options->json); });
}

void add_layers(Command& models) {
  Command command =
      models.subcommand("layers", "What every layer, loss and optimizer computes, in Markdown");
  command.footer(
      "Example: crossbind models layers\n"
      "Exit codes: 0 written, 2 wrong usage.");
  command.runs([]() -> Result<int> {
    std::fputs(model::layers_page().c_str(), stdout);
    return kSuccess;
  });
}

}  // namespace

void add_models_command(Command& program) {
  const auto options = std::make_shared<ModelOptions>();
  Command command = program.subcommand("models", "List, show and check models");
  command.flag("--conform", options->conform, "At the conform geometry");
  command.flag("--json", options->json, "Print JSON");
  command.footer(
      "Examples:\n"
      "  crossbind models\n"
      "  crossbind models show resnet20 --conform\n"
      "  crossbind models check mine.toml\n"
      "  crossbind models layers\n"
      "Exit codes: 0 done, 1 failed, 2 wrong usage.");
  add_show(command);
  add_check(command);
  add_layers(command);
  command.runs([options] { return list(options->geometry(), options->json); },
               [options, command] {
                 return command.is_followed_by_subcommand() && (options->conform || options->json)
                            ? "--json and --conform go behind 'show' or 'check'"
                            : "";
               });
}

}  // namespace crossbind::cli
