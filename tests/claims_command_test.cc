// The program as users run it: claims.
#include <nlohmann/json.hpp>

#include <regex>
#include <set>

#include "process/command.h"
#include "testing/testing.h"

namespace crossbind {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::is_ok;

class ClaimsCommandTest : public testing::ScratchTest {
 protected:
  ClaimsCommandTest() {
    EXPECT_TRUE(std::filesystem::create_directories(scratch("tables/mine")));
    write("tables/mine/t.csv", "# Table 1\nbinding,=time\npython,10\nrust,5\n");
    write("mine.toml",
          "title = \"Mine\"\n[[claim]]\nid = \"M1\"\ntext = \"Rust is faster\"\nprinted = \"0.5\"\n"
          "[[claim.check]]\nratio = [{ quantity = \"time\", binding = \"rust\" }, { quantity = "
          "\"time\", binding = \"python\" }]\nbelow = 1\n");
  }

  void write(const std::string& name, const std::string& text) const {
    ASSERT_THAT(write_file(scratch(name), text), is_ok());
  }

  [[nodiscard]] process::Outcome claims(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {testing::build_path("crossbind"), "claims"});
    return process::run({.arguments = std::move(arguments), .directory = scratch("")}).value();
  }
};

TEST_F(ClaimsCommandTest, JudgesAFileByTables) {
  for (const auto* folder : {"tables", "tables/mine"}) {
    const auto judged = claims({"mine.toml", "--printed", folder});
    EXPECT_EQ(judged.exit_code, 0) << judged.error;
    EXPECT_EQ(judged.out,
              "mine: Mine\n\n"
              "ID  VERDICT    FIGURE  WHY\n"
              "M1  confirmed  0.5     1 of 1 hold\n\n"
              "1 claim: 1 confirmed, 0 refuted, 0 partly measured, 0 not measured\n");
  }
}

TEST_F(ClaimsCommandTest, JsonHasEveryPoint) {
  const auto judged = claims({"mine.toml", "--printed", "tables", "--json"});
  EXPECT_EQ(judged.exit_code, 0) << judged.error;
  const auto found = json::parse(judged.out);
  EXPECT_EQ(found["counts"]["confirmed"], 1);
  EXPECT_EQ(found["counts"]["not measured"], 0);
  const auto& claim = found["claims"][0];
  EXPECT_EQ(claim["file"], "mine");
  EXPECT_EQ(claim["id"], "M1");
  EXPECT_EQ(claim["printed"], "0.5");
  EXPECT_EQ(claim["verdict"], "confirmed");
  EXPECT_EQ(claim["measured"], 1);
  EXPECT_EQ(claim["asked"], 1);
  const auto& point = claim["checks"][0]["points"][0];
  EXPECT_EQ(point["state"], "holds");
  EXPECT_EQ(point["value"], 0.5);
  EXPECT_EQ(point["sources"], json::array({"Table 1"}));
}

TEST_F(ClaimsCommandTest, WithoutAFileRunsAllThatAreReady) {
  const auto judged = claims({"--printed", testing::source_path("claims/printed"), "--json"});
  EXPECT_EQ(judged.exit_code, 0) << judged.error;
  const auto found = json::parse(judged.out);
  EXPECT_EQ(found["claims"].size(), 95U);
  EXPECT_EQ(found["counts"]["refuted"], 16);
  const auto one = claims({"bindings-2024", "--printed", testing::source_path("claims/printed")});
  EXPECT_THAT(one.out, HasSubstr("50 claims: 18 confirmed, 6 refuted"));
}

// A claim about a model that nobody can measure would stay "not measured" for ever. Tables that
// have nothing make every point name the cell that it asks for.
TEST_F(ClaimsCommandTest, ReadyClaimsAskForReadyModels) {
  const auto models =
      process::run({.arguments = {testing::build_path("crossbind"), "models", "--json"}}).value();
  std::set<std::string> ready;
  for (const auto& model : json::parse(models.out)) {
    ready.insert(model["id"]);
  }
  const auto judged = claims({"--printed", "tables/mine", "--json"});
  ASSERT_EQ(judged.exit_code, 0) << judged.error;
  const std::regex asked("model=([^ ]+)");
  std::set<std::string> met;
  for (std::sregex_iterator at(judged.out.begin(), judged.out.end(), asked), end; at != end; ++at) {
    met.insert(at->str(1));
  }
  EXPECT_THAT(ready, ::testing::IsSupersetOf(met));
  EXPECT_THAT(met, ::testing::IsSupersetOf({"lenet5", "bert-base", "resnet20"}));
}

TEST_F(ClaimsCommandTest, SaysWhatIsWrong) {
  EXPECT_EQ(claims({"mine.toml"}).exit_code, 2) << "no source";
  EXPECT_EQ(claims({"--printed", "tables", "--store", "x.db"}).exit_code, 2) << "two sources";
  const auto unknown = claims({"nobody-2024", "--printed", "tables"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.error,
              AllOf(HasSubstr("no ready claims file 'nobody-2024'"), HasSubstr("bindings-2024")));
  write("bad.toml", "title = \"Bad\"\n[[claim]]\nid = \"M1\"\ntxt = \"x\"\n");
  const auto bad = claims({"bad.toml", "--printed", "tables"});
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.error, HasSubstr("bad.toml:4: a claim: unknown key \"txt\""));
  EXPECT_THAT(claims({"mine.toml", "--printed", "none"}).error,
              HasSubstr("cannot read the folder none"));
  EXPECT_EQ(claims({"mine.toml", "--store", "none.db"}).exit_code, 1);
}

TEST_F(ClaimsCommandTest, ExplainsItselfWithExamples) {
  const auto help = claims({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("crossbind claims --store"));
}

}  // namespace
}  // namespace crossbind
