#include "claims/analysis_cells.h"

#include "testing/testing.h"

namespace crossbind::claims {
namespace {

using ::testing::ElementsAre;
using testing::is_ok;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const analysis::Scope kScope = {"pytorch", "lenet1", {{"dataset", "mnist"}, {"device", "gpu"}}};

Labels labels(const std::string& quantity, const Labels& more) {
  return merged({{"quantity", quantity}, {"framework", "pytorch"}, {"model", "lenet1"}}, more);
}

std::vector<double> samples_of(const Cells& cells, const Labels& asked) {
  const auto found = cells.find(asked);
  EXPECT_THAT(found, SizeIs(1)) << to_string(asked);
  return found.empty() ? std::vector<double>() : found[0].samples;
}

std::string word_of(const Cells& cells, const Labels& asked) {
  const auto found = cells.find(asked);
  return found.empty() ? "none" : found[0].word;
}

TEST(AnalysisCells, HaveWhatAnAnalysisFound) {
  analysis::Analysis analysis;
  analysis.dtw = {{kScope, "python", "csharp", analysis::DtwMethod::kFastDtw, 5, 0.25, 0.5},
                  {kScope, "python", "csharp", analysis::DtwMethod::kExact, 5, 0.125, 0.25}};
  analysis.scores = {{analysis::Score::kAuc, kScope, "rust", {0.5, 0.75}, 0.625}};
  analysis.score_tests.resize(2);
  for (auto& test : analysis.score_tests) {
    test.scope = kScope;
    test.largest_difference = 0.25;
  }
  analysis.training_times = {{kScope, "rust", "gpu", {3, 4}, 3.5}};
  analysis.inference_times = {{kScope, "rust", "cpu", {1}, 1}};
  analysis.training_parts = {{kScope, "rust", "gpu", 1, 1, 2, 3, 6}};
  analysis.inference_parts = {{kScope, "rust", "gpu", 1, 1, 2, std::nullopt, 3}};
  analysis.cross_binding = {{kScope,
                             "csharp",
                             "cpu",
                             analysis::Mode::kParameters,
                             analysis::Reproduction::kFailed,
                             0.0078125}};
  const auto cells = cells_of(analysis);
  ASSERT_THAT(cells, is_ok());
  EXPECT_THAT(samples_of(*cells, labels("dtw.max", {{"pair", "csharp-python"}})), ElementsAre(0.5));
  EXPECT_THAT(samples_of(*cells, labels("dtw_exact.mean", {{"pair", "csharp-python"}})),
              ElementsAre(0.125));
  EXPECT_THAT(samples_of(*cells, labels("auc", {{"binding", "rust"}})), ElementsAre(50, 75));
  EXPECT_THAT(samples_of(*cells, labels("accuracy.largest_difference", {})), ElementsAre(25));
  const Labels rust_gpu = {{"binding", "rust"}, {"device", "gpu"}};
  EXPECT_THAT(samples_of(*cells, labels("training_time", rust_gpu)), ElementsAre(3, 4));
  EXPECT_THAT(
      samples_of(*cells, labels("inference_time", {{"binding", "rust"}, {"device", "cpu"}})),
      ElementsAre(1));
  EXPECT_THAT(samples_of(*cells, labels("train.backward", rust_gpu)), ElementsAre(3));
  EXPECT_THAT(samples_of(*cells, labels("infer.total", rust_gpu)), ElementsAre(3));
  EXPECT_THAT(cells->find(labels("infer.backward", rust_gpu)), IsEmpty());
  const Labels csharp = {{"binding", "csharp"}, {"device", "cpu"}, {"mode", "parameters"}};
  EXPECT_EQ(word_of(*cells, labels("outcome", csharp)), "failed");
  EXPECT_THAT(samples_of(*cells, labels("accuracy_change", csharp)), ElementsAre(0.78125));
}

TEST(AnalysisCells, KeepConditionsApart) {
  auto idiomatic = kScope;
  idiomatic.condition["loader"] = "idiomatic";
  analysis::Analysis analysis;
  analysis.training_times = {{kScope, "rust", "gpu", {3}, 3}, {idiomatic, "rust", "gpu", {4}, 4}};
  const auto cells = cells_of(analysis);
  ASSERT_THAT(cells, is_ok());
  const auto found = cells->find(labels("training_time", {{"binding", "rust"}, {"device", "gpu"}}));
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[1].condition, (Labels{{"loader", "idiomatic"}}));
}

TEST(AnalysisCells, SayWhatIsSupported) {
  analysis::Analysis analysis;
  analysis.support = {{"pytorch", "lenet1", "rust", trial::Task::kTrain, true},
                      {"pytorch", "bert-base", "rust", trial::Task::kTrain, false},
                      {"pytorch", "lenet1", "javascript", trial::Task::kInferParameters, false},
                      {"pytorch", "lenet1", "javascript", trial::Task::kInferSerialization, true}};
  const auto cells = cells_of(analysis);
  ASSERT_THAT(cells, is_ok());
  const auto support = [&](const std::string& binding, const std::string& feature) {
    return word_of(*cells,
                   {{"quantity", "support"},
                    {"framework", "pytorch"},
                    {"binding", binding},
                    {"feature", feature}});
  };
  EXPECT_EQ(support("rust", "training"), "yes");
  EXPECT_EQ(support("rust", "cnn"), "yes");
  EXPECT_EQ(support("rust", "bert"), "no");
  EXPECT_EQ(support("rust", "serialization"), "none");
  EXPECT_EQ(support("javascript", "cnn"), "none") << "it builds nothing";
  EXPECT_EQ(support("javascript", "parameters"), "no");
  EXPECT_EQ(support("javascript", "serialization"), "yes");
}

}  // namespace
}  // namespace crossbind::claims
