#include "app/server_address.h"

#include "testing/testing.h"

namespace crossbind::app {
namespace {

using ::testing::AllOf;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

constexpr const char* kToken = "0123456789abcdef";

class ServerTokenTest : public testing::ScratchTest {
 protected:
  [[nodiscard]] std::filesystem::path file(const std::string& text) const {
    EXPECT_THAT(write_file(scratch("token"), text), is_ok());
    return scratch("token");
  }
};

TEST_F(ServerTokenTest, IsThatOfTheFileBeforeThatOfTheVariable) {
  EXPECT_EQ(server_token(file(std::string(kToken) + "\r\n"), "another-token-of-16", "::1").value(),
            (ServerToken{kToken, false}));
  EXPECT_EQ(server_token({}, kToken, "::1").value(), (ServerToken{kToken, false}));
}

TEST_F(ServerTokenTest, IsMadeWhereOthersThanThisMachineCanAsk) {
  EXPECT_EQ(server_token({}, std::nullopt, "127.0.0.1").value(), ServerToken());
  const auto made = server_token({}, std::nullopt, "0.0.0.0").value();
  EXPECT_TRUE(made.is_made);
  EXPECT_GE(made.text.size(), 16U);
}

TEST_F(ServerTokenTest, MustBeLongAndPlain) {
  EXPECT_THAT(server_token(file("short"), std::nullopt, "::1"),
              fails_with(AllOf(HasSubstr("16 or more characters"), HasSubstr("token"))));
  EXPECT_THAT(server_token({}, "0123456789 abcdef", "::1"), fails_with(HasSubstr(kTokenVariable)));
  EXPECT_THAT(server_token({}, "", "::1"), fails_with(HasSubstr("16 or more characters")));
  EXPECT_THAT(server_token(scratch("none"), kToken, "::1"),
              fails_with(HasSubstr("leave --token-file out")));
}

TEST(ServerUrl, IsWhatABrowserCanOpen) {
  EXPECT_EQ(server_url("127.0.0.1", "tcp:127.0.0.1:8642", "lab"), "http://127.0.0.1:8642/");
  EXPECT_EQ(server_url("::1", "tcp:[::1]:80", "lab"), "http://[::1]:80/");
  EXPECT_EQ(server_url("0.0.0.0", "tcp:0.0.0.0:8642", "lab"), "http://lab:8642/");
  EXPECT_EQ(server_url("::", "tcp:[::]:8642", "lab"), "http://lab:8642/");
}

}  // namespace
}  // namespace crossbind::app
