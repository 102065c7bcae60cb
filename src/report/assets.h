// What is built into the program for pages: scripts and style of web/, and Vega.
#pragma once

#include <string_view>

namespace crossbind::report {

struct Assets {
  std::string_view vega;
  std::string_view vega_lite;
  std::string_view vega_embed;
  std::string_view licences;  // of these three
  std::string_view plots;     // web/plots.js
  std::string_view page;      // web/page.js
  std::string_view report;    // web/report.js
  std::string_view style;     // web/report.css
};

[[nodiscard]] Assets built_in_assets();

}  // namespace crossbind::report
