#include "converse/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "protocol/codec.h"
#include "protocol/files.h"

namespace crossbind::converse {
namespace {

// What a place says when there was neither a connection nor a line.
template <typename Outcome>
std::optional<Heard> heard_nothing(const Outcome& outcome) {
  if (std::holds_alternative<Ended>(outcome)) {
    return Ended{};
  }
  if (std::holds_alternative<Interrupted>(outcome)) {
    return Interrupted{};
  }
  if (const auto* silent = std::get_if<Silent>(&outcome)) {
    return *silent;
  }
  return std::nullopt;
}

}  // namespace

std::string describe_unfinished(const Silent& silent) {
  return silent.unfinished == 0 ? ""
                                : fmt::format("; it sent {} {} without a line feed",
                                              silent.unfinished,
                                              plural(silent.unfinished, "byte", "bytes"));
}

Result<Heard> Worker::hear_first(std::chrono::milliseconds timeout,
                                 process::Interruption interruption) {
  CB_ASSIGN(const auto joined, program_->connect(timeout, interruption));
  if (std::holds_alternative<Silent>(joined)) {
    return fail(ErrorKind::kInvalid,
                "did not connect to {} within {} s",
                protocol::kEndpointVariable,
                std::chrono::duration_cast<std::chrono::seconds>(timeout).count());
  }
  if (auto nothing = heard_nothing(joined)) {
    return std::move(*nothing);
  }
  CB_ASSIGN(Heard heard, receive(timeout, interruption));
  if (const auto* silent = std::get_if<Silent>(&heard)) {
    return fail(
        ErrorKind::kInvalid, "connected, but said no hello{}", describe_unfinished(*silent));
  }
  return heard;
}

Result<Heard> Worker::greet(process::Interruption interruption) {
  CB_ASSIGN(Heard heard, hear_first(manners_.hello_timeout, interruption));
  if (const auto* event = std::get_if<protocol::Event>(&heard)) {
    CB_TRY(check(*event));
    if (!welcome()) {
      return Ended{};  // how it ended says more than that nobody reads
    }
  }
  return heard;
}

Status Worker::welcome() {
  return send(protocol::Welcome{protocol::kVersion, manners_.version});
}

Status Worker::send(const protocol::Request& request) {
  protocol::Request there = request;
  written_.clear();
  CB_TRY(protocol::for_each_file(
      there, [&](std::filesystem::path& path, protocol::FileUse use) -> Status {
        const std::filesystem::path here = path;
        CB_ASSIGN(
            path,
            use == protocol::FileUse::kRead ? program_->bring(here) : program_->make_room(here));
        if (use == protocol::FileUse::kWritten) {
          written_.emplace(here, path);
        }
        return {};
      }));
  return send_line(protocol::encode(there));
}

Result<Heard> Worker::receive(std::chrono::milliseconds timeout,
                              process::Interruption interruption) {
  CB_ASSIGN(auto heard, program_->receive_line(timeout, interruption));
  if (auto nothing = heard_nothing(heard)) {
    return std::move(*nothing);
  }
  CB_ASSIGN(auto event, protocol::decode_event(std::get<std::string>(heard)));
  if (auto* done = std::get_if<protocol::Done>(&event)) {
    CB_TRY(fetch_written(*done));
  }
  return Heard(std::move(event));
}

// What the worker names in its reply lies in a folder that it was given to write into.
Status Worker::fetch_written(protocol::Done& done) {
  for (const auto& [here, there] : written_) {
    CB_TRY(program_->fetch(here));
    if (done.tensors) {
      const auto inside = done.tensors->lexically_relative(there);
      if (!inside.empty() && *inside.begin() != "..") {
        done.tensors = here / inside;
      }
    }
  }
  written_.clear();
  return {};
}

process::End Worker::end(Leave leave) {
  if (leave == Leave::kByItself) {
    // Until the worker is gone; what it may still say does not matter.
    if (const auto ended = program_->wait_for_end(manners_.grace)) {
      return *ended;
    }
  }
  return program_->end();
}

Status Worker::check(const protocol::Event& event) {
  const auto* hello = std::get_if<protocol::Hello>(&event);
  if (hello == nullptr) {
    return refuse("the first message is no hello");
  }
  if (hello->token != program_->token()) {
    return refuse(fmt::format("the token is not that of {}", protocol::kTokenVariable));
  }
  if (hello->protocol != protocol::kVersion) {
    return refuse(fmt::format(
        "this crossbind speaks protocol {}, the worker {}", protocol::kVersion, hello->protocol));
  }
  if (!binding_.empty() && hello->binding != binding_) {
    return refuse(fmt::format("the worker of {} calls itself {:?}", binding_, hello->binding));
  }
  return {};
}

Status Worker::refuse(const std::string& reason) {
  static_cast<void>(send(protocol::Bye{reason}));  // it may be gone already
  return fail(ErrorKind::kInvalid, "{}", reason);
}

}  // namespace crossbind::converse
