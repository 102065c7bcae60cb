#include "data/image_readers.h"

#include <set>

#include "data/fixtures.h"
#include "testing/testing.h"

namespace crossbind::data {
namespace {

using fixtures::Files;
using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

using Reader = Result<Converted> (*)(const DatasetInfo&, const Source&, Progress&);

class ImageReadersTest : public testing::ScratchTest {
 protected:
  Result<Converted> read(Reader reader, const DatasetInfo& info, const Files& files) {
    std::filesystem::remove_all(scratch("source"));
    fixtures::write_tree(scratch("source"), files);
    SilentProgress progress;
    return reader(info, Source::open(scratch("source")).value(), progress);
  }

  static const Field& field(const Content& content, const std::string& name) {
    for (const auto& field : content.fields) {
      if (field.name == name) {
        return field;
      }
    }
    throw std::out_of_range(name);
  }
  static const Numbers& labels(const Converted& converted, const std::string& split) {
    return std::get<Numbers>(field(converted.content, split + ".label").values);
  }
};

TEST_F(ImageReadersTest, ReadsIdxFilesPlainAndCompressed) {
  Files files = fixtures::tiny_mnist_files();
  const std::string labels_file = files.at("train-labels-idx1-ubyte");
  files.erase("train-labels-idx1-ubyte");
  files["deep/train-labels-idx1-ubyte.gz"] = fixtures::gzipped(labels_file);
  const auto converted = read(read_idx, fixtures::tiny_mnist(), files);
  ASSERT_THAT(converted, is_ok());
  EXPECT_THAT(labels(*converted, "train"), ElementsAre(5, 0, 4, 1));
  EXPECT_THAT(labels(*converted, "test"), ElementsAre(7, 2));
  const auto& image = field(converted->content, "train.image");
  EXPECT_THAT(image.shape, ElementsAre(4, 1, 28, 28));
  EXPECT_EQ(std::get<Pixels>(image.values).at(784), 784 % 256);
}

TEST_F(ImageReadersTest, NamesAMissingIdxFile) {
  Files files = fixtures::tiny_mnist_files();
  files.erase("t10k-labels-idx1-ubyte");
  EXPECT_THAT(read(read_idx, fixtures::tiny_mnist(), files),
              fails_with(AllOf(HasSubstr("holds no t10k-labels-idx1-ubyte"),
                               HasSubstr("Expected: a directory or archive"))));
}

TEST_F(ImageReadersTest, NamesWrongIdxCountsAndSizes) {
  Files files = fixtures::tiny_mnist_files();
  files["train-labels-idx1-ubyte"] = fixtures::idx_labels({5, 0, 4});
  EXPECT_THAT(
      read(read_idx, fixtures::tiny_mnist(), files),
      fails_with(HasSubstr("train-labels-idx1-ubyte at byte 4: holds 3 labels, expected 4")));
  files["train-images-idx3-ubyte"] = fixtures::idx_images(3, 28, 28);
  EXPECT_THAT(
      read(read_idx, fixtures::tiny_mnist(), files),
      fails_with(HasSubstr("train-images-idx3-ubyte at byte 4: holds 3 images, expected 4")));
  files["train-images-idx3-ubyte"] = fixtures::idx_images(4, 28, 27);
  EXPECT_THAT(read(read_idx, fixtures::tiny_mnist(), files),
              fails_with(HasSubstr("images are [1, 28, 27], expected [1, 28, 28]")));
}

DatasetInfo tiny(const std::string& id, int64_t train, int64_t test) {
  DatasetInfo info = find_dataset(id).value();
  info.train = train;
  info.test = test;
  return info;
}

Files cifar_files() {
  Files files = {{"test_batch.bin", fixtures::cifar_batch({9})}};
  for (uint8_t i = 1; i <= 5; ++i) {
    files[fmt::format("cifar-10-batches-bin/data_batch_{}.bin", i)] =
        fixtures::cifar_batch({i, static_cast<uint8_t>(i + 1)});
  }
  return files;
}

TEST_F(ImageReadersTest, ReadsTheBinaryBatchesInOrder) {
  const auto converted = read(read_cifar_binary, tiny("cifar10", 10, 1), cifar_files());
  ASSERT_THAT(converted, is_ok());
  EXPECT_THAT(labels(*converted, "train"), ElementsAre(1, 2, 2, 3, 3, 4, 4, 5, 5, 6));
  EXPECT_THAT(labels(*converted, "test"), ElementsAre(9));
  EXPECT_THAT(field(converted->content, "train.image").shape, ElementsAre(10, 3, 32, 32));
}

TEST_F(ImageReadersTest, NamesAMissingOrShortBatch) {
  Files files = cifar_files();
  files["cifar-10-batches-bin/data_batch_3.bin"] = fixtures::cifar_batch({1});
  EXPECT_THAT(read(read_cifar_binary, tiny("cifar10", 10, 1), files),
              fails_with(HasSubstr("data_batch_3.bin at byte 3073: holds 1 records, expected 2")));
  files.erase("cifar-10-batches-bin/data_batch_3.bin");
  EXPECT_THAT(read(read_cifar_binary, tiny("cifar10", 10, 1), files),
              fails_with(HasSubstr("holds no data_batch_3.bin")));
}

// Three training images a class for two classes, and one test image.
Files tree_files() {
  Files files;
  for (uint8_t i = 0; i < 3; ++i) {
    files[fmt::format("root/train/airplane/{}.jpg", i)] = fixtures::jpeg(32, 32, i, 0, 0);
    files[fmt::format("root/train/truck/{}.jpg", i)] = fixtures::jpeg(32, 32, 100, i, 0);
  }
  files["root/test/cat/7.jpg"] = fixtures::jpeg(32, 32, 1, 2, 3);
  files["root/test/README.txt"] = "not an image";
  return files;
}

TEST_F(ImageReadersTest, ReadsATreeOfJpegsWithTheOfficialClassOrder) {
  const auto converted = read(read_image_tree, tiny("cifar10-jpeg", 6, 1), tree_files());
  ASSERT_THAT(converted, is_ok());
  Numbers train = labels(*converted, "train");
  const auto order = fixed_order("train", 6);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(train[i], order[i] < 3 ? 0 : 9) << i;
  }
  EXPECT_THAT(labels(*converted, "test"), ElementsAre(3));
}

TEST_F(ImageReadersTest, ATreesSampleOrderDoesNotDependOnTheArchives) {
  Files reversed;  // the names decide the order of a tar made from a map
  for (const auto& [name, content] : tree_files()) {
    const bool airplane = name.find("airplane") != std::string::npos;
    reversed[(airplane ? "z/" : "a/") + name] = content;
  }
  const auto first = read(read_image_tree, tiny("cifar10-jpeg", 6, 1), tree_files());
  const auto second = read(read_image_tree, tiny("cifar10-jpeg", 6, 1), reversed);
  ASSERT_THAT(first, is_ok());
  ASSERT_THAT(second, is_ok());
  for (size_t i = 0; i < first->content.fields.size(); ++i) {
    EXPECT_EQ(first->content.fields[i].values, second->content.fields[i].values) << i;
  }
}

TEST_F(ImageReadersTest, NamesTheBadJpegOfATree) {
  Files files = tree_files();
  files["root/train/truck/1.jpg"] = "not a jpeg";
  EXPECT_THAT(read(read_image_tree, tiny("cifar10-jpeg", 6, 1), files),
              fails_with(HasSubstr("root/train/truck/1.jpg at byte 0: bad JPEG")));
}

TEST_F(ImageReadersTest, NamesAWrongNumberOfJpegs) {
  EXPECT_THAT(read(read_image_tree, tiny("cifar10-jpeg", 7, 1), tree_files()),
              fails_with(HasSubstr("train/: holds 6 images, expected 7")));
}

TEST(FixedOrder, IsAPermutationOfItsOwnForEachSplit) {
  const auto train = fixed_order("train", 1000);
  EXPECT_EQ(std::set(train.begin(), train.end()).size(), 1000U);
  EXPECT_NE(train, fixed_order("test", 1000));
}

}  // namespace
}  // namespace crossbind::data
