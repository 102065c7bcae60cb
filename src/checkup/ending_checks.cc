// How a worker ends. Each takes a fresh one.
#include <cstdlib>

#include "checkup/examination.h"

namespace crossbind::checkup {
namespace {

Status expect_exit(const Result<process::End>& end, int code) {
  if (!end) {
    return wrong("expected exit code {}, but the worker {}", code, end.error().message);
  }
  if (end->ending != process::Ending::kExited || end->code != code) {
    return wrong("expected exit code {}: {}", code, describe_end(*end));
  }
  return {};
}

Status exits_with_0_when_told_bye(Examination& examination) {
  CB_ASSIGN(auto conversation, examination.meet());
  CB_TRY(conversation.say_bye());
  return expect_exit(conversation.wait_for_end(), 0);
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
  return expect_exit(conversation.wait_for_end(), 0);
}

Status ends_when_it_is_not_welcome(Examination& examination) {
  CB_ASSIGN(auto conversation, examination.start());
  CB_TRY(conversation.hear_hello());
  CB_TRY(conversation.say_bye("this crossbind speaks protocol 1, the worker 2"));
  conversation.hang_up();
  if (const auto end = conversation.wait_for_end(); !end) {
    return wrong("told bye instead of welcome, the worker {}", end.error().message);
  }
  return {};
}

Status ends_when_the_connection_is_lost(Examination& examination) {
  CB_ASSIGN(auto conversation, examination.meet());
  conversation.hang_up();
  if (const auto end = conversation.wait_for_end(); !end) {
    return wrong("the connection was closed, and the worker {}", end.error().message);
  }
  return {};
}

Status ends_with_1_at_a_line_that_is_no_message(Examination& examination) {
  for (const char* line : {"hello, worker", "[1, 2]", R"({"id": 1})"}) {
    CB_ASSIGN(auto conversation, examination.meet());
    CB_TRY(conversation.send_line(line));
    const auto end = conversation.wait_for_end();
    if (const auto ended = expect_exit(end, 1); !ended) {
      return wrong("at the line {}: {}", line, ended.error().message);
    }
    if (end->log.empty()) {
      return wrong("at the line {}: expected a reason on stderr, came none", line);
    }
  }
  return {};
}

Status exits_with_2_without_an_endpoint(Examination& examination) {
  if (std::getenv(protocol::kEndpointVariable) != nullptr) {
    return skip("{} is set for crossbind itself", protocol::kEndpointVariable);
  }
  CB_ASSIGN(auto conversation, examination.start(place::Reach::kNowhere));
  const auto end = conversation.wait_for_end();
  CB_TRY(expect_exit(end, 2));
  if (end->log.empty()) {
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
