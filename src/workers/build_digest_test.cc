#include "workers/build_digest.h"

#include "workers/fixtures.h"

namespace crossbind::workers {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

class BuildDigestTest : public WorkersTest {
 protected:
  BuildDigestTest() {
    write("toy-sh/worker.toml", "");
    write("toy-sh/src/worker.sh", "echo\n");
    write("sdk/lines.sh", "true\n");
    write("shared/env/setup", "true\n");
    std::filesystem::create_directories(places_.programs);
    manifest_.folder = places_.workers / "toy-sh";
    manifest_.start = {"{programs}/worker"};
    manifest_.sources = {"../sdk"};
    manifest_.shares = {"env"};
  }

  [[nodiscard]] std::string digest() const {
    const auto result = build_digest(manifest_, places_);
    EXPECT_THAT(result, is_ok());
    return result.value_or("");
  }

  Manifest manifest_;
};

TEST_F(BuildDigestTest, StaysWhileNothingThatCountsChanges) {
  const std::string before = digest();
  EXPECT_EQ(before.size(), 64U);
  for (const char* path : {"toy-sh/.cache",
                           "toy-sh/tests/x.sh",
                           "toy-sh/README.md",
                           "toy-sh/src/__pycache__/worker.pyc",
                           "toy-sh/target/debug/x",
                           "sdk/node_modules/a/index.js",
                           "sdk/.git/HEAD",
                           "shared/other/setup"}) {
    write(path, "anything");
    EXPECT_EQ(digest(), before) << path;
  }
  std::filesystem::last_write_time(places_.workers / "toy-sh/src/worker.sh",
                                   std::filesystem::file_time_type::min());
  EXPECT_EQ(digest(), before);
}

TEST_F(BuildDigestTest, ChangesWithEveryThingThatCounts) {
  std::vector<std::string> seen = {digest()};
  const auto expect_new = [&](const std::string& what) {
    const std::string now = digest();
    EXPECT_THAT(seen, ::testing::Not(::testing::Contains(now))) << what;
    seen.push_back(now);
  };
  write("toy-sh/src/worker.sh", "echo changed\n");
  expect_new("a content");
  std::filesystem::rename(places_.workers / "toy-sh/src/worker.sh",
                          places_.workers / "toy-sh/src/other.sh");
  expect_new("a name");
  std::filesystem::rename(places_.workers / "toy-sh/src/other.sh",
                          places_.workers / "toy-sh/other.sh");
  expect_new("a folder");
  write("toy-sh/empty", "");
  expect_new("an empty file");
  write("sdk/lines.sh", "false\n");
  expect_new("a source");
  write("shared/env/requirements.txt", "numpy\n");
  expect_new("a shared environment");
  ASSERT_THAT(write_file(places_.programs / "worker", "1"), is_ok());
  expect_new("the program appears");
  ASSERT_THAT(write_file(places_.programs / "worker", "2"), is_ok());
  expect_new("the program changes");
  std::filesystem::create_symlink("other.sh", places_.workers / "toy-sh/link");
  expect_new("a link");
  std::filesystem::remove(places_.workers / "toy-sh/link");
  std::filesystem::create_symlink("..", places_.workers / "toy-sh/link");
  expect_new("a link to elsewhere, even around in a circle");
}

TEST_F(BuildDigestTest, DoesNotConfuseWhereOneFileEndsAndTheNextBegins) {
  write("a/one/x", "12");
  write("a/one/y", "3");
  write("a/two/x", "1");
  write("a/two/y", "23");
  EXPECT_NE(folder_digest(places_.workers / "a/one").value(),
            folder_digest(places_.workers / "a/two").value());
}

TEST_F(BuildDigestTest, DoesNotDependOnWhereTheFoldersAre) {
  write("a/one/x", "1");
  write("b/x", "1");
  EXPECT_EQ(folder_digest(places_.workers / "a/one").value(),
            folder_digest(places_.workers / "b").value());
}

TEST_F(BuildDigestTest, NamesASourceThatIsMissing) {
  manifest_.sources = {"../sdk/none"};
  EXPECT_THAT(build_digest(manifest_, places_), fails_with(HasSubstr("sdk/none")));
}

}  // namespace
}  // namespace crossbind::workers
