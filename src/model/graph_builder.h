// Turns the `layers` of a model file into nodes: expands blocks, finds inputs by name, infers
// shapes and lists parameters, in one pass in order of execution.
#pragma once

#include <toml++/toml.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "config/table_reader.h"
#include "model/layer_reader.h"
#include "model/model.h"

namespace crossbind::model {

// Limits that no honest model meets, so that a hostile file can neither exhaust memory nor
// overflow.
inline constexpr size_t kMaximumLayers = 10'000;
inline constexpr size_t kMaximumNesting = 8;
inline constexpr size_t kMaximumName = 250;
inline constexpr int64_t kMaximumParameters = int64_t{1} << 40;

class GraphBuilder {
 public:
  // Adds to `model`, whose inputs must be there already. All three must outlive the builder.
  GraphBuilder(const config::Document& document, InitRule rule, Model& model);

  [[nodiscard]] Status add(const toml::array& layers);
  // Refuses inputs and layers whose values go nowhere.
  [[nodiscard]] Status check_all_used() const;

 private:
  // The instance of a block that a layer stands in; none around the outermost layers.
  struct BlockInstance {
    const BlockInstance* outer = nullptr;
    std::string prefix;           // "encoder.0."
    std::optional<Source> input;  // "@input"
    size_t depth = 0;
  };

  [[nodiscard]] Status add_all(const toml::array& layers, const BlockInstance& around);
  [[nodiscard]] Status add_block(const toml::table& table, const BlockInstance& around);
  [[nodiscard]] Status add_layer(const toml::table& table, const BlockInstance& around);
  [[nodiscard]] Status add_node(config::TableReader& reader, LayerSpec spec, Node node);
  [[nodiscard]] Status add_parameters(const config::TableReader& reader,
                                      const LayerSpec& spec,
                                      Node& node);
  [[nodiscard]] Result<std::string> claim_name(const config::TableReader& reader, std::string name);
  [[nodiscard]] Result<std::vector<Source>> sources_of(config::TableReader& reader,
                                                       const BlockInstance& around);
  [[nodiscard]] Result<Source> find(const config::TableReader& reader,
                                    const std::string& name,
                                    const BlockInstance& around) const;
  [[nodiscard]] std::optional<Source> previous() const;

  const config::Document& document_;
  InitRule rule_;
  Model& model_;
  std::map<std::string, Source, std::less<>> sources_;
  std::vector<std::string> places_;  // of the nodes
  int64_t parameter_count_ = 0;
};

}  // namespace crossbind::model
