// What the gate found, for people and programs. Nothing is decided here.
#pragma once

#include <string>

#include "decide/gate.h"

namespace crossbind::decide {

// "1.23 (1.20 to 1.27)"
[[nodiscard]] std::string ratio_text(double ratio, const std::optional<stats::Interval>& interval);

// What speaks for the decision and against it, a sentence each, in the order of their weight.
struct Remark {
  bool is_error = false;  // else a warning
  std::string title;      // "slower", "missing"
  std::string text;
};
[[nodiscard]] std::vector<Remark> remarks_on(const Gate& gate);

// A cell for each of the table's columns: what, seconds before and now, ratio, p, n, pace.
[[nodiscard]] std::vector<std::string> row_of(const TreatmentTime& time);

// What is neither: "3 trials were done that had not been before"; in any number, a sentence each.
[[nodiscard]] std::vector<std::string> notes_on(const Gate& gate);

[[nodiscard]] std::string gate_json(const Gate& gate);
[[nodiscard]] std::string gate_markdown(const Gate& gate);
[[nodiscard]] std::string gate_annotations(const Gate& gate);

// The false-alarm rate in a sentence, and as JSON.
[[nodiscard]] std::string self_test_text(const SelfTest& test, const TimeLimits& limits);
[[nodiscard]] std::string self_test_json(const SelfTest& test, const TimeLimits& limits);

}  // namespace crossbind::decide
