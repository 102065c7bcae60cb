#include "place/local_place.h"

#include "testing/testing.h"

namespace crossbind::place {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;

constexpr std::chrono::seconds kLong{60};  // the machine may be busy with anything
constexpr std::chrono::milliseconds kShort{50};

Contact contact(Reach reach) {
  return {reach, "TOY_ENDPOINT", "TOY_TOKEN"};
}

class LocalPlaceTest : public testing::ScratchTest {
 protected:
  [[nodiscard]] std::unique_ptr<RunningProgram> start(const std::string& script,
                                                      Reach reach = Reach::kTcp,
                                                      const Limits& limits = {}) {
    return place_.start("toy/sh", {.arguments = {"bash", "-c", script}}, limits, contact(reach))
        .value();
  }

  // Connects as bash can, over TCP, and goes on with the channel as descriptor 3.
  [[nodiscard]] std::unique_ptr<RunningProgram> connected(const std::string& script) {
    auto program =
        start("endpoint=${TOY_ENDPOINT#tcp:}; exec 3<>/dev/tcp/${endpoint%:*}/${endpoint##*:}; " +
              script);
    EXPECT_TRUE(std::holds_alternative<Connected>(program->connect(kLong, {}).value()));
    return program;
  }

  LocalPlace place_{testing::build_path("crossbind-guard"), scratch("")};
};

std::string line_of(RunningProgram& program) {
  return std::get<std::string>(program.receive_line(kLong, {}).value());
}

TEST_F(LocalPlaceTest, GivesAChannelOfLinesAndHowItEnded) {
  auto program = connected("echo \"$TOY_TOKEN\" >&3; read line <&3; echo \"<$line>\" >&3; exit 7");
  EXPECT_EQ(line_of(*program), program->token());
  ASSERT_THAT(program->send_line("a line"), testing::is_ok());
  EXPECT_EQ(line_of(*program), "<a line>");
  EXPECT_TRUE(std::holds_alternative<Ended>(program->receive_line(kLong, {}).value()));
  const auto end = program->wait_for_end(kLong);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->ending, process::Ending::kExited);
  EXPECT_EQ(end->code, 7);
}

TEST_F(LocalPlaceTest, SaysThatAProgramIsSilentOrInterruptedOrGone) {
  auto program = start("sleep 100");
  EXPECT_TRUE(std::holds_alternative<Silent>(program->connect(kShort, {}).value()));
  process::StopSignal stop;
  stop.raise();
  EXPECT_TRUE(std::holds_alternative<Interrupted>(program->connect(kLong, stop.orderly()).value()));
  EXPECT_FALSE(program->wait_for_end(kShort));
  EXPECT_EQ(program->end().ending, process::Ending::kStopped);
  EXPECT_TRUE(std::holds_alternative<Ended>(program->connect(kLong, {}).value()));
}

TEST_F(LocalPlaceTest, AProgramNoticesThatWeHungUp) {
  auto program = connected("read line <&3 || exit 4");
  program->hang_up();
  EXPECT_EQ(program->wait_for_end(kLong).value().code, 4);
}

TEST_F(LocalPlaceTest, TellsAProgramThatNobodyListensForOfNoEndpoint) {
  auto program = start("env; exit 0", Reach::kNowhere);
  const auto end = program->wait_for_end(kLong);
  ASSERT_TRUE(end);
  EXPECT_THAT(end->log, ::testing::Not(HasSubstr("TOY_")));
}

TEST_F(LocalPlaceTest, HoldsAProgramToItsLimits) {
  auto program = start("env; sleep 100", Reach::kUsual, {.time = kShort, .threads = 3});
  const auto end = program->wait_for_end(kLong);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->ending, process::Ending::kDeadline);
}

TEST_F(LocalPlaceTest, SaysHowManyThreadsToTake) {
  auto program = start("env; exit 0", Reach::kUsual, {.threads = 3});
  EXPECT_THAT(program->wait_for_end(kLong).value().log, HasSubstr("OMP_NUM_THREADS=3"));
}

TEST_F(LocalPlaceTest, SharesItsFiles) {
  auto program = start("sleep 100");
  EXPECT_EQ(program->bring("/a/b").value(), "/a/b");
  EXPECT_EQ(program->make_room("/a/c").value(), "/a/c");
  EXPECT_THAT(program->fetch("/a/c"), testing::is_ok());
}

TEST_F(LocalPlaceTest, NamesAProgramThatIsNotThere) {
  EXPECT_THAT(
      place_.start("toy/sh", {.arguments = {"no-such-program"}}, {}, contact(Reach::kUsual)),
      testing::fails_with(HasSubstr("no-such-program")));
}

TEST_F(LocalPlaceTest, IsThisMachine) {
  EXPECT_THAT(place_.host(), Contains(Key("cpu")));
}

}  // namespace
}  // namespace crossbind::place
