// The sentences of a recommendation, made of its numbers.
#pragma once

#include <string>
#include <string_view>

#include "decide/recommend.h"

namespace crossbind::decide {

// Whether one option or pair is left to take: ties of one binding with itself, loaded in two ways,
// leave the binding.
[[nodiscard]] Answer answer_of(const Ranking& ranking);
[[nodiscard]] std::string sentence_on(const Ranking& ranking);

// What a time of the ranking is of; of pairs, that of the training.
struct UnitWords {
  std::string_view name;    // "epoch"
  std::string_view phrase;  // "an epoch"
  std::string_view column;  // "S AN EPOCH"
};
[[nodiscard]] UnitWords unit_of(const Ranking& ranking);

[[nodiscard]] std::string why_no_match(const Option& option);
[[nodiscard]] std::string why_too_slow(const Against& fastest, const Option& best);

// "1.23 (1.20 to 1.27)"
[[nodiscard]] std::string words_of(const Against& against);

// "lenet1 on mnist, trained on gpu, inference on cpu (loader resident, ...)"
[[nodiscard]] std::string title_of(const Ranking& ranking);

}  // namespace crossbind::decide
