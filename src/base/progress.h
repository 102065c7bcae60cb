// Progress of long work. Library code reports to a Progress; the program decides how it looks. Own
// code, because a library's bar would need the plain lines for no terminal, and the clock that
// tests set, around it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace crossbind {

class Progress {
 public:
  virtual ~Progress() = default;

  // A new piece of work; total 0 means unknown. The unit is "B" for bytes, else a plural noun.
  virtual void begin(const std::string& label, uint64_t total, const std::string& unit) = 0;
  virtual void advance(uint64_t done) = 0;  // done in all, not since the last call
  virtual void end() = 0;
  virtual void clear() = 0;  // ends it without a trace
};

class SilentProgress final : public Progress {
 public:
  void begin(const std::string&, uint64_t, const std::string&) override {}
  void advance(uint64_t) override {}
  void end() override {}
  void clear() override {}
};

// A bar with rate and time left, redrawn at most ten times a second, on a terminal; elsewhere one
// plain line when a piece begins and one when it ends.
class TerminalProgress final : public Progress {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  using Output = std::function<void(const std::string&)>;

  TerminalProgress();  // stderr, the real clock
  TerminalProgress(bool interactive, Output output, Clock clock);

  void begin(const std::string& label, uint64_t total, const std::string& unit) override;
  void advance(uint64_t done) override;
  void end() override;
  void clear() override;

  [[nodiscard]] bool is_interactive() const { return interactive_; }

 private:
  [[nodiscard]] std::string line(bool finished) const;
  [[nodiscard]] std::string amount(uint64_t value) const;

  bool interactive_;
  Output output_;
  Clock clock_;
  std::string label_;
  std::string unit_;
  uint64_t total_ = 0;
  uint64_t done_ = 0;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point drawn_;
};

}  // namespace crossbind
