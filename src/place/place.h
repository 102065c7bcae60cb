// Where workers run. A place is given a program with its limits, and files; it gives back a channel
// of lines, how the program ended, and what it ran on. Knows nothing of what is said. local_place.h
// is this machine; nobody above knows which place it is.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/texts.h"
#include "process/guarded.h"
#include "process/program.h"
#include "process/stop_signal.h"

namespace crossbind::place {

struct Limits {
  std::chrono::milliseconds time{0};  // 0: none
  uint64_t memory = 0;                // bytes; 0: none
  std::vector<int> cpus;              // where it may run; empty: anywhere
  int threads = 1;                    // what the libraries' environment variables say
};

enum class Reach {
  kUsual,    // as suits the place
  kTcp,      // over TCP, which every worker can
  kNowhere,  // not at all: nobody listens
};

// How the program is told to reach us: which variables of its environment say where we are, and
// what proves that it is the one. They have the names that the program knows.
struct Contact {
  Reach reach = Reach::kUsual;
  std::string endpoint_variable;
  std::string token_variable;
};

struct Connected {};
struct Ended {};          // the program has closed its side or is gone
struct Interrupted {};    // by what was given to interrupt the wait
struct Silent {           // nothing whole came in time
  size_t unfinished = 0;  // bytes that came without a line feed
};
using Joined = std::variant<Connected, Ended, Interrupted, Silent>;
using HeardLine = std::variant<std::string, Ended, Interrupted, Silent>;

// One program that was started. It, and all that it started, ends with this object.
class RunningProgram {
 public:
  RunningProgram() = default;
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  virtual ~RunningProgram() = default;

  // What it was given to prove that it is the one who connects.
  [[nodiscard]] virtual const std::string& token() const = 0;

  // The channel. Nothing can be sent or received before the program has connected.
  [[nodiscard]] virtual Result<Joined> connect(std::chrono::milliseconds timeout,
                                               process::Interruption interruption) = 0;
  [[nodiscard]] virtual Status send_line(std::string_view line) = 0;
  [[nodiscard]] virtual Result<HeardLine> receive_line(std::chrono::milliseconds timeout,
                                                       process::Interruption interruption) = 0;
  virtual void hang_up() = 0;

  // Files and folders. Each takes a path here; the first two answer with the program's own path for
  // it.
  [[nodiscard]] virtual Result<std::filesystem::path> bring(const std::filesystem::path& here) = 0;
  [[nodiscard]] virtual Result<std::filesystem::path> make_room(
      const std::filesystem::path& here) = 0;  // for what it will write
  [[nodiscard]] virtual Status fetch(const std::filesystem::path& here) = 0;  // what it wrote there

  // The libraries that it has loaded, by file name, with their SHA-256.
  [[nodiscard]] virtual Texts libraries() = 0;

  // How it ended by itself; nothing when it still runs then.
  [[nodiscard]] virtual std::optional<process::End> wait_for_end(
      std::chrono::milliseconds timeout) = 0;
  // Ends it. Returns when nothing of it is left.
  [[nodiscard]] virtual process::End end() = 0;
};

class Place {
 public:
  virtual ~Place() = default;

  // Fails when the program cannot be started, and says which. `name` is what people call it, for
  // places that show what they run.
  [[nodiscard]] virtual Result<std::unique_ptr<RunningProgram>> start(
      const std::string& name,
      const process::Program& program,
      const Limits& limits,
      const Contact& contact) = 0;

  // The machine that programs run on: what a reader of results needs to know of it.
  [[nodiscard]] virtual Texts host() const = 0;
};

}  // namespace crossbind::place
