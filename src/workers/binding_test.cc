#include "workers/binding.h"

#include "workers/fixtures.h"

namespace crossbind::workers {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

class BindingTest : public WorkersTest {
 protected:
  // toy-sh without a setup command.
  void add_plain(const std::string& start, const std::string& needs = "") {
    write("toy-sh/worker.toml",
          fmt::format("framework = \"toy\"\nlanguage = \"sh\"\ntitle = \"A toy\"\n"
                      "start = [\"{}\"]\n{}\n{}",
                      start,
                      needs,
                      kCapabilities));
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> result;
    const auto bindings = list_bindings(places_);
    for (const auto& binding : bindings.value()) {
      result.push_back(binding.name);
    }
    return result;
  }
};

TEST_F(BindingTest, AreListedByNameWhetherTheyHaveAWorkerOrNot) {
  add_worker("sh", kInstall);
  add_worker("awk", kInstall);
  write("sdk/python/README.md", "not a worker");
  write("bindings.toml",
        "[[bindings]]\nname = \"toy/sh\"\nmissing = \"x\"\n"
        "[[bindings]]\nname = \"pytorch/csharp\"\nmissing = \"no .NET SDK\"\n");
  EXPECT_THAT(names(), ElementsAre("pytorch/csharp", "toy/awk", "toy/sh"));
  const Binding missing = find("pytorch/csharp");
  EXPECT_EQ(missing.state, State::kNoWorker);
  EXPECT_EQ(missing.reason, "no .NET SDK");
  EXPECT_EQ(missing.framework, "pytorch");
  EXPECT_EQ(missing.language, "csharp");
  const Binding there = find("toy/sh");
  EXPECT_EQ(there.state, State::kNotSetUp) << "a folder wins over the list";
  EXPECT_EQ(there.command, "crossbind setup toy/sh");
  EXPECT_EQ(there.build.size(), 64U);
}

TEST_F(BindingTest, ABrokenManifestBreaksNoOtherBinding) {
  add_worker("sh", kInstall);
  write("toy-awk/worker.toml", "framework = \"toy\"\nlanguage = 3\n");
  write("toy-sed/worker.toml", "[");
  EXPECT_THAT(names(), ElementsAre("toy/awk", "toy/sed", "toy/sh"));
  EXPECT_EQ(find("toy/awk").state, State::kBroken);
  EXPECT_THAT(find("toy/awk").reason, HasSubstr("toy-awk/worker.toml:2: 'language' is 3"));
  EXPECT_THAT(find("toy/sed").reason, HasSubstr("toy-sed/worker.toml:1: is not TOML"));
  EXPECT_EQ(find("toy/sh").state, State::kNotSetUp);
}

TEST_F(BindingTest, IsBrokenWhenItNamesASharedEnvironmentThatIsNotThere) {
  add_worker("sh", kInstall, "shares = [\"env\"]");
  EXPECT_EQ(find("toy/sh").state, State::kBroken);
  EXPECT_THAT(find("toy/sh").reason, HasSubstr("shared/env"));
}

TEST_F(BindingTest, WithoutASetupIsReadyWhenItsProgramsAreThere) {
  add_plain("sh");
  EXPECT_EQ(find("toy/sh").state, State::kReady);
  add_plain("no-such-program");
  EXPECT_EQ(find("toy/sh").state, State::kNeedsPrograms);
  EXPECT_EQ(find("toy/sh").reason, "no-such-program is missing");
  add_plain("./worker");
  EXPECT_EQ(find("toy/sh").state, State::kNeedsPrograms);
  write_script("toy-sh/worker", "");
  EXPECT_EQ(find("toy/sh").state, State::kReady);
  add_plain("{programs}/worker");
  EXPECT_THAT(find("toy/sh").reason,
              AllOf(HasSubstr("programs/worker is missing"), HasSubstr("built together")));
}

TEST_F(BindingTest, SaysWhichPackagesHaveTheProgramsThatAreMissing) {
  const std::string needs = R"(needs = [{ program = "sh", package = "dash" },
    { program = "no-such-b", package = "b-tools" }, { program = "no-such-a", package = "a" },
    { program = "no-such-c", package = "b-tools" }])";
  add_plain("sh", "[setup]\n" + needs);
  Binding binding = find("toy/sh");
  EXPECT_EQ(binding.state, State::kNeedsPrograms);
  EXPECT_EQ(binding.reason, "not on PATH: no-such-b, no-such-a, no-such-c");
  EXPECT_EQ(binding.command, "apt-get install a b-tools");
  add_worker("sh", kInstall, needs);
  EXPECT_EQ(find("toy/sh").command, "apt-get install a b-tools");
}

