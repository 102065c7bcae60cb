#include "data/jpeg.h"

#include <array>
#include <cstdlib>

#include "data/fixtures.h"
#include "testing/testing.h"

namespace crossbind::data {
namespace {

using fixtures::bytes_of;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

using Planes = std::array<uint8_t, 3 * 32 * 32>;

TEST(Jpeg, GivesPlanesInRedGreenBlueOrder) {
  Planes planes{};
  const std::string file = fixtures::jpeg(32, 32, 200, 100, 50);
  ASSERT_THAT(decode_jpeg(bytes_of(file), 32, 32, planes, "f"), is_ok());
  for (size_t c = 0; c < 3; ++c) {
    const int expected = std::array{200, 100, 50}[c];
    // The colour conversion there and back rounds each of Y, Cb and Cr by up to half a step.
    EXPECT_LE(std::abs(planes[c * 1024] - expected), 2) << c;
    EXPECT_EQ(planes[c * 1024], planes[c * 1024 + 1023]) << c;
  }
}

TEST(Jpeg, NamesAWrongSize) {
  Planes planes{};
  const std::string file = fixtures::jpeg(16, 32, 1, 2, 3);
  EXPECT_THAT(decode_jpeg(bytes_of(file), 32, 32, planes, "a.jpg"),
              fails_with(HasSubstr("the image is 16x32, expected 32x32")));
}

TEST(Jpeg, NamesFileAndOffsetOfDamage) {
  Planes planes{};
  EXPECT_THAT(decode_jpeg(bytes_of("no jpeg at all"), 32, 32, planes, "a.jpg"),
              fails_with(HasSubstr("a.jpg at byte 0: bad JPEG: Not a JPEG")));
  EXPECT_THAT(decode_jpeg({}, 32, 32, planes, "a.jpg"), fails_with(HasSubstr("a.jpg at byte 0")));
}

TEST(Jpeg, RefusesAFileCutAnywhere) {
  Planes planes{};
  const std::string file = fixtures::jpeg(32, 32, 200, 100, 50);
  for (size_t size = 0; size < file.size() - 2; ++size) {
    EXPECT_THAT(decode_jpeg(bytes_of(file.substr(0, size)), 32, 32, planes, "a.jpg"),
                fails_with(HasSubstr("a.jpg at byte")))
        << size;
  }
}

TEST(Jpeg, SurvivesAnyByteBeingWrong) {
  Planes planes{};
  const std::string file = fixtures::jpeg(32, 32, 200, 100, 50);
  size_t refused = 0;
  for (size_t i = 0; i < file.size(); ++i) {
    std::string damaged = file;
    damaged[i] = static_cast<char>(~damaged[i]);
    refused += decode_jpeg(bytes_of(damaged), 32, 32, planes, "a.jpg") ? 0 : 1;
  }
  EXPECT_GT(refused, 0U);
}

}  // namespace
}  // namespace crossbind::data
