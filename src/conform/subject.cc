#include "conform/subject.h"

namespace crossbind::conform {
namespace {

using converse::Attempt;
using converse::because;
using converse::Failure;

// For a worker that hangs; nothing here takes as long.
constexpr std::chrono::minutes kLongestLife{120};

// Adds the time until its end.
class Waiting {
 public:
  explicit Waiting(std::chrono::duration<double>& total) : total_(total) {}
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() { total_ += std::chrono::steady_clock::now() - began_; }

 private:
  std::chrono::duration<double>& total_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace

Subject::~Subject() {
  if (worker_ != nullptr) {
    const bool is_told = worker_->send(protocol::Bye{}).has_value();
    static_cast<void>(
        worker_->end(is_told ? converse::Worker::Leave::kByItself : converse::Worker::Leave::kNow));
  }
}

Attempt<void> Subject::start() {
  if (worker_ != nullptr) {
    return {};
  }
  const Waiting waiting(waited_);
  // Its answers are held against one another.
  process::Program program = candidate_.command;
  program.environment.push_back(std::string(protocol::kRepeatableVariable) + "=1");
  auto launched =
      launcher_.launch(candidate_.binding, program, {.time = kLongestLife, .threads = 1});
  if (!launched) {
    return because(Failure{launched.error().to_string()});
  }
  worker_ = std::move(*launched);
  const auto hello = converse::Dialogue(*worker_, stop_).greet();
  if (!hello) {
    return because(end_after(hello.error()));
  }
  if (hello->leaves_capabilities && !candidate_.declared) {
    return because(
        end_after(Failure{"its hello has no capabilities, and there is no worker.toml"}));
  }
  able_ = hello->leaves_capabilities ? *candidate_.declared : hello->capabilities;
  versions_ = hello->versions;
  return {};
}

Attempt<trial::Capabilities> Subject::able() {
  if (const auto started = start(); !started) {
    return because(started.error());
  }
  return able_;
}

Attempt<protocol::Done> Subject::ask(protocol::Request request,
                                     const converse::Dialogue::OnEvent& on_event) {
  if (std::holds_alternative<protocol::Prepare>(request)) {
    if (const auto started = start(); !started) {
      return because(started.error());
    }
  } else if (worker_ == nullptr) {
    return because(Failure{"is not there any more"});
  }
  protocol::set_id(request, ++id_);
  const Waiting waiting(waited_);
  auto done = converse::Dialogue(*worker_, stop_).ask(request, on_event);
  if (!done && !std::holds_alternative<converse::Lack>(done.error())) {
    return because(end_after(done.error()));
  }
  return done;
}

Attempt<protocol::Done> Subject::ask(protocol::Request request) {
  return ask(std::move(request), [](const protocol::Event&) { return Status(); });
}

// What is left of a conversation that went wrong is not to be trusted.
converse::Setback Subject::end_after(const converse::Setback& setback) {
  const process::End end = worker_->end(converse::leave_after(Attempt<void>(because(setback))));
  worker_.reset();
  const auto* failure = std::get_if<Failure>(&setback);
  return failure == nullptr ? setback
                            : Failure{converse::one_line(converse::explain(*failure, end))};
}

std::filesystem::path Subject::fresh_folder(const std::string& name) const {
  auto path = folder_ / name;
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
  std::filesystem::create_directories(path, ignored);
  return path;
}

}  // namespace crossbind::conform
