// `crossbind dataset` as a user runs it.
#include <nlohmann/json.hpp>

#include "process/command.h"
#include "testing/testing.h"

namespace crossbind {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::is_ok;

class DatasetCliTest : public testing::ScratchTest {
 protected:
  process::Outcome run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {testing::build_path("crossbind"), "dataset"});
    process::Command command;
    command.arguments = std::move(arguments);
    command.environment = {"CROSSBIND_CACHE=" + scratch("cache").string()};
    return process::run(command).value();
  }
};

TEST_F(DatasetCliTest, GetsListsAndChecksGlyphs) {
  const auto made = run({"get", "glyphs", "--train", "40", "--test", "20"});
  EXPECT_EQ(made.exit_code, 0) << made.error;
  EXPECT_THAT(made.out, HasSubstr("glyphs-40-20 is ready"));
  EXPECT_THAT(run({"get", "glyphs-40-20"}).out, HasSubstr("is already there"));
  EXPECT_THAT(run({"list"}).out, HasSubstr("glyphs-40-20   ready"));
  const auto checked = run({"check"});
  EXPECT_EQ(checked.exit_code, 0);
  EXPECT_THAT(checked.out, HasSubstr("glyphs-40-20   ok       sha256 "));
}

TEST_F(DatasetCliTest, CheckFailsOnACorruptOneAndGetRebuildsIt) {
  ASSERT_EQ(run({"get", "glyphs-40-20"}).exit_code, 0);
  const auto path = scratch("cache/datasets/glyphs-40-20.safetensors");
  std::string content = read_file(path).value();
  content.back() = static_cast<char>(~content.back());
  ASSERT_THAT(write_file(path, content), is_ok());
  const auto checked = run({"check"});
  EXPECT_EQ(checked.exit_code, 1);
  EXPECT_THAT(checked.out, AllOf(HasSubstr("corrupt"), HasSubstr(path.string())));
  const auto rebuilt = run({"get", "glyphs-40-20"});
  EXPECT_EQ(rebuilt.exit_code, 0);
  EXPECT_THAT(rebuilt.out, HasSubstr("the cache was corrupt and has been rebuilt"));
  EXPECT_EQ(run({"check"}).exit_code, 0);
}

TEST_F(DatasetCliTest, PrintsJsonWithStableKeys) {
  const auto list = nlohmann::json::parse(run({"list", "--json"}).out);
  ASSERT_EQ(list.size(), 7U);
  EXPECT_EQ(list[0]["name"], "glyphs");
  EXPECT_EQ(list[0]["state"], "absent");
  EXPECT_EQ(list[6]["name"], "squad");
  EXPECT_EQ(list[6]["state"], "unavailable");
  for (const auto* key :
       {"title", "classes", "input", "train", "test", "path", "size", "sha256", "reason", "get"}) {
    EXPECT_TRUE(list[0].contains(key)) << key;
  }
}

TEST_F(DatasetCliTest, SaysWhatIsWrong) {
  const auto unavailable = run({"get", "imdb"});
  EXPECT_EQ(unavailable.exit_code, 1);
  EXPECT_THAT(unavailable.error,
              AllOf(HasSubstr("crossbind: imdb"), HasSubstr("aclImdb_v1.tar.gz")));
  EXPECT_THAT(run({"get", "mnit"}).error, HasSubstr("Did you mean 'mnist'?"));
  EXPECT_THAT(run({"get", "mnist", "--seed", "3"}).error, HasSubstr("for 'glyphs' only"));
  EXPECT_THAT(run({"get", "glyphs", "--from", "x"}).error, HasSubstr("reads nothing"));
  EXPECT_EQ(run({"get"}).exit_code, 2);
  EXPECT_EQ(run({"get", "glyphs", "--train", "0"}).exit_code, 2);
  EXPECT_EQ(run({"gte"}).exit_code, 2);
}

TEST_F(DatasetCliTest, HelpHasAnExample) {
  for (const auto* command : {"list", "get", "check"}) {
    const auto help = run({command, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.out, HasSubstr("crossbind dataset " + std::string(command))) << command;
  }
}

}  // namespace
}  // namespace crossbind
