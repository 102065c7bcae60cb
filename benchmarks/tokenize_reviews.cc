// Times the tokenizer alone: reads the reviews into memory, then splits, counts, ranks and encodes
// them. The partner of imdb_tokenizer.py; benchmarks/data runs both.
//   tokenize_reviews SOURCE TOKENS_FILE
// Prints the seconds; writes the indices, training reviews first, sorted, as little-endian int64.
#include <chrono>
#include <cstdio>

#include "base/file.h"
#include "data/imdb.h"
#include "data/reviews.h"

namespace {

using namespace crossbind;

Status run(const std::string& from, const std::string& tokens_file) {
  SilentProgress progress;
  CB_ASSIGN(const auto info, data::find_dataset("imdb"));
  CB_ASSIGN(const auto source, data::Source::open(from));
  CB_ASSIGN(const auto texts, data::read_review_texts(info, source, progress));
  const std::vector<std::string_view> train(texts.train.texts.begin(), texts.train.texts.end());
  const std::vector<std::string_view> test(texts.test.texts.begin(), texts.test.texts.end());
  const auto begin = std::chrono::steady_clock::now();
  const auto encoded = data::encode_reviews(train, test);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  std::printf("%.6f\n", elapsed.count());
  CB_ASSIGN(auto file, AtomicFile::create(tokens_file));
  CB_TRY(file.write(std::as_bytes(std::span(encoded.train))));
  CB_TRY(file.write(std::as_bytes(std::span(encoded.test))));
  return file.commit();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: tokenize_reviews SOURCE TOKENS_FILE\n", stderr);
    return 2;
  }
  const auto status = run(argv[1], argv[2]);
  if (!status) {
    std::fprintf(stderr, "tokenize_reviews: %s\n", status.error().to_string().c_str());
    return 1;
  }
  return 0;
}
