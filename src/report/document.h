// A report in sections: words, matrices, tables, figures and logs, whatever they are rendered to.
// No markup here, and no drawing: a figure names its kind and the rows it shows, web/plots.js draws
// it.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/table.h"
#include "base/named.h"
#include "report/report.h"

namespace crossbind::report {

struct Tile {
  std::string number;
  std::string what;
};

struct MatrixCell {
  std::string word;  // of the matrix's legend
  std::string why;   // the id of a Why; may be empty
};

struct Matrix {
  std::string name;
  std::string title;
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::vector<std::vector<MatrixCell>> cells;  // by row
};

// What stands behind a cell of a matrix.
struct Why {
  std::string id;
  std::string title;
  std::string word;
  std::vector<std::string> lines;
};

enum class FigureKind { kSpread, kRatio, kParts, kCurve, kHeat };

inline constexpr std::array kFigureKinds = {
    Named<FigureKind>{"spread", FigureKind::kSpread},
    Named<FigureKind>{"ratio", FigureKind::kRatio},
    Named<FigureKind>{"parts", FigureKind::kParts},
    Named<FigureKind>{"curve", FigureKind::kCurve},
    Named<FigureKind>{"heat", FigureKind::kHeat},
};

struct Figure {
  std::string id;  // of an element and of a file
  std::string title;
  FigureKind kind = FigureKind::kSpread;
  std::string unit;   // of the axis that has one
  std::string table;  // in the same section
  size_t first = 0;   // row
  size_t count = 0;
};

// `dots` has the samples behind each row, or is empty.
struct DataTable {
  analysis::Table table;
  std::vector<std::vector<double>> dots;
};

struct Log {
  std::string title;
  std::string note;
  std::string text;
};

struct Section {
  std::string id;
  std::string title;
  std::string short_title;  // for links
  std::vector<std::string> paragraphs;
  std::string missing;  // what is not measured; empty where something is
  std::string command;  // that measures it
  std::vector<Matrix> matrices;
  std::vector<Why> whys;
  std::vector<Figure> figures;
  std::vector<DataTable> tables;
  std::vector<Log> logs;
};

struct Document {
  std::string title;
  std::string subtitle;
  std::vector<std::string> summary;  // sentences
  std::vector<Tile> tiles;
  std::vector<std::string> bindings;
  std::vector<Section> sections;
};

[[nodiscard]] Document document_of(const Report& report);

// A matrix and the reasons for its cells as tables, for formats without links.
[[nodiscard]] analysis::Table table_of(const Matrix& matrix);
[[nodiscard]] analysis::Table table_of(const std::vector<Why>& whys);

// All tables of a section, matrices first.
[[nodiscard]] std::vector<analysis::Table> tables_in(const Section& section);

}  // namespace crossbind::report
