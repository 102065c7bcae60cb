#include "workers/manifest.h"

#include "workers/fixtures.h"

namespace crossbind::workers {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::Pair;

constexpr const char* kHead = R"(framework = "toy"
language = "sh"
title = "A toy"
start = ["{home}/worker", "--quiet"]
environment = { A = "{folder}/a" }
[setup]
command = ["./setup", "{programs}"]
needs = [{ program = "g++", package = "g++" }]
shares = ["env"]
)";

class ManifestTest : public WorkersTest {
 protected:
  // The manifest with one piece of it replaced.
  Result<Manifest> load_with(const std::string& piece, const std::string& other) {
    std::string text = std::string(kHead) + kCapabilities;
    const size_t at = text.find(piece);
    EXPECT_NE(at, std::string::npos) << piece;
    write("toy-sh/worker.toml", text.replace(at, piece.size(), other));
    return load_manifest(places_.workers / "toy-sh/worker.toml");
  }
};

TEST_F(ManifestTest, HasAllThatTheFileSays) {
  const auto manifest = load_with("", "");
  ASSERT_THAT(manifest, is_ok());
  EXPECT_EQ(manifest->binding(), "toy/sh");
  EXPECT_EQ(manifest->title, "A toy");
  EXPECT_EQ(manifest->folder, places_.workers / "toy-sh");
  EXPECT_THAT(manifest->start, ElementsAre("{home}/worker", "--quiet"));
  EXPECT_THAT(manifest->environment, ElementsAre(Pair("A", "{folder}/a")));
  EXPECT_THAT(manifest->setup, ElementsAre("./setup", "{programs}"));
  ASSERT_EQ(manifest->needs.size(), 1U);
  EXPECT_EQ(manifest->needs[0].program, "g++");
  EXPECT_EQ(manifest->needs[0].package, "g++");
  EXPECT_THAT(manifest->shares, ElementsAre("env"));
  const auto& able = manifest->capabilities;
  EXPECT_THAT(able.tasks, ElementsAre(trial::Task::kTrain, trial::Task::kInferParameters));
  EXPECT_THAT(able.layers, ElementsAre("linear", "gru"));
  EXPECT_THAT(able.lacks, ElementsAre("gru.reset_after=false"));
  EXPECT_THAT(able.conventions, ElementsAre(Pair("adam.epsilon_form", "hat")));
  EXPECT_EQ(able.probe, trial::ProbeLevel::kLayers);
  EXPECT_TRUE(able.saves);
}

TEST_F(ManifestTest, NeedsNoSetup) {
  const auto manifest = load_with(kHead,
                                  "framework = \"toy\"\nlanguage = \"sh\"\ntitle = \"A toy\"\n"
                                  "start = [\"sh\", \"worker.sh\"]\n");
  ASSERT_THAT(manifest, is_ok());
  EXPECT_TRUE(manifest->setup.empty());
}

TEST_F(ManifestTest, SaysWhatIsWrongAndWhere) {
  struct Case {
    const char* piece;
    const char* other;
    const char* line;
    const char* message;
  };
  const std::vector<Case> cases = {
      {"title", "titel", ":3", "unknown key \"titel\""},
      {"title = \"A toy\"", "", ":1", "'title' is missing"},
      {"title = \"A toy\"", "title = [", ":4", "is not TOML"},
      {"\"toy\"", "\"to/y\"", ":1", "'framework' is \"to/y\""},
      {"\"toy\"", "\"joy\"", ":1", "joy/sh belongs into a folder 'joy-sh', not 'toy-sh'"},
      {"[\"{home}/worker\", \"--quiet\"]", "[]", ":4", "'start' is an array of 0"},
      {"\"--quiet\"", "3", ":4", "'start' has 3, expected strings"},
      {"\"--quiet\"", "\n\"{house}\"", ":5", "\"{house}\" has no meaning here, expected one of"},
      {"\"--quiet\"", "\"{home\"", ":4", "\"{home\" has no meaning"},
      {"{folder}", "{shared:other}", ":5", "Name it in 'shares'"},
      {"command = [\"./setup\", \"{programs}\"]", "", ":4", "A worker has a home when [setup]"},
      {"A = \"{folder}/a\"", "A = 1", ":5", "'environment': 'A' is 1"},
      {"command", "comand", ":7", "[setup]: unknown key \"comand\""},
      {"{programs}", "{prog}", ":7", "\"{prog}\" has no meaning here"},
      {"[{ program = \"g++\", package = \"g++\" }]", "[\"g++\"]", ":8", "an array of tables"},
      {"program = \"g++\"", "program = \"/bin/g++\"", ":8", "a name to be looked up in PATH"},
      {", package = \"g++\"", "", ":8", "'needs': 'package' is missing"},
      {"package", "pakage", ":8", "unknown key \"pakage\""},
      {"[\"env\"]", "[\"../env\"]", ":9", "[setup]: 'shares'"},
      {"[capabilities]", "[capabilites]", ":10", "unknown key \"capabilites\""},
      {"\"train\"", "\"trian\"", ":11", "Did you mean 'train'?"},
      {"\"train\", ", "\"train\", \"train\", ", ":11", "'tasks' has \"train\" twice"},
      {"\"cpu\"", "\"tpu\"", ":12", "'devices' has \"tpu\""},
      {"\"linear\"", "\"lineal\"", ":17", "Did you mean 'linear'?"},
      {"\"cross_entropy\"", "\"mse\"", ":18", "'losses' has \"mse\""},
      {"\"sgd\"", "\"lion\"", ":19", "'optimizers' has \"lion\""},
      {"gru.reset", "grub.reset", ":20", "forms like \"gru.reset_after=false\""},
      {"probe = \"layers\"", "probe = \"all\"", ":21", "'probe' is \"all\""},
      {"saves = true", "saves = 1", ":22", "'saves' is 1"},
      {"saves = true", "", ":10", "'saves' is missing"},
      {"\"adam.epsilon_form\" =", "adam.epsilon_form =", ":24", "TYPE.FIELD, in quotes"},
      {"\"hat\"", "true", ":24", "'adam.epsilon_form' is true"},
  };
  for (const Case& wrong : cases) {
    SCOPED_TRACE(wrong.other);
    EXPECT_THAT(load_with(wrong.piece, wrong.other),
                fails_with(AllOf(HasSubstr("toy-sh/worker.toml" + std::string(wrong.line) + ": "),
                                 HasSubstr(wrong.message))));
  }
}

}  // namespace
}  // namespace crossbind::workers
