// From what the parts found to what is said of a binding on a model. Pure.
#pragma once

#include <string>
#include <vector>

#include "conform/finding.h"
#include "converse/dialogue.h"

namespace crossbind::conform {

// A part that went no further: unsupported, or failed. An interruption is neither, and is called
// failed until the whole is thrown away.
[[nodiscard]] PartFinding settled(Part part, const converse::Setback& setback);

// Adds what a part found with another seed. What comes first stays first.
void merge(PartFinding& finding, PartFinding next);

// Outcome, ratio, divergence and reason from the parts and conventions that are there already.
void conclude(Verdict& verdict);

// "agrees within rounding", "agrees within rounding (outputs only)", "convention:
// adam.epsilon_form = hat", "diverges", "unsupported", "failed".
[[nodiscard]] std::string to_words(const Verdict& verdict);

}  // namespace crossbind::conform
