#include "model/graph_json.h"

#include <nlohmann/json.hpp>

#include "model/ready_model.h"
#include "testing/testing.h"

namespace crossbind::model {
namespace {

using testing::is_ok;

nlohmann::ordered_json graph_of(const std::string& id, Geometry geometry) {
  return canonical_graph(find_model(id, kReadyModels, geometry).value());
}

nlohmann::ordered_json fields_of(const nlohmann::ordered_json& graph, const std::string& name) {
  for (const auto& node : graph.at("nodes")) {
    if (node.at("name") == name) {
      return node.at("fields");
    }
  }
  ADD_FAILURE() << "no node " << name;
  return {};
}

TEST(GraphJson, OfLenet1IsTheGoldenText) {
  const auto golden = read_file(testing::source_path("src/model/testdata/lenet1.graph.json"));
  ASSERT_THAT(golden, is_ok());
  EXPECT_EQ(graph_of("lenet1", Geometry::kFull).dump(2) + "\n", *golden);
}

TEST(GraphJson, SpellsOutResolvedPadsAndConventions) {
  const auto resnet = graph_of("resnet20", Geometry::kFull);
  EXPECT_EQ(
      fields_of(resnet, "stage2.down.conv1").dump(),
      R"({"in_channels":16,"out_channels":32,"kernel":[3,3],"stride":[2,2],"pads":[0,0,1,1],"bias":true})");
  EXPECT_EQ(fields_of(resnet, "bn").dump(),
            R"({"features":16,"epsilon":1e-05,"momentum":0.1,"running_variance":"unbiased"})");
  EXPECT_EQ(
      resnet.at("optimizer").dump(),
      R"({"type":"sgd","rate":0.1,"momentum":0.9,"weight_decay":{"value":0.0001,"form":"coupled","applies_to":"all"}})");
  EXPECT_EQ(
      fields_of(graph_of("grurb", Geometry::kFull), "gru").dump(),
      R"({"in_features":300,"hidden":512,"gates":"rzn","biases":1,"reset_after":false,"recurrent_activation":"sigmoid"})");
  EXPECT_EQ(
      fields_of(graph_of("lstm", Geometry::kConform), "lstm").dump(),
      R"({"in_features":32,"hidden":32,"gates":"ifgo","biases":1,"recurrent_activation":"sigmoid"})");
}

TEST(GraphJson, OfBertNamesInputsMaskAndAdam) {
  const auto bert = graph_of("bert-base", Geometry::kConform);
  EXPECT_EQ(bert.at("inputs").at(1).dump(),
            R"({"name":"segments","type":"integer","shape":[32],"entries":2})");
  EXPECT_EQ(fields_of(bert, "encoder.1.attention").dump(),
            R"({"width":64,"heads":4,"masked":true})");
  EXPECT_EQ(fields_of(bert, "encoder.0.gelu").dump(), R"({"form":"erf"})");
  EXPECT_EQ(fields_of(bert, "embeddings.word").dump(),
            R"({"kind":"token","entries":200,"width":64,"padding_index":null})");
  EXPECT_EQ(bert.at("optimizer").at("epsilon_form"), "outside");
  EXPECT_EQ(bert.at("loss").at("type"), "span_cross_entropy");
}

}  // namespace
}  // namespace crossbind::model
