// The Large Movie Review Dataset as published: {train,test}/{pos,neg}/ID_RATING.txt.
#pragma once

#include "data/image_readers.h"

namespace crossbind::data {

// Reviews are sorted by label (negative first) and file name: in that order words are ranked
// (see reviews.h). Then each split is shuffled with a fixed seed, so that neither the archive's
// order nor the label shows in the order of the samples.
[[nodiscard]] Result<Converted> read_imdb(const DatasetInfo& info,
                                          const Source& source,
                                          Progress& progress);

// The texts of a split in sorted order, with their labels (1 is positive).
struct Reviews {
  std::vector<std::string> texts;
  Numbers labels;
};

struct ReviewTexts {
  Reviews train;
  Reviews test;
  std::string source_sha256;
};

[[nodiscard]] Result<ReviewTexts> read_review_texts(const DatasetInfo& info,
                                                    const Source& source,
                                                    Progress& progress);

}  // namespace crossbind::data
