#include "base/file.h"

#include <sys/stat.h>

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

TEST_F(FileTest, ReplacesTheFileBehindALinkAndNothingThatIsNoFile) {
  ASSERT_THAT(write_file(scratch("real"), "old"), is_ok());
  std::filesystem::create_symlink(scratch("real"), scratch("link"));
  ASSERT_THAT(write_file(scratch("link"), "new"), is_ok());
  EXPECT_TRUE(std::filesystem::is_symlink(scratch("link")));
  EXPECT_EQ(read_file(scratch("real")).value(), "new");
  ASSERT_EQ(::mkfifo(scratch("pipe").c_str(), 0600), 0);
  EXPECT_THAT(write_file(scratch("pipe"), "x"), fails_with(HasSubstr("is not a regular file")));
  EXPECT_THAT(write_file(scratch(""), "x"), fails_with(HasSubstr("is not a regular file")));
  EXPECT_THAT(write_file("/dev/null", "x"), fails_with(HasSubstr("is not a regular file")));
}

TEST_F(FileTest, AParentThatIsNoDirectoryIsAnError) {
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

TEST_F(FileTest, ATemporaryDirectoryOfADeadProcessIsSweptAway) {
  // No process has the largest pid plus one.
  std::filesystem::create_directories(scratch("crossbind.4194305.abcdef/deep"));
  std::filesystem::create_directories(scratch("crossbind.mine"));
  const auto fresh = TemporaryDirectory::create_in(scratch(""));
  ASSERT_THAT(fresh, is_ok());
  EXPECT_TRUE(std::filesystem::exists(fresh->path()));
  EXPECT_FALSE(std::filesystem::exists(scratch("crossbind.4194305.abcdef")));
  EXPECT_TRUE(std::filesystem::exists(scratch("crossbind.mine")));
}

}  // namespace
}  // namespace crossbind
