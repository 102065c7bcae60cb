// Markdown, LaTeX and CSV.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/plain_text.h"
#include "report/render.h"

namespace crossbind::report {
namespace {

using analysis::latex_text;
using analysis::markdown_text;
using analysis::Table;

// Cells as every format can hold them.
Table plain(Table table) {
  table.title = plain_text(table.title);
  for (auto& column : table.columns) {
    column = plain_text(column);
  }
  for (auto& row : table.rows) {
    for (auto& value : row) {
      if (auto* text = std::get_if<std::string>(&value)) {
        *text = plain_text(*text);
      }
    }
  }
  return table;
}

// Four spaces make a line of code of anything.
std::string indented(const std::string& log) {
  std::string text = "    ";
  for (const char c : plain_text(log)) {
    text += c == '\n' ? "\n    " : std::string(1, c);
  }
  return text + "\n";
}

std::string markdown_section(const Section& section, const std::string& figures) {
  std::string text = fmt::format("\n## {}\n", markdown_text(section.title));
  for (const auto& paragraph : section.paragraphs) {
    text += fmt::format("\n{}\n", markdown_text(plain_text(paragraph)));
  }
  if (!section.missing.empty()) {
    text +=
        fmt::format("\n{} To measure it: `{}`.\n", markdown_text(section.missing), section.command);
  }
  if (!figures.empty()) {
    for (const auto& figure : section.figures) {
      text += fmt::format(
          "\n![{}](figures/{}.{})\n", markdown_text(plain_text(figure.title)), figure.id, figures);
    }
  }
  for (const auto& table : tables_in(section)) {
    const auto shown = plain(table);
    text += fmt::format("\n### {}\n\n{}", markdown_text(shown.title), to_markdown_rows(shown));
  }
  for (const auto& log : section.logs) {
    text += fmt::format("\n### {}\n\n{}\n\n{}",
                        markdown_text(plain_text(log.title)),
                        markdown_text(plain_text(log.note)),
                        indented(log.text));
  }
  return text;
}

std::string latex_log(const Log& log) {
  std::string text = fmt::format("\\subsection*{{{}}}\n{}\n\n{{\\small\\ttfamily\\raggedright\n",
                                 latex_text(plain_text(log.title)),
                                 latex_text(plain_text(log.note)));
  std::string line;
  for (const char c : plain_text(log.text) + "\n") {
    if (c == '\n') {
      text += fmt::format("\\mbox{{}}{}\\\\\n", latex_text(line));
      line.clear();
    } else {
      line += c;
    }
  }
  return text + "}\n";
}

std::string latex_section(const Section& section, const std::string& figures) {
  std::string text = fmt::format("\n\\section{{{}}}\n", latex_text(section.title));
  for (const auto& paragraph : section.paragraphs) {
    text += fmt::format("\n{}\n", latex_text(plain_text(paragraph)));
  }
  if (!section.missing.empty()) {
    text += fmt::format("\n{} To measure it: \\texttt{{{}}}.\n",
                        latex_text(section.missing),
                        latex_text(section.command));
  }
  if (figures == "png") {  // LaTeX takes no SVG
    for (const auto& figure : section.figures) {
      text += fmt::format(
          "\n\\begin{{figure}}\n\\includegraphics[width=\\linewidth,height=0.8\\textheight,"
          "keepaspectratio]{{figures/{}.png}}"
          "\n\\caption{{{}}}\n\\end{{figure}}\n",
          figure.id,
          latex_text(plain_text(figure.title)));
    }
  }
  for (const auto& table : tables_in(section)) {
    text += "\n" + to_long_latex(plain(table));
  }
  for (const auto& log : section.logs) {
    text += "\n" + latex_log(log);
  }
  return text;
}

}  // namespace

std::string to_markdown(const Document& document, const std::string& figures) {
  std::string text =
      fmt::format("# {}\n\n{}\n\n{}\n",
                  markdown_text(document.title),
                  markdown_text(plain_text(document.subtitle)),
                  markdown_text(plain_text(fmt::format("{}", fmt::join(document.summary, " ")))));
  for (const auto& section : document.sections) {
    text += markdown_section(section, figures);
  }
  return text;
}

std::string to_latex(const Document& document, const std::string& figures) {
  // Figures stay where they are: there are more than LaTeX keeps waiting.
  std::string text = fmt::format(
      "% Compile with lualatex: names and logs may have any character.\n"
      "\\documentclass{{article}}\n"
      "\\usepackage[a4paper,landscape,margin=1.5cm]{{geometry}}\n"
      "\\usepackage{{float}}\n\\usepackage{{graphicx}}\n\\usepackage{{longtable}}\n"
      "\\floatplacement{{figure}}{{H}}\n"
      "\\begin{{document}}\n\\footnotesize\n"
      "\\title{{{}}}\n\\author{{{}}}\n\\date{{}}\n\\maketitle\n\n{}\n",
      latex_text(document.title),
      latex_text(plain_text(document.subtitle)),
      latex_text(plain_text(fmt::format("{}", fmt::join(document.summary, " ")))));
  for (const auto& section : document.sections) {
    text += latex_section(section, figures);
  }
  return text + "\\end{document}\n";
}

std::vector<File> to_csv(const Document& document) {
  std::vector<File> files;
  for (const auto& section : document.sections) {
    for (const auto& table : tables_in(section)) {
      files.push_back({table.name + ".csv", analysis::to_csv(plain(table))});
    }
  }
  return files;
}

}  // namespace crossbind::report
