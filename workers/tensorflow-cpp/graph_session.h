// A graph of TensorFlow and the session that runs it, without TensorFlow's headers. Knows nodes by
// their names, and nothing of models.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "native_tensor.h"

namespace tensorflow {
class Session;
}

namespace crossbind::worker {

// A status of TensorFlow's that is not ok. It has no exceptions, but what a framework cannot do in
// the middle of a step reaches the SDK as one.
class TensorflowError : public std::runtime_error {
 public:
  TensorflowError(const std::string& message, bool lacks_memory)
      : std::runtime_error(message),
        lacks_memory_(lacks_memory) {}

  [[nodiscard]] bool lacks_memory() const { return lacks_memory_; }

 private:
  bool lacks_memory_;
};

using Feeds = std::vector<std::pair<std::string, NativeTensor>>;
using Names = std::vector<std::string>;

class GraphSession {
 public:
  // Of a GraphDef as bytes. TensorFlow has one pool of threads for all sessions: the first decides
  // how many they are.
  GraphSession(const std::string& definition, int threads);
  explicit GraphSession(std::unique_ptr<tensorflow::Session> session);
  GraphSession(GraphSession&& other) noexcept;
  GraphSession& operator=(GraphSession&& other) noexcept;
  ~GraphSession();

  // Adds nodes to the graph, as bytes of a GraphDef. What has run stays as it is optimized.
  void extend(const std::string& definition);

  // The fetched tensors, after the targets have run too.
  std::vector<NativeTensor> run(const Feeds& feeds,
                                const Names& fetches,
                                const Names& targets = {});

  [[nodiscard]] std::unique_ptr<tensorflow::Session>& native() { return session_; }

 private:
  std::unique_ptr<tensorflow::Session> session_;
};

// "2.18.0"
[[nodiscard]] std::string tensorflow_version();

}  // namespace crossbind::worker
