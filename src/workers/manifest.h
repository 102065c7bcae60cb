// worker.toml: how a worker is set up and started, and what it can do. Reads and checks the file;
// whether the worker is ready here is a matter of binding.h. docs/worker-manifests.md has the keys.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "trial/capabilities.h"

namespace crossbind::workers {

struct Need {
  std::string program;  // looked up in PATH
  std::string package;  // the Debian package that has it
};

struct Manifest {
  std::filesystem::path folder;
  std::string framework;
  std::string language;
  std::string title;
  // Texts with placeholders: see placeholders.h.
  std::vector<std::string> start;
  std::map<std::string, std::string> environment;
  std::vector<std::string> sources;  // relative to the folder
  std::vector<std::string> setup;    // the command, with placeholders; empty: there is none
  std::vector<Need> needs;
  std::vector<std::string> shares;  // names of folders in workers/shared
  trial::Capabilities capabilities;

  [[nodiscard]] std::string binding() const { return framework + "/" + language; }
  [[nodiscard]] std::string folder_name() const { return framework + "-" + language; }
};

// Errors name the file and the line.
[[nodiscard]] Result<Manifest> load_manifest(const std::filesystem::path& path);

}  // namespace crossbind::workers
