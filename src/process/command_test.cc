#include "process/command.h"

#include "testing/testing.h"

namespace crossbind::process {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

Result<Outcome> shell(const std::string& script) {
  return run({.arguments = {"sh", "-c", script}});
}

TEST(Command, TakesBothStreamsAndTheExitCode) {
  const auto outcome = shell("echo out; echo err >&2; exit 3");
  ASSERT_THAT(outcome, is_ok());
  EXPECT_EQ(outcome->out, "out\n");
  EXPECT_EQ(outcome->error, "err\n");
  EXPECT_EQ(outcome->exit_code, 3);
}

TEST(Command, PassesArgumentsUntouchedByAnyShell) {
  const auto outcome = run({.arguments = {"printf", "%s|", "a b", "$HOME; rm", "'"}});
  ASSERT_THAT(outcome, is_ok());
  EXPECT_EQ(outcome->out, "a b|$HOME; rm|'|");
}

TEST(Command, ReportsASignalAsShellsDo) {
  EXPECT_EQ(shell("kill -9 $$").value().exit_code, 137);
}

TEST(Command, DoesNotHangWhenBothStreamsFill) {
  const auto outcome = shell("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2");
  ASSERT_THAT(outcome, is_ok());
  EXPECT_EQ(outcome->out.size(), kOutputLimit);
  EXPECT_EQ(outcome->error.size(), kOutputLimit);
}

TEST(Command, DoesNotWaitForAGrandchildThatKeepsTheStreams) {
  // The grandchild would sleep for longer than any test may take.
  const auto outcome = shell("sleep 3600 & echo $!");
  ASSERT_THAT(outcome, is_ok());
  ASSERT_EQ(outcome->exit_code, 0);
  EXPECT_EQ(shell("kill " + outcome->out).value().exit_code, 0);
}

TEST(Command, UsesTheGivenDirectoryAndEnvironment) {
  const auto outcome = run({.arguments = {"sh", "-c", "pwd; echo $COLOUR"},
                            .directory = "/usr",
                            .environment = {"COLOUR=green"}});
  EXPECT_EQ(outcome.value().out, "/usr\ngreen\n");
}

TEST(Command, SaysWhatCannotBeStarted) {
  EXPECT_THAT(run({.arguments = {"no-such-program-here"}}),
              fails_with(HasSubstr("no-such-program-here: cannot start: No such file")));
}

}  // namespace
}  // namespace crossbind::process
