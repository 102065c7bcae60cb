// The program that is checked, once started: lines to and from it, and its end. Every wait is
// bounded. What an error says is a predicate of the worker: "did not connect within 60 s".
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "process/line_channel.h"
#include "protocol/messages.h"
#include "run/worker_program.h"

namespace crossbind::checkup {

class Subject {
 public:
  Subject(run::WorkerProgram program, std::chrono::milliseconds patience)
      : program_(std::move(program)),
        patience_(patience) {}

  [[nodiscard]] const std::string& token() const { return program_.token; }

  // Waits until it has connected and said hello. What the hello says is not judged here.
  [[nodiscard]] Result<protocol::Hello> hear_hello();

  [[nodiscard]] Status send_line(std::string_view line);
  [[nodiscard]] Status send(const protocol::Request& request);
  [[nodiscard]] Result<protocol::Event> receive();

  void hang_up() { channel_.reset(); }

  // How it ended by itself; an error, and no process, when it does not.
  [[nodiscard]] Result<process::Report> wait_for_end();

 private:
  [[nodiscard]] tl::unexpected<Error> gone();

  run::WorkerProgram program_;
  std::chrono::milliseconds patience_;
  std::optional<process::LineChannel> channel_;
};

// How a program ended, with the last lines that it printed.
[[nodiscard]] std::string describe_end(const process::Report& report);

// The same for any guarded program.
[[nodiscard]] Result<process::Report> wait_for_end(process::GuardedProcess& process,
                                                   std::chrono::milliseconds patience);

}  // namespace crossbind::checkup
