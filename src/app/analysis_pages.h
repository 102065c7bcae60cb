// An analysis as pages of text: one a table, or one of all findings.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "base/error.h"
#include "base/named.h"

namespace crossbind::app {

enum class PageFormat { kJson, kMarkdown, kCsv, kLatex };

inline constexpr std::array kPageFormats = {
    Named<PageFormat>{"json", PageFormat::kJson},
    Named<PageFormat>{"md", PageFormat::kMarkdown},
    Named<PageFormat>{"csv", PageFormat::kCsv},
    Named<PageFormat>{"latex", PageFormat::kLatex},
};

struct Page {
  std::string name;  // of the file
  std::string text;
};

// JSON has the findings; the other formats have the bindings paper's tables and figures too.
[[nodiscard]] std::vector<Page> pages_of(const analysis::Analysis& found, PageFormat format);

// Makes the folder.
[[nodiscard]] Status write_pages(const std::vector<Page>& pages,
                                 const std::filesystem::path& folder);

}  // namespace crossbind::app
