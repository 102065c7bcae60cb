// This machine as a place: programs under a guard, reached over a socket, with the files that we
// have ourselves. Safe to use from several threads.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>

#include "place/library_hashes.h"
#include "place/place.h"

namespace crossbind::place {

class LocalPlace final : public Place {
 public:
  // guard: the program crossbind-guard. sockets: an existing directory.
  LocalPlace(std::filesystem::path guard, std::filesystem::path sockets)
      : guard_(std::move(guard)),
        sockets_(std::move(sockets)) {}

  [[nodiscard]] Result<std::unique_ptr<RunningProgram>> start(const std::string& name,
                                                              const process::Program& program,
                                                              const Limits& limits,
                                                              const Contact& contact) override;
  [[nodiscard]] Texts host() const override;

 private:
  std::filesystem::path guard_;
  std::filesystem::path sockets_;
  LibraryHashes hashes_;
  std::atomic<int> count_ = 0;
};

}  // namespace crossbind::place
