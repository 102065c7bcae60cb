// Every binding that is set up in the cache, on every ready model at its [conform] geometry: none
// is wrong, so that none may be accused.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "binding_fixture.h"
#include "process/command.h"

namespace crossbind {
namespace {

using Json = nlohmann::json;

class ConformBindingsTest : public BindingTest,
                            public ::testing::WithParamInterface<const char*> {};

TEST_P(ConformBindingsTest, AgreesOnEveryModelThatItSupports) {
  CROSSBIND_NEED(GetParam());
  const auto outcome =
      process::run(
          {.arguments = {testing::build_path("crossbind"), "conform", GetParam(), "--json"}})
          .value();
  const auto json = Json::parse(outcome.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << outcome.out << outcome.error;
  EXPECT_EQ(outcome.exit_code, 0);
  const auto models = model::list_models(testing::source_path("models")).value();
  EXPECT_EQ(json["verdicts"].size(), models.size());
  size_t agreeing = 0;
  for (const auto& verdict : json["verdicts"]) {
    const std::string word = verdict["verdict"];
    EXPECT_TRUE(word != "diverges" && word != "failed") << verdict.dump(2);
    agreeing += word == "agrees within rounding" || word == "convention" ? 1 : 0;
  }
  EXPECT_GE(agreeing, 4U);
  RecordProperty("largest_ratio", fmt::format("{}", json["largest_ratio_of_agreement"].dump()));
}

INSTANTIATE_TEST_SUITE_P(Bindings,
                         ConformBindingsTest,
                         ::testing::Values("reference/cpp",
                                           "reference/python",
                                           "pytorch/cpp",
                                           "pytorch/java",
                                           "pytorch/javascript",
                                           "pytorch/python",
                                           "pytorch/rust",
                                           "tensorflow/cpp",
                                           "tensorflow/java",
                                           "tensorflow/javascript",
                                           "tensorflow/python",
                                           "tensorflow/rust"),
                         [](const auto& binding) {
                           std::string name = binding.param;
                           std::ranges::replace(name, '/', '_');
                           return name;
                         });

}  // namespace
}  // namespace crossbind
