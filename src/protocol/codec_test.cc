#include "protocol/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "base/file.h"
#include "testing/testing.h"

namespace crossbind::protocol {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Line {
  bool from_worker = false;
  std::string text;
};

std::vector<Line> transcript(const std::filesystem::path& path) {
  const auto text = read_file(path);
  EXPECT_THAT(text, testing::is_ok());
  std::istringstream stream(*text);
  std::vector<Line> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back({line.starts_with('<'), line.substr(2)});
  }
  return lines;
}

TEST(Codec, GivesBackEveryLineOfTheTranscripts) {
  size_t types_seen = 0;
  std::set<size_t> events;
  std::set<size_t> requests;
  const std::string folder = testing::source_path("protocol/transcripts");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const bool is_other_version = entry.path().stem() == "wrong-version";
    for (const Line& line : transcript(entry.path())) {
      if (line.from_worker) {
        const auto event = decode_event(line.text);
        ASSERT_THAT(event, testing::is_ok()) << entry.path() << ": " << line.text;
        events.insert(event->index());
        if (!is_other_version) {
          EXPECT_EQ(encode(*event), line.text);
        }
      } else {
        const auto request = decode_request(line.text);
        ASSERT_THAT(request, testing::is_ok()) << entry.path() << ": " << line.text;
        requests.insert(request->index());
        EXPECT_EQ(encode(*request), line.text);
      }
      ++types_seen;
    }
  }
  EXPECT_GT(types_seen, 30U);
  EXPECT_EQ(events.size(), std::variant_size_v<Event>) << "a kind of event has no golden line";
  EXPECT_EQ(requests.size(), std::variant_size_v<Request>) << "a request has no golden line";
}

TEST(Codec, ReadsNothingButTheNumberOfAnotherVersion) {
  const auto event = decode_event(
      R"({"type":"hello","protocol":9,"token":"t","binding":"a/b","capabilities":"what?"})");
  ASSERT_THAT(event, testing::is_ok());
  EXPECT_EQ(std::get<Hello>(*event).protocol, 9);
}

TEST(Codec, IgnoresMembersItDoesNotKnow) {
  const auto event = decode_event(R"({"type":"epoch","id":2,"epoch":1,"loss":0.5,"mood":"good"})");
  ASSERT_THAT(event, testing::is_ok());
  EXPECT_EQ(std::get<Epoch>(*event).loss, 0.5);
}

struct BadLine {
  std::string text;
  std::string complaint;
};

class BadEvents : public ::testing::TestWithParam<BadLine> {};

TEST_P(BadEvents, AreNamed) {
  EXPECT_THAT(decode_event(GetParam().text), testing::fails_with(HasSubstr(GetParam().complaint)));
}

INSTANTIATE_TEST_SUITE_P(
    Codec,
    BadEvents,
    ::testing::Values(
        BadLine{"", "no JSON"},
        BadLine{"Segmentation fault", "no JSON"},
        BadLine{"[1]", "no JSON object"},
        BadLine{R"({"id":1})", "'type' is missing"},
        BadLine{R"({"type":"dance","id":1})", "unknown type \"dance\""},
        BadLine{R"({"type":"train","id":1})", "unknown type \"train\""},
        BadLine{R"({"type":"epoch","id":1,"epoch":1})", "'loss' is missing"},
        BadLine{R"({"type":"epoch","id":1,"epoch":1,"loss":NaN})", "not finite"},
        BadLine{R"({"type":"epoch","id":1,"epoch":1,"loss":1e999})", "no JSON"},
        BadLine{R"({"type":"epoch","id":1,"epoch":1,"loss":"NaN"})", "'loss' is \"NaN\""},
        BadLine{R"({"type":"epoch","id":1,"epoch":0,"loss":1})", "'epoch' is 0"},
        BadLine{R"({"type":"epoch","id":-1,"epoch":1,"loss":1})", "'id' is -1"},
        BadLine{R"({"type":"epoch","id":1.5,"epoch":1,"loss":1})", "'id' is 1.5"},
        BadLine{R"({"type":"done","id":18446744073709551615})", "'id' is 18446744073709551615"},
        BadLine{R"({"type":"timings","id":1,"phase":"lunch"})", "\"warmup\", \"train\""},
        BadLine{R"({"type":"timings","id":1,"phase":"train","epoch":1})", "'total_ns' is missing"},
        BadLine{R"({"type":"timings","id":1,"phase":"warmup","steps_ns":[1,-2]})", "'steps_ns'"},
        BadLine{R"({"type":"failed","id":1,"code":"meh","message":""})", "'code' is \"meh\""},
        BadLine{
            R"({"type":"hello","protocol":1,"token":"","binding":"a/b","versions":{},"capabilities":{}})",
            "'tasks' is missing"}));

TEST(Codec, AHelloMayLeaveItsCapabilitiesToTheManifest) {
  const std::string line =
      R"({"type":"hello","protocol":1,"token":"t","binding":"a/b","versions":{"worker":"1"}})";
  const auto event = decode_event(line);
  ASSERT_THAT(event, testing::is_ok());
  EXPECT_TRUE(std::get<Hello>(*event).leaves_capabilities);
  EXPECT_EQ(encode(*event), line);
}

TEST(Codec, APrepareNeedsOneWayToTheWeights) {
  Prepare prepare;
  prepare.graph = "{}";
  prepare.scratch = "/s";
  EXPECT_THAT(decode_request(encode(Request(prepare))),
              testing::fails_with(HasSubstr("either 'weights' or 'serialized'")));
  prepare.weights = "/w";
  EXPECT_THAT(decode_request(encode(Request(prepare))), testing::is_ok());
}

TEST(Codec, TellsARequestThatMakesNoSenseFromALineThatIsNoMessage) {
  const std::string dance = R"({"type": "dance", "id": 7})";
  EXPECT_FALSE(decode_request(dance));
  EXPECT_EQ(decode_request_id(dance).value(), 7);
  EXPECT_THAT(decode_request_id(R"({"type": "dance"})"), testing::fails_with(HasSubstr("'id'")));
  EXPECT_THAT(decode_request_id(R"({"id": 7})"), testing::fails_with(HasSubstr("'type'")));
  EXPECT_THAT(decode_request_id("dance"), testing::fails_with(HasSubstr("no JSON")));
}

TEST(Codec, TextThatIsNoUtf8DoesNotBreakALine) {
  const std::string line =
      encode(Event(Failed{1, FailureCode::kInternal, "bad \xff byte\nand line"}));
  EXPECT_THAT(line, AllOf(HasSubstr("bad"), ::testing::Not(HasSubstr("\n"))));
  EXPECT_THAT(decode_event(line), testing::is_ok());
}

}  // namespace
}  // namespace crossbind::protocol
