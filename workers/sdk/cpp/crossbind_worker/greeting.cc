#include "crossbind_worker/greeting.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/file.h"
#include "config/table_reader.h"
#include "trial/capabilities_reader.h"

namespace crossbind::worker {

Result<protocol::Hello> hello_from_manifest(const std::filesystem::path& path,
                                            protocol::Texts versions) {
  CB_ASSIGN(const std::string text, read_file(path));
  const config::Document document{.place = path.string()};
  CB_ASSIGN(const toml::table manifest, config::parse(text, document.place));
  const toml::table* capabilities = manifest["capabilities"].as_table();
  if (capabilities == nullptr) {
    return fail(ErrorKind::kCorrupt, "{}: has no [capabilities]", path.string());
  }
  protocol::Hello hello;
  hello.binding =
      fmt::format("{}/{}", manifest["framework"].value_or(""), manifest["language"].value_or(""));
  hello.versions = std::move(versions);
  CB_ASSIGN(hello.capabilities, trial::read_capabilities(*capabilities, document));
  return hello;
}

}  // namespace crossbind::worker
