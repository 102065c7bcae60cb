// The JSON Schemas beside PROTOCOL.md against what the codec writes and the transcripts say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <sstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "base/file.h"
#include "testing/testing.h"

namespace crossbind::protocol {
namespace {

using Json = nlohmann::json;

std::filesystem::path protocol_folder() {
  return testing::source_path("protocol");
}

// Why the schema refuses a message; empty when it accepts it.
std::string refusal(const Json& message) {
  const auto path = protocol_folder() / "schemas" / (message["type"].get<std::string>() + ".json");
  const auto text = read_file(path);
  if (!text) {
    return text.error().to_string();
  }
  const Json document = Json::parse(*text);
  valijson::Schema schema;
  valijson::SchemaParser parser;
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(document), schema);
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(message), &results)) {
    return {};
  }
  valijson::ValidationResults::Error error;
  results.popError(error);
  return "refused: " + error.description;
}

TEST(Schemas, AcceptEveryLineOfTheTranscripts) {
  size_t lines = 0;
  for (const auto& entry : std::filesystem::directory_iterator(protocol_folder() / "transcripts")) {
    const auto text = read_file(entry.path());
    ASSERT_THAT(text, testing::is_ok());
    std::istringstream stream(*text);
    for (std::string line; std::getline(stream, line); ++lines) {
      EXPECT_EQ(refusal(Json::parse(line.substr(2))), "") << line;
    }
  }
  EXPECT_GT(lines, 30U);
}

TEST(Schemas, RefuseWhatTheCodecRefuses) {
  for (const char* line :
       {R"({"type":"epoch","id":1,"epoch":1})",
        R"({"type":"epoch","id":1,"epoch":0,"loss":1})",
        R"({"type":"timings","id":1,"phase":"train","epoch":1})",
        R"({"type":"timings","id":1,"phase":"lunch","total_ns":1})",
        R"({"type":"failed","id":1,"code":"meh","message":""})",
        R"({"type":"prepare","id":1,"graph":{},"settings":{},"scratch":"/s"})"}) {
    EXPECT_THAT(refusal(Json::parse(line)), ::testing::StartsWith("refused")) << line;
  }
}

}  // namespace
}  // namespace crossbind::protocol
