#include "workers/manifest.h"

#include <fmt/format.h>

#include "base/file.h"
#include "config/table_reader.h"
#include "trial/capabilities_reader.h"
#include "workers/placeholders.h"

namespace crossbind::workers {
namespace {

Result<std::map<std::string, std::string>> read_environment(const toml::table& table,
                                                            const config::Document& document) {
  config::TableReader reader(table, "'environment'", document);
  std::map<std::string, std::string> variables;
  for (const auto& [key, unused] : table) {
    variables.emplace(key.str(), reader.text(key.str()));
  }
  CB_TRY(reader.finish());
  return variables;
}

Result<std::vector<Need>> read_needs(config::TableReader& setup, const config::Document& document) {
  std::vector<Need> needs;
  const toml::array* array = setup.has("needs") ? setup.array("needs") : nullptr;
  if (array == nullptr) {
    return needs;
  }
  for (const toml::node& element : *array) {
    if (!element.is_table()) {
      setup.complain("needs", "an array of tables { program, package }");
      break;
    }
    config::TableReader reader(*element.as_table(), "'needs'", document);
    needs.push_back({.program = reader.text("program"), .package = reader.text("package")});
    if (needs.back().program.find('/') != std::string::npos) {
      reader.complain("program", "a name to be looked up in PATH");
    }
    CB_TRY(reader.finish());
  }
  return needs;
}

Status read_setup(const toml::table& table, const config::Document& document, Manifest& manifest) {
  config::TableReader reader(table, "[setup]", document);
  if (reader.has("command")) {
    manifest.setup = reader.strings("command", 1);
  }
  CB_ASSIGN(manifest.needs, read_needs(reader, document));
  if (reader.has("shares")) {
    manifest.shares = reader.strings("shares", 0);
    if (!std::ranges::all_of(manifest.shares, config::is_name)) {
      reader.complain("shares", "names of folders in workers/shared");
    }
  }
  return reader.finish();
}

// What the placeholders of a manifest may be, with nothing behind them yet.
Placeholders names_of(const Manifest& manifest) {
  Placeholders names = {{"folder", ""}, {"programs", ""}};
  if (!manifest.setup.empty()) {
    names.emplace("home", "");
  }
  for (const auto& share : manifest.shares) {
    names.emplace("shared:" + share, "");
  }
  return names;
}

// The texts that may have placeholders.
std::vector<const toml::value<std::string>*> texts_of(const toml::table& table) {
  std::vector<const toml::value<std::string>*> texts;
  const auto add_all = [&](const toml::array* array) {
    for (size_t i = 0; array != nullptr && i < array->size(); ++i) {
      texts.push_back(array->get(i)->as_string());
    }
  };
  add_all(table["start"].as_array());
  add_all(table["setup"]["command"].as_array());
  if (const toml::table* environment = table["environment"].as_table()) {
    for (const auto& [key, value] : *environment) {
      texts.push_back(value.as_string());
    }
  }
  return texts;
}

Status check_placeholders(const toml::table& table,
                          const config::Document& document,
                          const Manifest& manifest) {
  const Placeholders names = names_of(manifest);
  for (const auto* text : texts_of(table)) {
    if (auto expanded = expand(text->get(), names); !expanded) {
      return tl::unexpected(std::move(expanded).error().at(config::place_of(document, *text)));
    }
  }
  return {};
}

Status check_folder(const toml::table& table,
                    const config::Document& document,
                    const Manifest& manifest) {
  const std::string folder = manifest.folder.filename().string();
  if (manifest.folder_name() == folder) {
    return {};
  }
  return tl::unexpected(Error{ErrorKind::kInvalid,
                              fmt::format("{} belongs into a folder '{}', not '{}'",
                                          manifest.binding(),
                                          manifest.folder_name(),
                                          folder),
                              config::place_of(document, *table.get("framework")),
                              "The folder is named after framework and language."});
}

}  // namespace

Result<Manifest> load_manifest(const std::filesystem::path& path) {
  CB_ASSIGN(const std::string text, read_file(path));
  const config::Document document{.place = path.string()};
  CB_ASSIGN(const toml::table table, config::parse(text, document.place));
  config::TableReader reader(table, "", document);
  Manifest manifest;
  manifest.folder = path.parent_path();
  manifest.framework = reader.name("framework");
  manifest.language = reader.name("language");
  manifest.title = reader.text("title");
  manifest.start = reader.strings("start", 1);
  const toml::table* environment =
      reader.has("environment") ? reader.table("environment") : nullptr;
  if (reader.has("sources")) {
    manifest.sources = reader.strings("sources", 0);
  }
  const toml::table* setup = reader.has("setup") ? reader.table("setup") : nullptr;
  const toml::table* capabilities = reader.table("capabilities");
  CB_TRY(reader.finish());
  if (environment != nullptr) {
    CB_ASSIGN(manifest.environment, read_environment(*environment, document));
  }
  if (setup != nullptr) {
    CB_TRY(read_setup(*setup, document, manifest));
  }
  CB_ASSIGN(manifest.capabilities, trial::read_capabilities(*capabilities, document));
  CB_TRY(check_placeholders(table, document, manifest));
  CB_TRY(check_folder(table, document, manifest));
  return manifest;
}

}  // namespace crossbind::workers
