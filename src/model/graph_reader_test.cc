#include "model/graph_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/graph_json.h"
#include "testing/testing.h"

namespace crossbind::model {
namespace {

std::vector<Model> ready_models() {
  std::vector<Model> models;
  const auto paths = list_models(testing::source_path("models"));
  EXPECT_THAT(paths, testing::is_ok());
  for (const auto& path : *paths) {
    for (const Geometry geometry : {Geometry::kFull, Geometry::kConform}) {
      auto model = load_model(path, geometry);
      EXPECT_THAT(model, testing::is_ok());
      models.push_back(std::move(*model));
    }
  }
  return models;
}

std::string graph_of(const Model& model) {
  return canonical_graph(model).dump();
}

TEST(GraphReader, GivesBackEveryReadyModelByteForByte) {
  const auto models = ready_models();
  ASSERT_GE(models.size(), 28U);
  for (const Model& model : models) {
    const auto read = read_graph(graph_of(model));
    ASSERT_THAT(read, testing::is_ok()) << model.id;
    EXPECT_EQ(graph_of(*read), graph_of(model));
    EXPECT_EQ(read->parameter_count(), model.parameter_count());
  }
}

TEST(GraphReader, NamesALayerItDoesNotKnow) {
  auto graph = canonical_graph(ready_models().front());
  graph["nodes"][0]["type"] = "capsule";
  const auto read = read_graph(graph.dump());
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(read.error().message, "layer capsule");
}

TEST(GraphReader, RefusesWhatIsNoGraph) {
  auto graph = canonical_graph(ready_models().front());
  for (const char* key : {"version", "nodes", "loss", "optimizer", "inputs"}) {
    auto less = graph;
    less.erase(key);
    EXPECT_THAT(read_graph(less.dump()), testing::fails_with(::testing::HasSubstr(key)));
  }
  graph["nodes"][0]["inputs"][0] = "nowhere";
  EXPECT_THAT(read_graph(graph.dump()), testing::fails_with(::testing::HasSubstr("nowhere")));
  EXPECT_THAT(read_graph("{"), testing::fails_with(::testing::HasSubstr("graph")));
  EXPECT_THAT(read_graph("[]"), testing::fails_with(::testing::HasSubstr("graph")));
}

}  // namespace
}  // namespace crossbind::model
