// What is built into the program for the dashboard, and all files that the server has: there are no
// others, on no disk.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace crossbind::serve {

struct Assets {
  std::string_view page;      // web/dashboard.html
  std::string_view elements;  // web/elements.js
  std::string_view views;     // web/views.js
  std::string_view script;    // web/dashboard.js
  std::string_view style;     // web/dashboard.css
  std::string_view icon;      // web/icon.svg
  std::string_view openapi;   // src/serve/openapi.json
};

[[nodiscard]] Assets built_in_assets();

struct File {
  std::string path;
  std::string type;
  std::string_view bytes;
  std::string tag;  // of its content, in quotes
};

// The files of the dashboard and those it shares with the report.
[[nodiscard]] std::vector<File> built_in_files();

}  // namespace crossbind::serve
