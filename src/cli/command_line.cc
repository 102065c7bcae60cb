#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/text.h"

namespace crossbind::cli {
namespace {

// "Did you mean 'models' instead of 'modles'?", or "" when nothing is near.
std::string suggestion(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* level = &app;
  for (const auto& argument : arguments) {
    std::vector<std::string> names;
    const CLI::App* next = nullptr;
    for (const CLI::App* child : level->get_subcommands(nullptr)) {
      names.push_back(child->get_name());
      next = child->get_name() == argument ? child : next;
    }
    if (next == nullptr) {
      const std::string near = nearest(argument, names);
      return near.empty() ? ""
                          : fmt::format("Did you mean '{}' instead of '{}'?\n", near, argument);
    }
    level = next;
  }
  return "";
}

// "worker check".
std::string path_of(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  const bool is_first = parent == nullptr || parent->get_parent() == nullptr;
  return is_first ? app.get_name() : path_of(*parent) + " " + app.get_name();
}

}  // namespace

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::shows_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& values) {
  option_->check(CLI::IsMember(values));
  return *this;
}

Option& Option::between(int64_t low, int64_t high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Option& Option::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

Command Command::subcommand(const std::string& name, const std::string& description) {
  return {app_->add_subcommand(name, description), chosen_};
}

void Command::needs_subcommand() {
  app_->require_subcommand(1);
}

Command Command::exactly_one_of(const std::string& title, const std::string& description) {
  CLI::App* group = app_->add_option_group(title, description);
  group->require_option(1);
  return {group, chosen_};
}

template <typename T>
Option Command::option(const std::string& names, T& into, const std::string& description) {
  return Option(app_->add_option(names, into, description));
}

template Option Command::option(const std::string&, std::string&, const std::string&);
template Option Command::option(const std::string&, std::filesystem::path&, const std::string&);
template Option Command::option(const std::string&, int&, const std::string&);
template Option Command::option(const std::string&, int64_t&, const std::string&);
template Option Command::option(const std::string&, uint32_t&, const std::string&);
template Option Command::option(const std::string&, uint64_t&, const std::string&);
template Option Command::option(const std::string&, double&, const std::string&);
template Option Command::option(const std::string&, std::optional<int64_t>&, const std::string&);
template Option Command::option(const std::string&, std::vector<std::string>&, const std::string&);

void Command::flag(const std::string& name, bool& into, const std::string& description) {
  app_->add_flag(name, into, description);
}

void Command::footer(const std::string& text) {
  app_->footer(text);
}

void Command::runs(Action action, std::function<std::string()> refusal) {
  app_->final_callback(
      [app = app_, chosen = chosen_, action = std::move(action), refusal = std::move(refusal)] {
        if (const std::string reason = refusal ? refusal() : ""; !reason.empty()) {
          throw CLI::ValidationError(path_of(*app), reason);
        }
        if (app->get_subcommands().empty()) {
          chosen->action = action;
        }
      });
}

bool Command::is_followed_by_subcommand() const {
  return !app_->get_subcommands().empty();
}

CommandLine::CommandLine(const std::string& name,
                         const std::string& description,
                         const std::string& version)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->set_version_flag("--version", name + " " + version);
}

CommandLine::~CommandLine() = default;

CommandLine::Parsed CommandLine::parse(int argc, char** argv) {
  char** const end = argv + argc;
  char** const dashes =
      std::find_if(argv, end, [](const char* word) { return std::string_view(word) == "--"; });
  if (dashes != end) {
    chosen_.after_dashes.assign(dashes + 1, end);
  }
  try {
    app_->parse(static_cast<int>(dashes - argv), argv);  // an option of many words would eat "--"
  } catch (const CLI::ParseError& error) {
    if (app_->exit(error) == 0) {
      return {{}, kSuccess};
    }
    std::fputs(suggestion(*app_, {argv + 1, argv + argc}).c_str(), stderr);
    return {{}, kWrongUsage};
  }
  return {chosen_.action, kWrongUsage};
}

}  // namespace crossbind::cli
