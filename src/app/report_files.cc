#include "app/report_files.h"

#include "app/figure_files.h"
#include "app/store_choice.h"
#include "base/file.h"
#include "report/badge.h"
#include "report/conformance.h"
#include "report/render.h"
#include "tasks/conform/json.h"

namespace crossbind::app {

Result<report::Report> gather_report(const store::StoreReader& store,
                                     const ReportSources& sources) {
  CB_ASSIGN(const auto study, study_named(sources.study, store));
  std::vector<tasks::Verdict> filed;
  if (!sources.conform.empty()) {
    CB_ASSIGN(const auto json, read_file(sources.conform));
    CB_ASSIGN(filed, tasks::read_verdicts(json, sources.conform.string()));
  }
  return report::gather(store, study, sources.claims, filed);
}

Status write_report(const report::Document& document,
                    const std::string& figures,
                    const std::filesystem::path& folder) {
  CB_TRY(make_folder(folder));
  if (!figures.empty()) {
    CB_TRY(write_figures(document, folder, figures));
  }
  CB_TRY(write_file(folder / "index.html", to_html(document, report::built_in_assets())));
  CB_TRY(write_file(folder / "report.md", to_markdown(document, figures)));
  CB_TRY(write_file(folder / "report.tex", to_latex(document, figures)));
  for (const auto& file : to_csv(document)) {
    CB_TRY(write_file(folder / file.name, file.text));
  }
  return {};
}

Status write_badge(const report::Report& report,
                   const std::string& binding,
                   const std::filesystem::path& folder) {
  CB_ASSIGN(const auto badge, report::badge_of(report, binding));
  const std::string name = report::badge_name(binding);
  CB_TRY(write_file(folder / (name + ".md"), badge.markdown));
  return write_file(folder / (name + ".svg"), badge.svg);
}

}  // namespace crossbind::app
