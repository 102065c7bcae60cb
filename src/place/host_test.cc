#include "place/host.h"

#include "testing/testing.h"

namespace crossbind::place {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::SizeIs;

TEST(Host, IsDescribedByNamesAndValues) {
  const auto host = describe_this_machine();
  for (const std::string name :
       {"kernel", "architecture", "memory_bytes", "cpu", "cpus", "system", "glibc"}) {
    ASSERT_THAT(host, Contains(Key(name)));
    EXPECT_THAT(host.at(name), Not(IsEmpty())) << name;
  }
  EXPECT_THAT(host, SizeIs(host.contains("gpu") ? 8 : 7));
  EXPECT_GT(std::stoll(host.at("memory_bytes")), 1 << 20);
  EXPECT_GE(std::stoi(host.at("cpus")), 1);
}

}  // namespace
}  // namespace crossbind::place
