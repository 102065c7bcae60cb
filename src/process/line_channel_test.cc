#include "process/line_channel.h"

#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <thread>

#include "testing/testing.h"

namespace crossbind::process {
namespace {

using std::chrono::milliseconds;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

class LineChannelTest : public ::testing::Test {
 protected:
  LineChannelTest() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    ours_ = FileDescriptor(ends[0]);
    theirs_ = FileDescriptor(ends[1]);
  }

  void they_send(std::string_view text) {
    ASSERT_EQ(::send(theirs_.get(), text.data(), text.size(), MSG_NOSIGNAL), text.size());
  }

  static std::string line_of(Result<Received> received) {
    return std::get<std::string>(std::move(received).value());
  }

  FileDescriptor ours_;
  FileDescriptor theirs_;
};

TEST_F(LineChannelTest, ReceivesLinesHoweverTheyAreCut) {
  LineChannel channel(std::move(ours_));
  they_send("one\ntwo\n\nth");
  EXPECT_EQ(line_of(channel.receive_line(kForever)), "one");
  EXPECT_EQ(line_of(channel.receive_line(kForever)), "two");
  EXPECT_EQ(line_of(channel.receive_line(kForever)), "");
  EXPECT_TRUE(std::holds_alternative<TimedOut>(channel.receive_line(milliseconds(1)).value()));
  they_send("ree\n");
  theirs_.close();
  EXPECT_EQ(line_of(channel.receive_line(kForever)), "three");
  EXPECT_TRUE(std::holds_alternative<Closed>(channel.receive_line(kForever).value()));
}

TEST_F(LineChannelTest, CallsHalfALineAnError) {
  LineChannel channel(std::move(ours_));
  they_send("whole\nhal");
  theirs_.close();
  EXPECT_EQ(line_of(channel.receive_line(kForever)), "whole");
  EXPECT_THAT(channel.receive_line(kForever), fails_with(HasSubstr("half a line of 3 bytes")));
}

TEST_F(LineChannelTest, TakesALineOfExactlyTheLimitAndNoLonger) {
  LineChannel channel(std::move(ours_), 10);
  they_send("0123456789\n0123456789\n01234567890\n");
  EXPECT_EQ(line_of(channel.receive_line(kForever)), "0123456789");
  EXPECT_EQ(line_of(channel.receive_line(kForever)), "0123456789");
  EXPECT_THAT(channel.receive_line(kForever), fails_with(HasSubstr("more than 10 bytes")));
  EXPECT_THAT(channel.receive_line(kForever), fails_with(HasSubstr("more than 10 bytes")));
}

TEST_F(LineChannelTest, RefusesAnEndlessLineBeforeItEnds) {
  LineChannel channel(std::move(ours_), 1000);
  they_send(std::string(2000, 'x'));
  EXPECT_THAT(channel.receive_line(kForever), fails_with(HasSubstr("more than 1000 bytes")));
}

TEST_F(LineChannelTest, CarriesALineLargerThanAnySocketBuffer) {
  const std::string line(size_t{5} << 20, 'y');
  LineChannel channel(std::move(ours_));
  LineChannel other(std::move(theirs_));
  std::thread sender([&] { EXPECT_THAT(channel.send_line(line), is_ok()); });
  EXPECT_EQ(line_of(other.receive_line(kForever)), line);
  sender.join();
}

TEST_F(LineChannelTest, DoesNotWaitForEverForAReaderThatDoesNotRead) {
  const std::string line(size_t{5} << 20, 'y');
  LineChannel channel(std::move(ours_));
  EXPECT_THAT(channel.send_line(line, milliseconds(20)),
              fails_with(HasSubstr("has not read a line of 5.0 MiB within 20.0 ms")));
  EXPECT_THAT(channel.send_line("more"), fails_with(HasSubstr("cannot send")));
  LineChannel other(std::move(theirs_));
  EXPECT_THAT(other.receive_line(kForever), fails_with(HasSubstr("half a line")));
}

TEST_F(LineChannelTest, SendsNoLineWithALineBreak) {
  LineChannel channel(std::move(ours_));
  EXPECT_THAT(channel.send_line("two\nlines"), fails_with(HasSubstr("line break")));
}

TEST_F(LineChannelTest, SurvivesAClosedOtherSide) {
  LineChannel channel(std::move(ours_));
  theirs_.close();
  EXPECT_THAT(channel.send_line("anyone?"), fails_with(HasSubstr("cannot send a line: Broken")));
}

TEST_F(LineChannelTest, ASideThatHasNotReadEverythingHasClosedAllTheSame) {
  LineChannel channel(std::move(ours_));
  they_send("last words\n");
  ASSERT_THAT(channel.send_line("nobody reads this"), is_ok());
  theirs_.close();
  EXPECT_EQ(line_of(channel.receive_line(kForever)), "last words");
  EXPECT_TRUE(std::holds_alternative<Closed>(channel.receive_line(kForever).value()));
}

TEST_F(LineChannelTest, SaysWhichDescriptorWokeIt) {
  LineChannel channel(std::move(ours_));
  const FileDescriptor quiet(::eventfd(0, EFD_CLOEXEC));
  const FileDescriptor loud(::eventfd(1, EFD_CLOEXEC));
  const std::array wake{quiet.get(), loud.get()};
  EXPECT_EQ(std::get<Woken>(channel.receive_line(kForever, wake).value()).fd, loud.get());
  they_send("last words\n");
  EXPECT_EQ(line_of(channel.receive_line(kForever, wake)), "last words");
  EXPECT_EQ(std::get<Woken>(channel.receive_line(kForever, wake).value()).fd, loud.get());
}

}  // namespace
}  // namespace crossbind::process
