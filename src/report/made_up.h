// A store with something for every section of a report, for tests: two frameworks, two models, five
// seeds; one binding that diverges, one that fails, one that supports nothing.
#pragma once

#include "base/error.h"
#include "store/result_store.h"

namespace crossbind::report {

// A name that is markup in HTML, LaTeX and Markdown and a formula in a spreadsheet.
inline constexpr const char* kHostileName = "=1+1|<b>x</b>&_%$#{}\\^~`*\"'";

// What a worker printed that would end elements and environments.
inline constexpr const char* kHostileLog =
    "</pre></details><script>alert(1)</script>\n\\end{document}\n```\n\x1b[31mred\x1b[0m \xff\n";

[[nodiscard]] Status make_up(store::ResultStore& store);

}  // namespace crossbind::report