TEST_F(BindingTest, FollowsTheSetup) {
  add_worker("sh", kInstall);
  EXPECT_EQ(find("toy/sh").reason, "not set up yet");
  ASSERT_THAT(set_up_now("toy/sh"), is_ok());
  EXPECT_EQ(find("toy/sh").state, State::kReady);
  EXPECT_EQ(find("toy/sh").command, "");
  write("toy-sh/more.sh", "");
  EXPECT_EQ(find("toy/sh").state, State::kOutdated);
  EXPECT_EQ(find("toy/sh").command, "crossbind setup toy/sh");
  std::filesystem::remove(places_.workers / "toy-sh/more.sh");
  EXPECT_EQ(find("toy/sh").state, State::kReady);
  const std::string home =
      places_.cache / "workers" / ("toy-sh-" + find("toy/sh").build.substr(0, 12));
  std::filesystem::remove(home + "/bin/worker");
  EXPECT_EQ(find("toy/sh").state, State::kNotSetUp);
  EXPECT_THAT(find("toy/sh").reason, HasSubstr("damaged"));
  std::filesystem::remove(home + "/.crossbind-ready");
  EXPECT_EQ(find("toy/sh").reason, "its setup has not finished");
}

TEST_F(BindingTest, SelectionTakesNamesAndPatterns) {
  write("bindings.toml",
        "[[bindings]]\nname = \"a/x\"\nmissing = \"m\"\n[[bindings]]\nname = \"a/y\"\nmissing = "
        "\"m\"\n[[bindings]]\nname = \"b/x\"\nmissing = \"m\"\n");
  const auto all = list_bindings(places_).value();
  const auto selected = [&](const std::vector<std::string>& patterns) {
    std::string text;
    const auto found = select(all, patterns);
    for (const auto& binding : found.value()) {
      text += binding.name + " ";
    }
    return text;
  };
  EXPECT_EQ(selected({"b/x", "a/*"}), "a/x a/y b/x ");
  EXPECT_EQ(selected({"*/x", "a/x"}), "a/x b/x ");
  EXPECT_EQ(selected({"*"}), "a/x a/y b/x ");
  EXPECT_THAT(select(all, {"a/x", "a/z"}), fails_with(HasSubstr("there is no binding 'a/z'")));
  EXPECT_THAT(select(all, {"c/*"}), fails_with(HasSubstr("'c/*'")));
}

TEST_F(BindingTest, AListOfKnownBindingsIsCheckedToo) {
  const auto fails = [&](const std::string& text, const std::string& message) {
    write("bindings.toml", text);
    EXPECT_THAT(list_bindings(places_), fails_with(HasSubstr(message))) << text;
  };
  fails("[[binding]]\n", "bindings.toml:1: unknown key \"binding\"");
  fails("[[bindings]]\nname = \"a/x\"\n", "'missing' is missing");
  fails("[[bindings]]\nname = \"x\"\nmissing = \"m\"\n",
        "bindings.toml:2: [[bindings]]: 'name' is");
  fails("bindings = [3]\n", "'bindings' is an array of 1, expected tables");
  const std::string entry = "[[bindings]]\nname = \"a/x\"\nmissing = \"m\"\n";
  fails(entry + entry, "bindings.toml:4: [[bindings]]: 'a/x' is there twice");
}

TEST_F(BindingTest, TheListOfThisRepositoryIsRight) {
  places_.workers = testing::source_path("workers");
  const auto bindings = list_bindings(places_);
  ASSERT_THAT(bindings, is_ok());
  EXPECT_GE(bindings->size(), 12U);
  for (const auto& binding : *bindings) {
    EXPECT_NE(binding.state, State::kBroken) << binding.reason;
  }
}

TEST_F(BindingTest, AMissingFolderIsAnErrorWithAdvice) {
  places_.workers = scratch("nowhere");
  EXPECT_THAT(list_bindings(places_), fails_with(HasSubstr("CROSSBIND_HOME")));
}

}  // namespace
}  // namespace crossbind::workers
