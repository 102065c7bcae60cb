#include <CLI/CLI.hpp>

#include <cstdio>

#include "cli/commands.h"
#include "cli/models_report.h"
#include "cli/resources.h"

namespace crossbind::cli {
namespace {

using model::Geometry;

Result<int> list(Geometry geometry, bool json) {
  CB_ASSIGN(const auto files, model::list_models(resource_folder("models")));
  std::vector<model::Model> models;
  for (const auto& file : files) {
    CB_ASSIGN(auto loaded, model::load_model(file, geometry));
    models.push_back(std::move(loaded));
  }
  std::fputs((json ? models_json(models) : models_table(models)).c_str(), stdout);
  return kSuccess;
}

Result<int> show(const std::string& name, Geometry geometry, bool json) {
  CB_ASSIGN(const auto found, model::find_model(name, resource_folder("models"), geometry));
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

Geometry geometry_of(const CLI::Option* conform) {
  return conform->count() > 0 ? Geometry::kConform : Geometry::kFull;
}

void add_show(CLI::App& models, Invocation& invocation) {
  CLI::App* command = models.add_subcommand("show", "The layers of one model");
  const CLI::Option* name =
      command->add_option("MODEL", "A ready model's id, or a file ending in .toml")->required();
  const CLI::Option* conform =
      command->add_flag("--conform")->description("At the conform geometry");
  const CLI::Option* json = command->add_flag("--json")->description("Print the canonical graph");
  command->footer("Example: crossbind models show lenet5");
  command->callback([=, &invocation] {
    invocation.action = [name = name->as<std::string>(),
                         geometry = geometry_of(conform),
                         as_json = json->count() > 0] { return show(name, geometry, as_json); };
  });
}

void add_check(CLI::App& models, Invocation& invocation) {
  CLI::App* command = models.add_subcommand("check", "Check a model file of your own");
  const CLI::Option* file = command->add_option("FILE", "The model file")->required();
  const CLI::Option* json = command->add_flag("--json")->description("Print JSON");
  command->footer(
      "Example: crossbind models check mine.toml\n"
      "Exit codes: 0 it is right, 1 it is wrong (with file, line and key), 2 wrong usage.");
  command->callback([=, &invocation] {
    invocation.action = [file = file->as<std::string>(), as_json = json->count() > 0] {
      return check(file, as_json);
    };
  });
}

}  // namespace

void add_models_command(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("models", "List, show and check models");
  const CLI::Option* conform =
      command->add_flag("--conform")->description("At the conform geometry");
  const CLI::Option* json = command->add_flag("--json")->description("Print JSON");
  command->require_subcommand(0, 1);
  command->footer(
      "Examples:\n"
      "  crossbind models\n"
      "  crossbind models show resnet20 --conform\n"
      "  crossbind models check mine.toml");
  add_show(*command, invocation);
  add_check(*command, invocation);
  command->callback([=, &invocation] {
    if (!command->get_subcommands().empty() && conform->count() + json->count() > 0) {
      throw CLI::ValidationError("models", "--json and --conform go behind 'show' or 'check'");
    }
    if (command->get_subcommands().empty()) {
      invocation.action = [geometry = geometry_of(conform), as_json = json->count() > 0] {
        return list(geometry, as_json);
      };
    }
  });
}

}  // namespace crossbind::cli
