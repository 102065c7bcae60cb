// `crossbind cross` and `crossbind check` with bindings of both frameworks, as they are set up in
// the cache.
#include <nlohmann/json.hpp>

#include "binding_fixture.h"
#include "process/command.h"
#include "trial/binding_name.h"

namespace crossbind {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::SizeIs;

class CrossBindingsTest : public BindingTest {
 protected:
  [[nodiscard]] json crossbind(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), testing::build_path("crossbind"));
    arguments.emplace_back("--json");
    const auto outcome =
        process::run({.arguments = std::move(arguments),
                      .directory = scratch(""),
                      .environment = {"CROSSBIND_HOME=" + testing::source_path().string()}})
            .value();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.error;
    return json::parse(outcome.out, nullptr, false);
  }

  static std::string framework_of(const json& binding) {
    return trial::BindingName(binding.get<std::string>()).framework();
  }

  // The model as the framework's own file, written by its Python.
  [[nodiscard]] std::string serialized(const std::string& python,
                                       const checkup::Exercise& exercise) const {
    const std::string path = scratch("serialized").string();
    BoundWorker worker = start(python);
    worker.ask(exercise.prepare());
    worker.ask(protocol::Serialize{.path = path, .format = worker.able().writes.front()});
    EXPECT_EQ(worker.end().ending, process::Ending::kExited);
    return path;
  }
};

TEST_F(CrossBindingsTest, AModelStaysTheSameInEveryOtherBinding) {
  CROSSBIND_NEED("pytorch/python");
  CROSSBIND_NEED("pytorch/rust");
  CROSSBIND_NEED("tensorflow/python");
  const json found = crossbind({"cross",
                                "pytorch/python",
                                "pytorch/rust",
                                "tensorflow/python",
                                "--model",
                                "lenet1",
                                "--data",
                                "glyphs-200-50",
                                "--epochs",
                                "1"});
  ASSERT_THAT(found["cross"], SizeIs(18));
  for (const json& cell : found["cross"]) {
    SCOPED_TRACE(cell.dump());
    const bool stays = framework_of(cell["trained_in"]) == framework_of(cell["scored_in"]);
    if (cell["mode"] == "serialization" && !stays) {
      EXPECT_EQ(cell["outcome"], "unsupported");
      continue;
    }
    EXPECT_THAT(cell["outcome"], AnyOf("identical", "close"));
    EXPECT_EQ(cell["differing"], 0);
    if (cell["trained_in"] == cell["scored_in"] && cell["mode"] == "parameters") {
      EXPECT_EQ(cell["outcome"], "identical");  // what it saved is what it had
    }
  }
}

// A framework, for the file that its Python writes: TorchScript, or a SavedModel.
class CheckedFileTest : public CrossBindingsTest,
                        public ::testing::WithParamInterface<const char*> {};

TEST_P(CheckedFileTest, GivesTheSameAnswersInEveryBindingThatLoadsIt) {
  const std::string framework = GetParam();
  const std::string python = framework + "/python";
  const std::vector<std::string> others = {
      framework + "/cpp", framework + "/java", framework + "/javascript", framework + "/rust"};
  CROSSBIND_NEED(python);
  const auto made = exercise(model("lenet1"), {.batch_size = 8}, {});
  std::vector<std::string> arguments = {"check",
                                        serialized(python, made),
                                        "--model",
                                        "lenet1",
                                        "--data",
                                        made.data().path().string(),
                                        "--binding"};
  for (const auto& other : others) {
    CROSSBIND_NEED(other);
    arguments.push_back(other);
  }
  const json found = crossbind(arguments);
  ASSERT_THAT(found["check"], SizeIs(1 + others.size()));
  EXPECT_EQ(found["check"][0]["binding"], python);
  for (size_t i = 0; i < others.size(); ++i) {
    const json& row = found["check"][1 + i];
    EXPECT_EQ(row["binding"], others[i]);
    EXPECT_THAT(row["outcome"], AnyOf("identical", "close")) << row.dump();
    EXPECT_EQ(row["differing"], 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Frameworks,
                         CheckedFileTest,
                         ::testing::Values("pytorch", "tensorflow"),
                         [](const auto& framework) { return std::string(framework.param); });

}  // namespace
}  // namespace crossbind
