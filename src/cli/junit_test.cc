#include "cli/junit.h"

#include "testing/testing.h"

namespace crossbind::cli {
namespace {

using ::testing::HasSubstr;

TEST(Junit, CountsAndListsEveryCase) {
  const auto xml = junit_xml("conform",
                             {{"toy/cpp", "lenet5 probe", TestCase::Result::kPassed, ""},
                              {"toy/cpp", "lenet5 loader", TestCase::Result::kFailed, "off"},
                              {"toy/cpp", "gru probe", TestCase::Result::kSkipped, "layer gru"},
                              {"toy/cpp", "gru loader", TestCase::Result::kError, "died"}});
  EXPECT_EQ(xml,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"conform\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\">\n"
            "  <testcase classname=\"toy/cpp\" name=\"lenet5 probe\"/>\n"
            "  <testcase classname=\"toy/cpp\" name=\"lenet5 loader\"><failure "
            "message=\"off\"/></testcase>\n"
            "  <testcase classname=\"toy/cpp\" name=\"gru probe\"><skipped message=\"layer "
            "gru\"/></testcase>\n"
            "  <testcase classname=\"toy/cpp\" name=\"gru loader\"><error "
            "message=\"died\"/></testcase>\n"
            "</testsuite>\n");
}

TEST(Junit, EscapesWhatXmlWouldReadAsItsOwn) {
  const auto xml = junit_xml("s", {{"a", "b", TestCase::Result::kFailed, "1 < 2 & \"3\" > 0\n"}});
  EXPECT_THAT(xml, HasSubstr("message=\"1 &lt; 2 &amp; &quot;3&quot; &gt; 0 \""));
}

TEST(Junit, ReplacesWhatXmlCannotHold) {
  const auto xml = junit_xml("s", {{"a", "\x1b[31m\xff\xc3\xa9", TestCase::Result::kPassed, ""}});
  EXPECT_THAT(xml, HasSubstr("name=\"?[31m?\xc3\xa9\""));
}

}  // namespace
}  // namespace crossbind::cli
