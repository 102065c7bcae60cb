// A worker as those who speak to it see it: greeted, asked, ended; typed messages over the lines of
// a place. Brings the files that a request names to where the worker runs, and back.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.h"
#include "place/place.h"
#include "process/stop_signal.h"
#include "protocol/messages.h"

namespace crossbind::converse {

using place::Ended;
using place::Interrupted;
using place::Silent;
using Heard = std::variant<protocol::Event, Ended, Interrupted, Silent>;

// "; it sent 12 bytes without a line feed", or nothing.
[[nodiscard]] std::string describe_unfinished(const Silent& silent);

// How workers are treated, all alike.
struct Manners {
  std::string version;                               // of crossbind, for the greeting
  std::chrono::milliseconds hello_timeout{120'000};  // frameworks take their time to load
  std::chrono::milliseconds grace{5'000};            // between bye and the end
};

class Worker {
 public:
  // `binding` is what it must call itself; empty: anything.
  Worker(std::string binding,
         std::unique_ptr<place::RunningProgram> program,
         const Manners& manners)
      : binding_(std::move(binding)),
        program_(std::move(program)),
        manners_(manners) {}

  // Waits for the worker's hello and answers it. Errors say what is wrong with it: another version,
  // a wrong token, a name that is not the expected one. Ended and Interrupted as in receive().
  [[nodiscard]] Result<Heard> greet(process::Interruption interruption);
  // The two halves of it, for whoever judges the hello: the first message, whatever it says.
  [[nodiscard]] Result<Heard> hear_first(std::chrono::milliseconds timeout,
                                         process::Interruption interruption);
  [[nodiscard]] Status welcome();

  [[nodiscard]] Status send(const protocol::Request& request);
  // A line that may be no message.
  [[nodiscard]] Status send_line(std::string_view line) { return program_->send_line(line); }
  // The next event; an error when a line is not one.
  [[nodiscard]] Result<Heard> receive(std::chrono::milliseconds timeout,
                                      process::Interruption interruption);

  enum class Leave {
    kByItself,  // it has been told bye or has gone: it gets a moment
    kNow,
  };
  // Returns when nothing of it is left.
  [[nodiscard]] process::End end(Leave leave);

  [[nodiscard]] place::RunningProgram& program() { return *program_; }

 private:
  [[nodiscard]] Status check(const protocol::Event& event);
  [[nodiscard]] Status refuse(const std::string& reason);
  [[nodiscard]] Status fetch_written(protocol::Done& done);

  std::string binding_;
  std::unique_ptr<place::RunningProgram> program_;
  const Manners& manners_;
  std::map<std::filesystem::path, std::filesystem::path> written_;  // here to there
};

}  // namespace crossbind::converse
