// SQuAD v1.1: questions about paragraphs, answered by a span of the paragraph. Every sample is
// "[CLS] question [SEP] context [SEP]" in WordPiece numbers, 384 long, padded behind.
//
// A question keeps its first 64 pieces. A context that does not fit becomes overlapping windows,
// each 128 pieces after the last; only windows that hold the whole answer become samples, so start
// and end always point into the context. Of several answers the first counts. The dev set is
// "test".
#pragma once

#include <filesystem>
#include <string_view>

#include "data/image_readers.h"
#include "data/wordpiece.h"

namespace crossbind::data {

inline constexpr int64_t kQuestionLength = 384;
inline constexpr size_t kLongestQuestion = 64;
inline constexpr size_t kWindowStride = 128;

struct QuestionSamples {
  Numbers tokens;    // [samples, kQuestionLength]
  Numbers segments;  // 0 question, 1 context
  Numbers mask;      // 1 where a piece stands, 0 padding
  Numbers start;     // position of the answer's first and last piece
  Numbers end;
  int64_t questions = 0;
};

// `place` names the file in errors; those about the content name the question's place in it.
[[nodiscard]] Result<QuestionSamples> parse_squad(std::string_view json,
                                                  const WordPiece& vocabulary,
                                                  const std::string& place);

// train-v1.1.json and dev-v1.1.json from the source, and the vocabulary: the given file, or the
// source's vocab.txt.
[[nodiscard]] Result<Converted> read_squad(const DatasetInfo& info,
                                           const Source& source,
                                           const std::filesystem::path& vocabulary,
                                           Progress& progress);

}  // namespace crossbind::data
