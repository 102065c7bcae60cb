#include "app/analysis_pages.h"

#include <algorithm>
#include <iterator>

#include "analysis/tables.h"
#include "app/store_choice.h"
#include "base/file.h"

namespace crossbind::app {
namespace {

Page page_of(const analysis::Table& table, PageFormat format) {
  switch (format) {
    case PageFormat::kJson:
      return {table.name + ".json", analysis::to_json({table})};
    case PageFormat::kMarkdown:
      return {table.name + ".md", to_markdown(table)};
    case PageFormat::kCsv:
      return {table.name + ".csv", to_csv(table)};
    case PageFormat::kLatex:
      break;
  }
  return {table.name + ".tex", to_latex(table)};
}

}  // namespace

std::vector<Page> pages_of(const analysis::Analysis& found, PageFormat format) {
  auto tables = analysis::finding_tables(found);
  if (format == PageFormat::kJson) {
    return {{"analysis.json", analysis::to_json(tables)}};
  }
  std::ranges::move(analysis::paper_tables(found), std::back_inserter(tables));
  std::vector<Page> pages;
  pages.reserve(tables.size());
  std::ranges::transform(tables, std::back_inserter(pages), [&](const analysis::Table& table) {
    return page_of(table, format);
  });
  return pages;
}

Status write_pages(const std::vector<Page>& pages, const std::filesystem::path& folder) {
  CB_TRY(make_folder(folder));
  for (const auto& page : pages) {
    CB_TRY(write_file(folder / page.name, page.text));
  }
  return {};
}

}  // namespace crossbind::app
