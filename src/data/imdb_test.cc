#include "data/imdb.h"

#include "data/fixtures.h"
#include "data/reviews.h"
#include "testing/testing.h"

namespace crossbind::data {
namespace {

using fixtures::Files;
using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

const Files kReviews = {{"aclImdb/train/pos/0_9.txt", "good film"},
                        {"aclImdb/train/pos/1_8.txt", "very good"},
                        {"aclImdb/train/neg/0_1.txt", "bad film"},
                        {"aclImdb/train/neg/1_2.txt", "very bad"},
                        {"aclImdb/train/unsup/0_0.txt", "unlabelled unlabelled"},
                        {"aclImdb/test/pos/0_10.txt", "good"},
                        {"aclImdb/test/neg/0_3.txt", "bad"},
                        {"aclImdb/README", "hello"}};

DatasetInfo tiny_imdb() {
  DatasetInfo info = find_dataset("imdb").value();
  info.train = 4;
  info.test = 2;
  return info;
}

class ImdbTest : public testing::ScratchTest {
 protected:
  Result<Converted> read(const Files& files) {
    EXPECT_THAT(
        write_file(scratch("imdb.tar.gz"), fixtures::archive(files, fixtures::Packing::kTarGz)),
        is_ok());
    SilentProgress progress;
    return read_imdb(tiny_imdb(), Source::open(scratch("imdb.tar.gz")).value(), progress);
  }
};

TEST_F(ImdbTest, ReadsReviewsSortedAndShufflesThemByAFixedOrder) {
  const auto converted = read(kReviews);
  ASSERT_THAT(converted, is_ok());
  const auto& fields = converted->content.fields;
  ASSERT_EQ(fields[0].name, "train.tokens");
  EXPECT_THAT(fields[0].shape, ElementsAre(4, kReviewLength));
  const auto& tokens = std::get<Numbers>(fields[0].values);
  const auto& labels = std::get<Numbers>(fields[1].values);
  // Sorted, negative first: "bad film", "very bad", "good film", "very good"; all words twice.
  const std::vector<std::pair<int64_t, int64_t>> words = {{4, 5}, {6, 4}, {7, 5}, {6, 7}};
  const auto order = fixed_order("train", 4);
  for (size_t i = 0; i < 4; ++i) {
    const auto sorted = static_cast<size_t>(order[i]);
    EXPECT_EQ(labels[i], sorted < 2 ? 0 : 1);
    EXPECT_EQ(tokens[(i + 1) * kReviewLength - 3], kStartIndex);
    EXPECT_EQ(tokens[(i + 1) * kReviewLength - 2], words[sorted].first);
    EXPECT_EQ(tokens[(i + 1) * kReviewLength - 1], words[sorted].second);
  }
}

TEST_F(ImdbTest, NamesAWrongNumberOfReviews) {
  Files files = kReviews;
  files.erase("aclImdb/train/neg/1_2.txt");
  EXPECT_THAT(read(files),
              fails_with(AllOf(HasSubstr("imdb.tar.gz"),
                               HasSubstr("holds 1 reviews under train/neg/, expected 2"))));
}

TEST_F(ImdbTest, RefusesAReviewThatIsThereTwice) {
  Files files = kReviews;
  files["other/train/neg/1_2.txt"] = "again";
  EXPECT_THAT(read(files),
              fails_with(HasSubstr("other/train/neg/1_2.txt: the review is there twice")));
}

}  // namespace
}  // namespace crossbind::data
