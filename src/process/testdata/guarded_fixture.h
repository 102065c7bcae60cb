// What tests of guarded processes share: starting crossbind-misbehave under the guard, and knowing
// which of its processes are alive.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "process/guarded.h"
#include "process/testdata/process_record.h"
#include "testing/testing.h"

namespace crossbind::process {

class GuardedTest : public testing::ScratchTest {
 protected:
  GuardedTest() : record_(scratch("processes").string()) {}

  [[nodiscard]] static std::string guard() { return testing::build_path("crossbind-guard"); }

  [[nodiscard]] static std::string misbehaving() {
    return testing::build_path("src/process/crossbind-misbehave");
  }

  [[nodiscard]] static GuardedCommand misbehave(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), misbehaving());
    return {.program = {.arguments = std::move(arguments)}};
  }

  [[nodiscard]] static GuardedProcess start(const GuardedCommand& command) {
    return GuardedProcess::start(guard(), command).value();
  }

  [[nodiscard]] static GuardedProcess start_to(std::vector<std::string> arguments) {
    return start(misbehave(std::move(arguments)));
  }

  // Generous: the machine may be busy with anything.
  [[nodiscard]] static bool comes_true(const std::function<bool()>& condition) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition() && std::chrono::steady_clock::now() < limit) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return condition();
  }

  // Where processes record themselves.
  [[nodiscard]] const std::string& record() const { return record_; }

  [[nodiscard]] bool have_recorded(size_t count) const {
    return comes_true([&] { return records_in(record_).size() >= count; });
  }

  [[nodiscard]] std::vector<pid_t> alive() const {
    std::vector<pid_t> pids;
    for (const auto& each : records_in(record_)) {
      if (is_alive(each)) {
        pids.push_back(each.pid);
      }
    }
    return pids;
  }

 private:
  std::string record_;
};

}  // namespace crossbind::process
