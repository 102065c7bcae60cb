#include "data/manifest.h"

#include <nlohmann/json.hpp>

#include "base/file.h"

namespace crossbind::data {

using OrderedJson = nlohmann::ordered_json;

Status write_manifest(const Manifest& manifest, const std::filesystem::path& path) {
  const OrderedJson json = {{"format", manifest.format},
                            {"name", manifest.name},
                            {"source_sha256", manifest.source},
                            {"sha256", manifest.sha256},
                            {"size", manifest.size}};
  return write_file(path, json.dump(2) + "\n");
}

Result<Manifest> read_manifest(const std::filesystem::path& path) {
  CB_ASSIGN(const std::string text, read_file(path));
  try {
    const OrderedJson json = OrderedJson::parse(text);
    Manifest manifest;
    json.at("format").get_to(manifest.format);
    json.at("name").get_to(manifest.name);
    json.at("source_sha256").get_to(manifest.source);
    json.at("sha256").get_to(manifest.sha256);
    json.at("size").get_to(manifest.size);
    return manifest;
  } catch (const OrderedJson::exception& error) {
    return tl::unexpected(Error{
        ErrorKind::kCorrupt, fmt::format("bad manifest: {}", error.what()), path.string(), {}});
  }
}

}  // namespace crossbind::data
