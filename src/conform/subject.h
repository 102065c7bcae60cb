// A binding under examination: its worker, started when first asked and again when it has died, and
// how long it was waited for. Knows nothing of what is asked.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "checkup/examination.h"
#include "converse/dialogue.h"
#include "converse/launcher.h"
#include "process/stop_signal.h"
#include "trial/capabilities.h"

namespace crossbind::conform {

class Subject {
 public:
  // Borrows all but the folder, which is its own and is made.
  Subject(const checkup::Candidate& candidate,
          converse::Launcher& launcher,
          const process::StopSignal& stop,
          std::filesystem::path folder)
      : candidate_(candidate),
        launcher_(launcher),
        stop_(stop),
        folder_(std::move(folder)) {}
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  ~Subject();

  [[nodiscard]] const checkup::Candidate& candidate() const { return candidate_; }

  // What its greeting claims.
  [[nodiscard]] converse::Attempt<trial::Capabilities> able();

  // As its greeting says; empty before it has been greeted.
  [[nodiscard]] const protocol::Texts& versions() const { return versions_; }

  // Gives the request its id. Only a prepare starts a worker that has died: the others need what
  // was prepared. A failure has its reason; one of the conversation ends the worker.
  [[nodiscard]] converse::Attempt<protocol::Done> ask(protocol::Request request,
                                                      const converse::Dialogue::OnEvent& on_event);
  [[nodiscard]] converse::Attempt<protocol::Done> ask(protocol::Request request);

  // A folder of its own, empty.
  [[nodiscard]] std::filesystem::path fresh_folder(const std::string& name) const;

  // How long it took to start and to answer, in all.
  [[nodiscard]] std::chrono::duration<double> waited() const { return waited_; }

 private:
  [[nodiscard]] converse::Attempt<void> start();
  [[nodiscard]] converse::Setback end_after(const converse::Setback& setback);

  const checkup::Candidate& candidate_;
  converse::Launcher& launcher_;
  const process::StopSignal& stop_;
  std::filesystem::path folder_;
  std::unique_ptr<converse::Worker> worker_;
  trial::Capabilities able_;
  protocol::Texts versions_;
  protocol::RequestId id_ = 0;
  std::chrono::duration<double> waited_{0};
};

}  // namespace crossbind::conform
