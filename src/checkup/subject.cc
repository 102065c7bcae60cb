#include "checkup/subject.h"

#include <fmt/format.h>

#include <poll.h>

#include <array>

#include "process/waiting.h"
#include "protocol/codec.h"

namespace crossbind::checkup {
namespace {

constexpr size_t kLastWords = 400;  // bytes shown of what it printed last

double seconds(std::chrono::milliseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

std::string describe_end(const process::Report& report) {
  std::string_view log = report.log;
  while (!log.empty() && log.back() == '\n') {
    log.remove_suffix(1);
  }
  if (log.size() > kLastWords) {
    log.remove_prefix(log.size() - kLastWords);
    log.remove_prefix(std::min(log.find('\n') + 1, log.size()));
  }
  return log.empty() ? fmt::format("it {} and printed nothing", report.describe())
                     : fmt::format("it {} and printed: {}", report.describe(), log);
}

Result<process::Report> wait_for_end(process::GuardedProcess& process,
                                     std::chrono::milliseconds patience) {
  const process::Deadline deadline(patience);
  static_cast<void>(process::wait_for(process.end_descriptor(), POLLIN, deadline, {}));
  if (!process.has_ended()) {
    process.kill();
    return fail(ErrorKind::kInvalid, "still ran {:.0f} s later", seconds(patience));
  }
  return process.wait();
}

Result<protocol::Hello> Subject::hear_hello() {
  const std::array wake = {program_.process.end_descriptor()};
  CB_ASSIGN(auto accepted, program_.listener.accept(patience_, wake));
  if (std::holds_alternative<process::Woken>(accepted)) {
    return gone();
  }
  if (std::holds_alternative<process::TimedOut>(accepted)) {
    return fail(ErrorKind::kInvalid,
                "did not connect to {}={} within {:.0f} s",
                protocol::kEndpointVariable,
                program_.listener.address(),
                seconds(patience_));
  }
  channel_.emplace(std::get<process::FileDescriptor>(std::move(accepted)), protocol::kMaximumLine);
  CB_ASSIGN(auto event, receive());
  if (auto* hello = std::get_if<protocol::Hello>(&event)) {
    return std::move(*hello);
  }
  return fail(ErrorKind::kInvalid, "the first message is no hello");
}

Status Subject::send_line(std::string_view line) {
  if (!channel_->send_line(line)) {
    return gone();
  }
  return {};
}

Status Subject::send(const protocol::Request& request) {
  return send_line(protocol::encode(request));
}

Result<protocol::Event> Subject::receive() {
  const std::array wake = {program_.process.end_descriptor()};
  CB_ASSIGN(auto received, channel_->receive_line(patience_, wake));
  if (const auto* line = std::get_if<std::string>(&received)) {
    return protocol::decode_event(*line);
  }
  if (std::holds_alternative<process::TimedOut>(received)) {
    return fail(ErrorKind::kInvalid, "said nothing for {:.0f} s", seconds(patience_));
  }
  return gone();
}

tl::unexpected<Error> Subject::gone() {
  const auto report = wait_for_end();
  return fail(ErrorKind::kInvalid,
              "closed the connection: {}",
              report ? describe_end(*report) : report.error().message);
}

Result<process::Report> Subject::wait_for_end() {
  return checkup::wait_for_end(program_.process, patience_);
}

}  // namespace crossbind::checkup
