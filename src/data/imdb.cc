#include "data/imdb.h"

#include <map>
#include <optional>

#include "base/text.h"
#include "data/reviews.h"

namespace crossbind::data {
namespace {

struct ReviewName {
  bool train = false;
  int64_t label = 0;
  std::string file;
};

// "aclImdb/train/pos/0_9.txt"; nothing for a name of another form ("train/unsup/0_0.txt").
std::optional<ReviewName> parse_review_name(std::string_view name) {
  if (!name.ends_with(".txt")) {
    return std::nullopt;
  }
  const size_t slash = name.rfind('/');
  if (slash == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view folder = name.substr(0, slash);
  const auto is_in = [&](std::string_view wanted) {
    return folder == wanted ||
           (folder.ends_with(wanted) && folder[folder.size() - wanted.size() - 1] == '/');
  };
  std::string file(name.substr(slash + 1));
  for (const bool train : {true, false}) {
    for (const int64_t label : {0, 1}) {
      if (is_in(fmt::format("{}/{}", train ? "train" : "test", label == 1 ? "pos" : "neg"))) {
        return ReviewName{train, label, std::move(file)};
      }
    }
  }
  return std::nullopt;
}

using Sorted = std::map<std::pair<int64_t, std::string>, std::string>;

// Takes the texts out of the map.
Result<Reviews> in_order(Sorted& sorted,
                         int64_t expected,
                         const std::string& split,
                         const DatasetInfo& info,
                         const Source& source) {
  Reviews reviews;
  std::array<int64_t, 2> counts{};
  for (auto& [key, text] : sorted) {
    ++counts[static_cast<size_t>(key.first)];
    reviews.labels.push_back(key.first);
    reviews.texts.push_back(std::move(text));
  }
  for (const size_t label : {0, 1}) {
    const bool wrong = expected == 0 ? counts[label] == 0 : counts[label] != expected / 2;
    if (wrong) {
      return tl::unexpected(Error{ErrorKind::kCorrupt,
                                  fmt::format("holds {} reviews under {}/{}/, expected {}",
                                              with_thousands(counts[label]),
                                              split,
                                              label == 1 ? "pos" : "neg",
                                              with_thousands(expected / 2)),
                                  source.path().string(),
                                  "Expected: " + info.expects + "."});
    }
  }
  return reviews;
}

std::vector<std::string_view> views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

void add_split(Content& content,
               const std::string& split,
               const Numbers& tokens,
               const Numbers& labels) {
  Numbers ordered_tokens;
  Numbers ordered_labels;
  ordered_tokens.reserve(tokens.size());
  for (const int64_t i : fixed_order(split, labels.size())) {
    const auto row = tokens.begin() + i * kReviewLength;
    ordered_tokens.insert(ordered_tokens.end(), row, row + kReviewLength);
    ordered_labels.push_back(labels[static_cast<size_t>(i)]);
  }
  const auto count = static_cast<int64_t>(labels.size());
  content.fields.push_back({split + ".tokens", {count, kReviewLength}, std::move(ordered_tokens)});
  content.fields.push_back({split + ".label", {count}, std::move(ordered_labels)});
}

}  // namespace

Result<ReviewTexts> read_review_texts(const DatasetInfo& info,
                                      const Source& source,
                                      Progress& progress) {
  Sorted train;
  Sorted test;
  const auto wanted = [](std::string_view name) { return parse_review_name(name).has_value(); };
  const auto take = [&](const Member& member) -> Status {
    auto name = parse_review_name(member.name);
    if (!name) {
      return {};
    }
    std::string text(reinterpret_cast<const char*>(member.bytes.data()), member.bytes.size());
    Sorted& split = name->train ? train : test;
    if (!split.emplace(std::pair(name->label, std::move(name->file)), std::move(text)).second) {
      return tl::unexpected(
          Error{ErrorKind::kCorrupt, "the review is there twice", member.place, {}});
    }
    return {};
  };
  ReviewTexts result;
  CB_ASSIGN(result.source_sha256, source.read(wanted, take, progress));
  CB_ASSIGN(result.train, in_order(train, info.train, "train", info, source));
  CB_ASSIGN(result.test, in_order(test, info.test, "test", info, source));
  return result;
}

Result<Converted> read_imdb(const DatasetInfo& info, const Source& source, Progress& progress) {
  CB_ASSIGN(const ReviewTexts texts, read_review_texts(info, source, progress));
  const auto encoded = encode_reviews(views(texts.train.texts), views(texts.test.texts));
  Converted result;
  result.source_sha256 = texts.source_sha256;
  result.content.metadata = {{"name", info.id},
                             {"classes", std::to_string(info.classes)},
                             {"vocabulary", std::to_string(kWordIndices)},
                             {"distinct_words", std::to_string(encoded.distinct_words)},
                             {"length", std::to_string(kReviewLength)},
                             {"order", "by label and file name, then a fixed Philox shuffle"}};
  add_split(result.content, "train", encoded.train, texts.train.labels);
  add_split(result.content, "test", encoded.test, texts.test.labels);
  return result;
}

}  // namespace crossbind::data
