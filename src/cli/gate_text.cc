#include "cli/gate_text.h"

#include <fmt/format.h>

#include "cli/text_table.h"
#include "decide/gate_report.h"

namespace crossbind::cli {

std::string gate_text(const decide::Gate& gate) {
  std::string text;
  if (!gate.times.empty()) {
    TextTable times({{"TIME OF"},
                     {"BASELINE, S", Align::kRight},
                     {"CANDIDATE, S", Align::kRight},
                     {"RATIO (95 %)", Align::kRight},
                     {"NOISE", Align::kRight},
                     {"P, CORRECTED", Align::kRight},
                     {"N", Align::kRight},
                     {"VERDICT"}});
    for (const auto& time : gate.times) {
      times.add(row_of(time));
    }
    text += times.to_string() + "\n";
  }
  const auto remarks = remarks_on(gate);
  if (!remarks.empty()) {
    TextTable table({{""}, {"REMARK"}, {"ON"}});
    for (const auto& remark : remarks) {
      table.add({remark.is_error ? "ERROR" : "WARNING", remark.title, remark.text});
    }
    text += table.to_string() + "\n";
  }
  for (const auto& note : notes_on(gate)) {
    text += note + "\n";
  }
  return text + fmt::format("gate: {}\n", to_string(gate.decision));
}

}  // namespace crossbind::cli
