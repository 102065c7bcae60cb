#include "base/digest.h"

#include <string>

#include "base/file.h"
#include "testing/testing.h"

namespace crossbind {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

class DigestTest : public testing::ScratchTest {};

// FIPS 180-2, appendix B.1 and B.3.
TEST(Sha256, MatchesThePublishedVectors) {
  EXPECT_EQ(sha256_hex(bytes_of("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 million;
  const std::string chunk(1000, 'a');
  for (int i = 0; i < 1000; ++i) {
    million.update(bytes_of(chunk));
  }
  EXPECT_EQ(million.hex(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, CanBeginAnew) {
  Sha256 sha;
  sha.update(bytes_of("something else"));
  (void)sha.digest();
  sha.update(bytes_of("abc"));
  EXPECT_EQ(std::to_integer<int>(sha.digest()[0]), 0xba);
  sha.update(bytes_of("abc"));
  EXPECT_EQ(sha.hex(), sha256_hex(bytes_of("abc")));
}

TEST_F(DigestTest, OfAFileIsThatOfItsBytes) {
  ASSERT_THAT(write_file(scratch("abc"), "abc"), testing::is_ok());
  EXPECT_EQ(sha256_file(scratch("abc")).value(), sha256_hex(bytes_of("abc")));
  EXPECT_FALSE(sha256_file(scratch("absent")));
}

}  // namespace
}  // namespace crossbind
