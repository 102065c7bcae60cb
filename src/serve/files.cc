#include <fmt/format.h>

#include "base/digest.h"
#include "report/assets.h"
#include "serve/assets.h"

namespace crossbind::serve {
namespace {

constexpr size_t kTagLength = 32;

File file(std::string path, std::string type, std::string_view bytes) {
  const std::string digest = sha256_hex(std::as_bytes(std::span(bytes)));
  return {
      std::move(path), std::move(type), bytes, fmt::format("\"{}\"", digest.substr(0, kTagLength))};
}

}  // namespace

std::vector<File> built_in_files() {
  const Assets own = built_in_assets();
  const report::Assets shared = report::built_in_assets();
  const std::string script = "text/javascript; charset=utf-8";
  const std::string style = "text/css; charset=utf-8";
  return {file("/", "text/html; charset=utf-8", own.page),
          file("/assets/dashboard.js", script, own.script),
          file("/assets/elements.js", script, own.elements),
          file("/assets/views.js", script, own.views),
          file("/assets/dashboard.css", style, own.style),
          file("/assets/icon.svg", "image/svg+xml", own.icon),
          file("/assets/report.css", style, shared.style),
          file("/assets/page.js", script, shared.page),
          file("/assets/plots.js", script, shared.plots),
          file("/assets/vega.js", script, shared.vega),
          file("/assets/vega-lite.js", script, shared.vega_lite),
          file("/assets/vega-embed.js", script, shared.vega_embed),
          file("/assets/licences.txt", "text/plain; charset=utf-8", shared.licences),
          file("/api/v1/openapi.json", "application/json", own.openapi)};
}

}  // namespace crossbind::serve
