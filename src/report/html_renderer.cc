#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "report/plain_text.h"
#include "report/render.h"

namespace crossbind::report {
namespace {

using analysis::Table;
using OrderedJson = nlohmann::ordered_json;

constexpr size_t kMostRows = 1000;  // of a table in the page; CSV has all
constexpr double kDigits = 1e5;

// A sign for each word, so that no cell is told by its colour alone.
struct Sign {
  std::string_view word;
  std::string_view name;  // of a style
  std::string_view sign;
};
constexpr std::array<Sign, 8> kSigns = {{{"agrees", "agrees", "\u25CF"},
                                         {"rounding", "rounding", "\u2248"},
                                         {"convention", "convention", "\u25C6"},
                                         {"diverges", "diverges", "\u2716"},
                                         {"failed", "failed", "\u25B2"},
                                         {"unsupported", "unsupported", "\u2013"},
                                         {"reproduced", "agrees", "\u25CF"},
                                         {"not measured", "unmeasured", "?"}}};

const Sign& sign_of(std::string_view word) {
  const auto* found = std::ranges::find(kSigns, word, &Sign::word);
  return found == kSigns.end() ? kSigns.back() : *found;
}

// Five digits are more than a plot can show.
double for_plots(double value) {
  if (value == 0 || !std::isfinite(value)) {
    return value;
  }
  const double scale = std::pow(10, std::floor(std::log10(std::abs(value)))) / kDigits;
  return std::round(value / scale) * scale;
}

OrderedJson json_of(const analysis::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    return plain_text(*text);
  }
  return std::visit(
      [](const auto& other) {
        using T = std::decay_t<decltype(other)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return OrderedJson();
        } else {
          return OrderedJson(other);
        }
      },
      value);
}

OrderedJson table_json(const DataTable& data) {
  OrderedJson json = {{"columns", data.table.columns}, {"rows", OrderedJson::array()}};
  for (const auto& row : data.table.rows) {
    OrderedJson& cells = json["rows"].emplace_back(OrderedJson::array());
    for (const auto& value : row) {
      cells.push_back(json_of(value));
    }
  }
  if (!data.dots.empty()) {
    for (const auto& dots : data.dots) {
      OrderedJson& values = json["dots"].emplace_back(OrderedJson::array());
      for (const double value : dots) {
        // The shortest text that is this number.
        values.push_back(std::stod(fmt::format("{:.5g}", for_plots(value))));
      }
    }
  }
  return json;
}

std::string csv_link(const std::string& table) {
  return fmt::format("<a class=\"csv\" href=\"{0}.csv\" download=\"{0}.csv\">CSV</a>", table);
}

std::string cell_html(const analysis::Value& value) {
  if (analysis::is_number(value)) {
    const double number = std::holds_alternative<double>(value)
                              ? std::get<double>(value)
                              : static_cast<double>(std::get<int64_t>(value));
    return fmt::format(
        "<td class=\"n\" data-v=\"{}\">{}</td>", number, html_text(analysis::rounded_text(value)));
  }
  return fmt::format("<td>{}</td>", html_text(analysis::rounded_text(value)));
}

