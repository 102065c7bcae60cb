// How a worker ends. Each takes a fresh one.
#include <cstdlib>

#include "checkup/examination.h"

namespace crossbind::checkup {
namespace {

Status expect_exit(const Result<process::Report>& report, int code) {
  if (!report) {
    return wrong("expected exit code {}, but the worker {}", code, report.error().message);
  }
  if (report->ending != process::Ending::kExited || report->code != code) {
    return wrong("expected exit code {}: {}", code, describe_end(*report));
  }
  return {};
}

Status exits_with_0_when_told_bye(Examination& examination) {
  CB_ASSIGN(auto conversation, examination.meet());
  CB_TRY(conversation.say_bye());
  return expect_exit(conversation.subject().wait_for_end(), 0);
}

Status exits_with_0_when_told_bye_while_it_trains(Examination& examination) {
  CB_TRY(examination.need(trial::Task::kTrain));
  CB_ASSIGN(const auto* exercise, examination.exercise());
  CB_ASSIGN(auto conversation, examination.meet());
  CB_ASSIGN(const auto prepared, conversation.ask(exercise->prepare_long()));
  CB_TRY(expect_done(prepared));
  CB_TRY(conversation.begin(protocol::Train{.evidence = 1}));
  CB_TRY(conversation.next());
  CB_TRY(conversation.say_bye());
  while (auto event = conversation.next()) {  // until the connection ends
    if (is_reply(*event)) {
      return wrong("expected no reply after bye, came one");
    }
  }
  return expect_exit(conversation.subject().wait_for_end(), 0);
}

Status ends_when_it_is_not_welcome(Examination& examination) {
  CB_ASSIGN(auto subject, examination.start());
  CB_TRY(subject.hear_hello());
  CB_TRY(subject.send(protocol::Bye{"this crossbind speaks protocol 1, the worker 2"}));
  subject.hang_up();
  if (const auto report = subject.wait_for_end(); !report) {
    return wrong("told bye instead of welcome, the worker {}", report.error().message);
  }
  return {};
}

Status ends_when_the_connection_is_lost(Examination& examination) {
  CB_ASSIGN(auto conversation, examination.meet());
  conversation.subject().hang_up();
  if (const auto report = conversation.subject().wait_for_end(); !report) {
    return wrong("the connection was closed, and the worker {}", report.error().message);
  }
  return {};
}

Status ends_with_1_at_a_line_that_is_no_message(Examination& examination) {
  for (const char* line : {"hello, worker", "[1, 2]", R"({"id": 1})"}) {
    CB_ASSIGN(auto conversation, examination.meet());
    CB_TRY(conversation.subject().send_line(line));
    const auto report = conversation.subject().wait_for_end();
    if (const auto ended = expect_exit(report, 1); !ended) {
      return wrong("at the line {}: {}", line, ended.error().message);
    }
    if (report->log.empty()) {
      return wrong("at the line {}: expected a reason on stderr, came none", line);
    }
  }
  return {};
}

Status exits_with_2_without_an_endpoint(Examination& examination) {
  if (std::getenv(protocol::kEndpointVariable) != nullptr) {
    return skip("{} is set for crossbind itself", protocol::kEndpointVariable);
  }
  CB_ASSIGN(
      auto process,
      process::GuardedProcess::start(examination.place().guard,
                                     run::guarded_command(examination.candidate().command, {})));
  const auto report = wait_for_end(process, examination.place().patience);
  CB_TRY(expect_exit(report, 2));
  if (report->log.empty()) {
    return wrong("expected a line on stderr that says so, came none");
  }
  return {};
}

}  // namespace

std::vector<Check> ending_checks() {
  return {
      {"ending", "exits with 0 when told bye", "cancel, bye", exits_with_0_when_told_bye},
      {"ending",
       "exits with 0, without a reply, when told bye while it trains",
       "cancel, bye",
       exits_with_0_when_told_bye_while_it_trains},
      {"ending", "ends when it is not welcome", "Greeting", ends_when_it_is_not_welcome},
      {"ending",
       "ends when the connection is lost",
       "Connection",
       ends_when_the_connection_is_lost},
      {"ending",
       "says why and ends with 1 at a line that is no message",
       "Lines",
       ends_with_1_at_a_line_that_is_no_message},
      {"ending",
       "says so and exits with 2 without an endpoint",
       "Connection",
       exits_with_2_without_an_endpoint},
  };
}

}  // namespace crossbind::checkup
