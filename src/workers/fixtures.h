// What the tests of this folder share: workers whose setup is a small shell script.
#pragma once

#include <string>
#include <vector>

#include "testing/testing.h"
#include "workers/binding.h"
#include "workers/places.h"
#include "workers/setup.h"

namespace crossbind::workers {

inline constexpr const char* kCapabilities = R"([capabilities]
tasks = ["train", "infer-parameters"]
devices = ["cpu"]
loaders = ["resident"]
variants = ["step"]
measures = ["total"]
training_accuracies = ["running"]
layers = ["linear", "gru"]
losses = ["cross_entropy"]
optimizers = ["sgd"]
lacks = ["gru.reset_after=false"]
probe = "layers"
saves = true
[capabilities.conventions]
"adam.epsilon_form" = "hat"
)";

// Installs the program that kStart names.
inline constexpr const char* kInstall =
    "mkdir -p \"$CROSSBIND_WORKER_HOME/bin\"\n"
    "cp /bin/true \"$CROSSBIND_WORKER_HOME/bin/worker\"\n";

class WorkersTest : public testing::ScratchTest {
 protected:
  WorkersTest();

  // toy-LANGUAGE with a ./setup of this script, and further keys of [setup].
  void add_worker(const std::string& language,
                  const std::string& script,
                  const std::string& setup_keys = "");
  void add_shared(const std::string& name, const std::string& script);
  void write(const std::string& path, const std::string& text) const;  // in the workers folder
  void write_script(const std::string& path, const std::string& text) const;
  [[nodiscard]] std::string read(const std::string& path) const;  // in the scratch folder

  [[nodiscard]] Binding find(const std::string& name) const;
  [[nodiscard]] Result<SetupReport> set_up_now(const std::string& name) const;
  // Names of what lies in a folder of the cache, sorted.
  [[nodiscard]] std::vector<std::string> cached(const std::string& folder) const;

  Places places_;
};

// Remembers what it is told.
class RecordedWatch final : public SetupWatch {
 public:
  void waits(const std::string& what) override { told.push_back("waits " + what); }
  void begins(const std::string& what, const std::filesystem::path&) override {
    told.push_back("begins " + what);
  }
  void goes_on(const std::string& last_line) override { last = last_line; }
  void ends() override { told.emplace_back("ends"); }

  std::vector<std::string> told;
  std::string last;
};

}  // namespace crossbind::workers
