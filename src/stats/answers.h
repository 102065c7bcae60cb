// How good answers to questions are, as the evaluation of SQuAD v1.1 has it: Rajpurkar, Zhang,
// Lopyrev and Liang, "SQuAD: 100,000+ questions for machine comprehension of text" (EMNLP
// 2016), 6.1. Before comparison text is made lower case, loses ASCII punctuation and the words a,
// an and the, and its white space becomes single spaces. Text is UTF-8; what is not counts as
// U+FFFD. Nothing asks yet: it is for scores of saved outputs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace crossbind::stats {

// Lower case is made of Latin, Greek and Cyrillic letters.
[[nodiscard]] std::string normalised_answer(std::string_view text);

// 1 where the prediction equals one of the right answers, else 0. At least one answer is right.
[[nodiscard]] Result<double> exact_match(std::string_view prediction,
                                         std::span<const std::string> right);

// The harmonic mean of precision and recall of the words, repeated words counted, for the right
// answer where it is largest. 0 where no word is shared, even when both have none, as in SQuAD's
// own evaluation.
[[nodiscard]] Result<double> answer_f1(std::string_view prediction,
                                       std::span<const std::string> right);

}  // namespace crossbind::stats
