#include "base/file.h"

#include <string>

#include "testing/testing.h"

namespace crossbind {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

class FileTest : public testing::ScratchTest {
 protected:
  [[nodiscard]] size_t entries() const {
    size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(scratch(""))) {
      ++count;
    }
    return count;
  }
};

TEST_F(FileTest, WritesAndReadsBack) {
  ASSERT_THAT(write_file(scratch("a/b.txt"), "hello"), is_ok());
  EXPECT_EQ(read_file(scratch("a/b.txt")).value(), "hello");
  ASSERT_THAT(write_file(scratch("a/b.txt"), ""), is_ok());
  EXPECT_EQ(read_file(scratch("a/b.txt")).value(), "");
}

TEST_F(FileTest, AnUncommittedFileLeavesNothingBehindAndTheOldOneIntact) {
  ASSERT_THAT(write_file(scratch("kept"), "old"), is_ok());
  {
    auto file = AtomicFile::create(scratch("kept"));
    ASSERT_THAT(file, is_ok());
    ASSERT_THAT(file->write(std::string(3 << 20, 'x')), is_ok());
  }
  EXPECT_EQ(read_file(scratch("kept")).value(), "old");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(FileTest, KeepsTheOrderOfSmallAndLargeWrites) {
  auto file = AtomicFile::create(scratch("mixed"));
  ASSERT_THAT(file, is_ok());
  const std::string large(2 << 20, 'L');
  ASSERT_THAT(file->write("head"), is_ok());
  ASSERT_THAT(file->write(large), is_ok());
  ASSERT_THAT(file->write("tail"), is_ok());
  ASSERT_THAT(file->commit(), is_ok());
  EXPECT_EQ(read_file(scratch("mixed")).value(), "head" + large + "tail");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(FileTest, SaysWhichFileCannotBeOpened) {
  EXPECT_THAT(read_file(scratch("absent")),
              fails_with(HasSubstr("absent: cannot open: No such file")));
  EXPECT_THAT(read_file(scratch("")), fails_with(HasSubstr("not a regular file")));
}

TEST_F(FileTest, AFullDiskIsAnError) {
  auto file = AtomicFile::create("/dev/full/x");
  EXPECT_THAT(file, fails_with(HasSubstr("cannot create the directory")));
}

TEST(TemporaryDirectory, RemovesItselfWithItsContent) {
  std::filesystem::path path;
  {
    auto directory = TemporaryDirectory::create();
    ASSERT_THAT(directory, is_ok());
    path = directory->path();
    ASSERT_THAT(write_file(path / "deep" / "file", "x"), is_ok());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace crossbind
