// docs/layers.md is what the descriptions say; CROSSBIND_WRITE_GOLDEN=1 writes it anew.
#include "model/layers_page.h"

#include "model/losses.h"
#include "model/parameters.h"
#include "model/types.h"
#include "testing/testing.h"

namespace crossbind::model {
namespace {

using ::testing::HasSubstr;
using testing::is_ok;

TEST(LayersPage, IsTheCommittedFile) {
  const auto path = testing::source_path("docs/layers.md");
  if (std::getenv("CROSSBIND_WRITE_GOLDEN") != nullptr) {
    ASSERT_THAT(write_file(path, layers_page()), is_ok());
  }
  const auto committed = read_file(path);
  ASSERT_THAT(committed, is_ok());
  EXPECT_EQ(layers_page(), *committed);
}

// The names behind the layer's own, and the last part of "key.weight", whose others are "likewise".
TEST(LayersPage, NamesEveryParameterOfEveryLayer) {
  for (const auto& [name, layer] : kLayerTypes) {
    SCOPED_TRACE(name);
    const std::string_view documented = std::visit(
        []<typename Type>(const Type&) { return Description<Type>::kParameters; }, layer);
    const auto parameters = parameters_of(layer, "layer", {});
    EXPECT_EQ(parameters.empty(), documented.empty());
    for (const Parameter& parameter : parameters) {
      const std::string suffix = parameter.name.substr(std::string_view("layer.").size());
      EXPECT_THAT(std::string(documented), HasSubstr("`" + suffix.substr(0, suffix.find('.'))));
    }
  }
}

TEST(LayersPage, HasASectionForEveryTypeThereIs) {
  const std::string page = layers_page();
  for (const auto& type : kLayerTypes) {
    EXPECT_THAT(page, HasSubstr(fmt::format("\n### {}\n", type.name)));
  }
  for (const auto& type : kLosses) {
    EXPECT_THAT(page, HasSubstr(fmt::format("\n### {}\n", type.name)));
    EXPECT_FALSE(describe(type.value).targets.empty()) << type.name;
  }
  for (const auto& type : kOptimizerTypes) {
    EXPECT_THAT(page, HasSubstr(fmt::format("\n### {}\n", type.name)));
  }
}

}  // namespace
}  // namespace crossbind::model