std::string table_html(const Table& table, bool is_open) {
  std::string html = fmt::format(
      "<details class=\"data\"{}><summary>{}, {} {}</summary>\n"
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">"
      "<table class=\"sortable\" id=\"table-{}\"><caption>{} {}</caption>\n<thead><tr>",
      is_open ? " open" : "",
      html_text(table.title),
      table.rows.size(),
      plural(table.rows.size(), "row", "rows"),
      html_text(table.title),
      table.name,
      html_text(table.title),
      csv_link(table.name));
  for (const auto& column : table.columns) {
    html += fmt::format("<th scope=\"col\">{}</th>", html_text(column));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (size_t i = 0; i < std::min(kMostRows, table.rows.size()); ++i) {
    html += "<tr>";
    for (const auto& value : table.rows[i]) {
      html += cell_html(value);
    }
    html += "</tr>\n";
  }
  html += "</tbody></table></div>\n";
  if (table.rows.size() > kMostRows) {
    html += fmt::format(
        "<p class=\"cut\">The first {} of {} rows; {}.csv beside this page has all.</p>\n",
        kMostRows,
        table.rows.size(),
        table.name);
  }
  return html + "</details>\n";
}

std::string matrix_html(const Matrix& matrix) {
  std::string html = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">"
      "<table class=\"matrix sortable\" id=\"table-{1}\"><caption>{0} {2}</caption>\n"
      "<thead><tr><th scope=\"col\">binding</th>",
      html_text(matrix.title),
      matrix.name,
      csv_link(matrix.name));
  for (const auto& column : matrix.columns) {
    html += fmt::format("<th scope=\"col\">{}</th>", html_text(column));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (size_t i = 0; i < matrix.rows.size(); ++i) {
    html += fmt::format("<tr><th scope=\"row\">{}</th>", html_text(matrix.rows[i]));
    for (const auto& cell : matrix.cells[i]) {
      const Sign& sign = sign_of(cell.word);
      const std::string word = fmt::format(
          "<span class=\"sign\" aria-hidden=\"true\">{}</span> {}", sign.sign, cell.word);
      html +=
          cell.why.empty()
              ? fmt::format("<td class=\"v {}\">{}</td>", sign.name, word)
              : fmt::format(
                    "<td class=\"v {}\"><a href=\"#{}\">{}</a></td>", sign.name, cell.why, word);
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string whys_html(const std::vector<Why>& whys) {
  std::string html;
  for (const auto& why : whys) {
    const Sign& sign = sign_of(why.word);
    html += fmt::format(
        "<article class=\"why\" id=\"{}\" tabindex=\"-1\"><h3>{}: <span class=\"v {}\">"
        "<span class=\"sign\" aria-hidden=\"true\">{}</span> {}</span></h3>\n<ul>\n",
        why.id,
        html_text(why.title),
        sign.name,
        sign.sign,
        why.word);
    for (const auto& line : why.lines) {
      html += fmt::format("<li>{}</li>\n", html_text(line));
    }
    html += "</ul>\n<p><a class=\"back\" href=\"#matrix\">Back to the matrix</a></p></article>\n";
  }
  return html;
}

std::string figures_html(const Section& section) {
  if (section.figures.empty()) {
    return {};
  }
  std::string html = "<div class=\"figures\">\n";
  for (const auto& figure : section.figures) {
    html += fmt::format(
        "<figure id=\"{0}\" data-kind=\"{2}\"><figcaption>{1}</figcaption>"
        "<div class=\"plot\" role=\"img\" aria-label=\"{1}\"></div>"
        "<p class=\"links\"><a href=\"#table-{3}\">Table</a></p></figure>\n",
        figure.id,
        html_text(figure.title),
        name_in(kFigureKinds, figure.kind),
        figure.table);
  }
  return html + "</div>\n<noscript><p>Plots need JavaScript; the tables do not.</p></noscript>\n";
}

std::string logs_html(const std::vector<Log>& logs) {
  std::string html;
  for (const auto& log : logs) {
    html += fmt::format(
        "<details class=\"log\"><summary>{}</summary><p>{}</p><pre tabindex=\"0\">{}</pre>"
        "</details>\n",
        html_text(log.title),
        html_text(log.note),
        html_text(log.text));
  }
  return html;
}

std::string section_html(const Section& section) {
  std::string html =
      fmt::format("<section id=\"{}\" aria-labelledby=\"h-{}\">\n<h2 id=\"h-{}\">{}</h2>\n",
                  section.id,
                  section.id,
                  section.id,
                  html_text(section.title));
  for (const auto& paragraph : section.paragraphs) {
    html += fmt::format("<p>{}</p>\n", html_text(paragraph));
  }
  if (!section.missing.empty()) {
    html += fmt::format("<p class=\"missing\">{} To measure it: <code>{}</code></p>\n",
                        html_text(section.missing),
                        html_text(section.command));
  }
  for (const auto& matrix : section.matrices) {
    html += matrix_html(matrix);
  }
  html += whys_html(section.whys) + figures_html(section);
  for (const auto& data : section.tables) {
    html += table_html(data.table, section.figures.empty() && section.matrices.empty());
  }
  return html + logs_html(section.logs) + "</section>\n";
}

std::string header_html(const Document& document) {
  std::string html = fmt::format("<header id=\"top\">\n<h1>{}</h1>\n<p class=\"subtitle\">{}</p>\n",
                                 html_text(document.title),
                                 html_text(document.subtitle));
  html +=
      "<div class=\"controls\"><label>Filter <input id=\"filter\" type=\"search\" "
      "placeholder=\"rust lenet5\" autocomplete=\"off\"></label> "
      "<button type=\"button\" id=\"theme\" aria-pressed=\"false\">Dark</button>"
      "<span id=\"filtered\" role=\"status\"></span></div>\n";
  return html + summary_html(document) + "</header>\n" + links_html(document);
}

// Inside a script element nothing may look like markup.
std::string for_script(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    escaped += c == '<' ? "\\u003c" : std::string(1, c);
  }
  return escaped;
}

}  // namespace

std::string figures_json(const Document& document) {
  OrderedJson json = {{"bindings", document.bindings},
                      {"figures", OrderedJson::array()},
                      {"tables", OrderedJson::object()}};
  for (const auto& section : document.sections) {
    for (const auto& figure : section.figures) {
      json["figures"].push_back({{"id", figure.id},
                                 {"title", plain_text(figure.title)},
                                 {"kind", name_in(kFigureKinds, figure.kind)},
                                 {"unit", figure.unit},
                                 {"table", figure.table},
                                 {"first", figure.first},
                                 {"count", figure.count}});
    }
    if (!section.figures.empty()) {
      for (const auto& data : section.tables) {
        json["tables"][data.table.name] = table_json(data);
      }
    }
  }
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string summary_html(const Document& document) {
  std::string html = "<ul class=\"tiles\">\n";
  for (const auto& tile : document.tiles) {
    html += fmt::format("<li><b>{}</b> {}</li>\n", html_text(tile.number), html_text(tile.what));
  }
  html += "</ul>\n<p class=\"verdict\">";
  for (const auto& sentence : document.summary) {
    html += fmt::format("<span>{}</span>\n", html_text(sentence));
  }
  html += "</p>\n";
  return html;
}

std::string links_html(const Document& document) {
  std::string html = "<nav aria-label=\"Sections\"><ul>\n";
  for (const auto& section : document.sections) {
    html += fmt::format(
        "<li><a href=\"#{}\">{}</a></li>\n", section.id, html_text(section.short_title));
  }
  return html + "</ul></nav>\n";
}

std::string sections_html(const Document& document) {
  std::string html;
  for (const auto& section : document.sections) {
    html += section_html(section);
  }
  return html;
}

std::string to_html(const Document& document, const Assets& assets) {
  std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  // Whatever stands in the page, it loads nothing.
  html +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action "
      "'none'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n";
  html += fmt::format("<title>{}: {}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
                      html_text(document.title),
                      html_text(document.subtitle),
                      assets.style);
  html += header_html(document) + "<main>\n" + sections_html(document) + "</main>\n";
  html += fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n",
                      for_script(figures_json(document)));
  html += fmt::format("<script type=\"text/plain\" id=\"licences\">{}</script>\n",
                      for_script(assets.licences));
  for (const auto script : {assets.vega,
                            assets.vega_lite,
                            assets.vega_embed,
                            assets.plots,
                            assets.page,
                            assets.report}) {
    html += fmt::format("<script>{}</script>\n", script);
  }
  return html + "</body>\n</html>\n";
}

}  // namespace crossbind::report
