#include "process/bounded_log.h"

#include "testing/testing.h"

namespace crossbind::process {
namespace {

TEST(BoundedLog, KeepsAShortLogWhole) {
  BoundedLog log(10);
  log.append("abc");
  log.append("defg");
  log.append("hij");
  EXPECT_EQ(log.text(), "abcdefghij");
}

TEST(BoundedLog, KeepsBothEndsOfALongLog) {
  BoundedLog log(10);
  log.append("abcdefgh");
  log.append("ijklmnop");
  EXPECT_EQ(log.text(), "abcde\n[6 bytes left out]\nlmnop");
}

TEST(BoundedLog, GivesTheSameForAnyCut) {
  std::string all;
  for (int i = 0; i < 1000; ++i) {
    all += static_cast<char>('a' + i % 26);
  }
  for (const size_t piece : {1U, 7U, 19U, 20U, 21U, 500U}) {
    BoundedLog log(40);
    for (size_t i = 0; i < all.size(); i += piece) {
      log.append(std::string_view(all).substr(i, piece));
    }
    EXPECT_EQ(log.text(),
              all.substr(0, 20) + "\n[960 bytes left out]\n" + all.substr(all.size() - 20))
        << piece;
  }
}

TEST(BoundedLog, CanKeepNothing) {
  BoundedLog log(0);
  log.append("abc");
  EXPECT_EQ(log.text(), "\n[3 bytes left out]\n");
}

}  // namespace
}  // namespace crossbind::process
