// A SavedModel, without TensorFlow's headers: a folder with a graph, its variables and signatures,
// by which others call it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "graph_session.h"

namespace tensorflow {
class MetaGraphDef;
}

namespace crossbind::worker {

struct SignatureTensor {
  std::string node;
  bool is_float32 = false;
  tensor::Shape shape;  // -1 where it is open
};

// By the names that its writer gave them.
struct Signature {
  std::map<std::string, SignatureTensor> inputs;
  std::map<std::string, SignatureTensor> outputs;
};

class SavedModel {
 public:
  // The graph with the tag 'serve', its variables as saved.
  [[nodiscard]] static Result<SavedModel> load(const std::filesystem::path& folder, int threads);
  SavedModel(SavedModel&& other) noexcept;
  SavedModel& operator=(SavedModel&& other) noexcept;
  ~SavedModel();

  // Null: there is none.
  [[nodiscard]] const Signature* find(const std::string& name) const;

  // The outputs of a signature by their names, from inputs by theirs.
  [[nodiscard]] std::vector<NativeTensor> call(const Signature& signature,
                                               const Feeds& inputs,
                                               const Names& outputs);

  // Its variables as saved again.
  [[nodiscard]] Status restore();

 private:
  SavedModel(std::filesystem::path folder,
             GraphSession session,
             std::unique_ptr<tensorflow::MetaGraphDef> graph);

  std::filesystem::path folder_;
  GraphSession session_;
  std::unique_ptr<tensorflow::MetaGraphDef> graph_;
  std::map<std::string, Signature> signatures_;
};

}  // namespace crossbind::worker
