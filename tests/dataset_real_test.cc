// The real data sets, converted from their real sources. A source that is neither on this machine
// nor to be had by its package's client makes the test skip and say so, unless it must run.
#include <array>

#include "data/get.h"
#include "testing/testing.h"

namespace crossbind::data {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using testing::is_ok;

const std::filesystem::path kShared = testing::source_path("../shared/datasets");

class RealDatasetTest : public testing::ScratchTest {
 protected:
  Result<Dataset> get(const std::string& id, const std::filesystem::path& from) {
    SilentProgress progress;
    const Workshop workshop{scratch("cache"), process::run, progress, 2};
    CB_ASSIGN(auto info, find_dataset(id));
    CB_TRY(get_dataset({std::move(info), from.string(), {}, false}, workshop));
    return open_dataset(id, scratch("cache"));
  }

  // The package's client is missing or found no registry; anything else is a failure.
  static bool is_out_of_reach(const Result<Dataset>& dataset) {
    return !dataset && dataset.error().kind == ErrorKind::kUnavailable;
  }

  static std::span<const int64_t> labels(const Dataset& dataset, const std::string& split) {
    return dataset.file().values<int64_t>(split + ".label").value();
  }

  static std::vector<int64_t> counts(const Dataset& dataset, const std::string& split) {
    std::vector<int64_t> result(static_cast<size_t>(dataset.info().classes));
    for (const int64_t label : labels(dataset, split)) {
      ++result.at(static_cast<size_t>(label));
    }
    return result;
  }

  // The mean of all values, which is known for the published sets.
  static double mean(const Dataset& dataset, const std::string& tensor) {
    const auto values = dataset.file().values<float>(tensor).value();
    double sum = 0;
    for (const float value : values) {
      sum += value;
    }
    return sum / static_cast<double>(values.size());
  }
};

TEST_F(RealDatasetTest, Mnist) {
  const auto dataset = get("mnist", "");
  if (is_out_of_reach(dataset)) {
    CROSSBIND_SKIP("mnist", dataset.error().to_string());
  }
  ASSERT_THAT(dataset, is_ok());
  EXPECT_THAT(labels(*dataset, "train").first(5), ElementsAre(5, 0, 4, 1, 9));
  EXPECT_THAT(labels(*dataset, "test").first(5), ElementsAre(7, 2, 1, 0, 4));
  EXPECT_THAT(counts(*dataset, "train"),
              ElementsAre(5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949));
  // The published mean, rounded to four digits.
  EXPECT_NEAR(mean(*dataset, "train.image"), 0.1307, 0.00005);
}

TEST_F(RealDatasetTest, FashionMnist) {
  const auto dataset = get("fashion-mnist", "");
  if (is_out_of_reach(dataset)) {
    CROSSBIND_SKIP("fashion-mnist", dataset.error().to_string());
  }
  ASSERT_THAT(dataset, is_ok());
  EXPECT_EQ(labels(*dataset, "train").front(), 9);
  EXPECT_THAT(counts(*dataset, "train"), Each(6000));
  EXPECT_THAT(counts(*dataset, "test"), Each(1000));
  // The published mean, rounded to four digits.
  EXPECT_NEAR(mean(*dataset, "train.image"), 0.2860, 0.00005);
}

TEST_F(RealDatasetTest, CifarAsJpeg) {
  const auto source = kShared / "cifar-10-jpeg.tar.xz";
  if (!std::filesystem::exists(source)) {
    CROSSBIND_SKIP("cifar10-jpeg", "no " + source.string());
  }
  const auto dataset = get("cifar10-jpeg", source);
  ASSERT_THAT(dataset, is_ok());
  EXPECT_THAT(counts(*dataset, "train"), Each(5000));
  EXPECT_THAT(counts(*dataset, "test"), Each(1000));
  // The original's mean over all channels is 0.4734; JPEG moves single pixels, not the mean.
  EXPECT_NEAR(mean(*dataset, "train.image"), 0.4734, 0.001);
  // Shuffled: the first thousand samples are not of one class.
  std::array<int, 10> first{};
  for (const int64_t label : labels(*dataset, "train").first(1000)) {
    ++first.at(static_cast<size_t>(label));
  }
  // 100 expected of each; five standard deviations are 47.
  EXPECT_THAT(first, Each(::testing::AllOf(::testing::Gt(53), ::testing::Lt(147))));
}

TEST_F(RealDatasetTest, Imdb) {
  const auto source = kShared / "aclImdb_v1.tar.xz";
  if (!std::filesystem::exists(source)) {
    CROSSBIND_SKIP("imdb", "no " + source.string());
  }
  const auto dataset = get("imdb", source);
  ASSERT_THAT(dataset, is_ok());
  EXPECT_THAT(counts(*dataset, "train"), Each(12'500));
  EXPECT_THAT(counts(*dataset, "test"), Each(12'500));
  const auto tokens = dataset->file().values<int64_t>("train.tokens").value();
  const auto [low, high] = std::ranges::minmax(tokens);
  EXPECT_EQ(low, 0);
  EXPECT_EQ(high, 9'999);
  // "the" is the most frequent word of English prose: rank 1 is more frequent than any other.
  std::vector<int64_t> frequency(10'000);
  for (const int64_t token : tokens) {
    ++frequency.at(static_cast<size_t>(token));
  }
  EXPECT_EQ(std::max_element(frequency.begin() + 3, frequency.end()) - frequency.begin(), 4);
  // Index 3 is reserved by the convention and never used.
  EXPECT_EQ(frequency[3], 0);
}

}  // namespace
}  // namespace crossbind::data
