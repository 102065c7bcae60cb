// A document as files. The same document gives the same bytes; names and logs come out as text,
// whatever characters they have.
#pragma once

#include <string>
#include <vector>

#include "report/assets.h"
#include "report/document.h"

namespace crossbind::report {

struct File {
  std::string name;
  std::string text;
};

// The figures and their tables as JSON, which web/plots.js draws from.
[[nodiscard]] std::string figures_json(const Document& document);

// Parts of a page, which the dashboard shows in one of its own: the numbers and the summary, links
// to the sections, and these.
[[nodiscard]] std::string summary_html(const Document& document);
[[nodiscard]] std::string links_html(const Document& document);
[[nodiscard]] std::string sections_html(const Document& document);

// One page that needs nothing beside itself.
[[nodiscard]] std::string to_html(const Document& document, const Assets& assets);

// `figures` is the ending of figure files beside it ("svg"); empty where there are none.
[[nodiscard]] std::string to_markdown(const Document& document, const std::string& figures);
[[nodiscard]] std::string to_latex(const Document& document, const std::string& figures);

// A file for every table.
[[nodiscard]] std::vector<File> to_csv(const Document& document);

}  // namespace crossbind::report
