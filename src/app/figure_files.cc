#include "app/figure_files.h"

#include <system_error>

#include "app/resources.h"
#include "app/store_choice.h"
#include "base/file.h"
#include "process/command.h"
#include "report/render.h"
#include "workers/program_lookup.h"

namespace crossbind::app {

Status write_figures(const report::Document& document,
                     const std::filesystem::path& folder,
                     const std::string& format) {
  const auto web = web_folder();
  std::error_code ignored;
  if (!workers::is_on_path("node")) {
    return tl::unexpected(Error{ErrorKind::kUnavailable,
                                "figures are drawn by node, which is not in PATH",
                                {},
                                "Debian has it in the package nodejs. The page needs none."});
  }
  if (!std::filesystem::is_directory(web / "node_modules", ignored)) {
    return tl::unexpected(Error{ErrorKind::kUnavailable,
                                "what draws figures is not there",
                                (web / "node_modules").string(),
                                "`make build` installs it by npm."});
  }
  CB_ASSIGN(const auto scratch, TemporaryDirectory::create());
  const auto data = scratch.path() / "figures.json";
  CB_TRY(write_file(data, report::figures_json(document)));
  CB_ASSIGN(const auto outcome,
            process::run({.arguments = {"node",
                                        (web / "figures.js").string(),
                                        (web / "node_modules").string(),
                                        data.string(),
                                        (folder / "figures").string(),
                                        format},
                          .directory = {},
                          .environment = {},
                          .while_running = {}}));
  if (outcome.exit_code != 0) {
    return fail(ErrorKind::kIo, "node could not draw the figures:\n{}", outcome.error);
  }
  return {};
}

}  // namespace crossbind::app
