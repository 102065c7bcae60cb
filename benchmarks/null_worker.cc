// A worker that does nothing and says so at once: what is left is the cost of the messages.
#include "crossbind_worker/serve.h"

namespace crossbind::worker {
namespace {

class NullBinding : public Binding {
 public:
  Result<protocol::Done> prepare(const protocol::Prepare& /*request*/) override {
    return protocol::Done{};
  }
  Result<Reply> train(const protocol::Train& /*request*/, Conversation& /*talk*/) override {
    return protocol::Done{};
  }
  Result<Reply> infer(const protocol::Infer& /*request*/, Conversation& /*talk*/) override {
    return protocol::Done{};
  }
  Result<Reply> probe(const protocol::Probe& /*request*/) override { return protocol::Done{}; }
};

}  // namespace
}  // namespace crossbind::worker

int main() {
  crossbind::worker::NullBinding binding;
  return crossbind::worker::serve(binding, {.binding = "null/cpp"});
}
