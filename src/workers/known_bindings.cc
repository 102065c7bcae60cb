#include "workers/known_bindings.h"

#include "base/file.h"
#include "config/table_reader.h"
#include "trial/binding_name.h"

namespace crossbind::workers {

Result<std::vector<KnownBinding>> load_known_bindings(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return std::vector<KnownBinding>{};
  }
  CB_ASSIGN(const std::string text, read_file(path));
  const config::Document document{.place = path.string()};
  CB_ASSIGN(const toml::table table, config::parse(text, document.place));
  config::TableReader reader(table, "", document);
  const toml::array* array = reader.array("bindings");
  CB_TRY(reader.finish());
  std::vector<KnownBinding> bindings;
  for (const toml::node& element : *array) {
    if (!element.is_table()) {
      reader.complain("bindings", "tables [[bindings]]");
      break;
    }
    config::TableReader entry(*element.as_table(), "[[bindings]]", document);
    KnownBinding binding = {.name = entry.text("name"), .missing = entry.text("missing")};
    if (!entry.failed() && !trial::BindingName(binding.name).is_whole()) {
      entry.complain("name", "FRAMEWORK/LANGUAGE");
    }
    if (std::ranges::find(bindings, binding.name, &KnownBinding::name) != bindings.end()) {
      return tl::unexpected(entry.error(fmt::format("'{}' is there twice", binding.name)));
    }
    CB_TRY(entry.finish());
    bindings.push_back(std::move(binding));
  }
  CB_TRY(reader.finish());
  return bindings;
}

}  // namespace crossbind::workers
