// The claims of both studies, held against the studies' own printed tables.
#include <map>

#include "claims/cell_file.h"
#include "claims/claim_reader.h"
#include "claims/judge.h"
#include "claims/wording.h"
#include "testing/testing.h"

namespace crossbind::claims {
namespace {

using testing::is_ok;

constexpr auto kConfirmed = Conclusion::kConfirmed;
constexpr auto kRefuted = Conclusion::kRefuted;
constexpr auto kPartly = Conclusion::kPartlyMeasured;
constexpr auto kNot = Conclusion::kNotMeasured;

struct Judged {
  std::map<std::string, JudgedClaim> by_id;
  std::map<std::string, Wording> words;
};

Judged judged(const std::string& study) {
  const std::filesystem::path folder = testing::source_path("claims");
  const auto list = read_claims_file(folder / (study + ".toml"));
  const auto cells = read_cell_folder(folder / "printed" / study);
  EXPECT_THAT(list, is_ok());
  EXPECT_THAT(cells, is_ok());
  Judged all;
  for (const auto& claim : list->claims) {
    const auto judged = judge(claim, *cells);
    EXPECT_THAT(judged, is_ok()) << claim.id;
    all.by_id[claim.id] = *judged;
    all.words[claim.id] = wording(claim, *judged);
  }
  return all;
}

void expect_conclusions(const std::string& study,
                        const std::map<std::string, Conclusion>& expected) {
  const auto found = judged(study);
  EXPECT_EQ(found.by_id.size(), expected.size());
  for (const auto& [id, conclusion] : expected) {
    ASSERT_TRUE(found.by_id.contains(id)) << id;
    const auto& words = found.words.at(id);
    EXPECT_EQ(to_string(found.by_id.at(id).conclusion), to_string(conclusion))
        << id << ": " << words.figure << "; " << words.why;
  }
}

TEST(PrintedClaims, TheBindingsStudyAgainstItsOwnTables) {
  expect_conclusions(
      "bindings-2024",
      {{"B1.1", kConfirmed},  {"B1.2", kConfirmed},  {"B1.3", kConfirmed},  {"B1.4", kConfirmed},
       {"B1.5", kConfirmed},  {"B1.6", kRefuted},    {"B1.7", kConfirmed},  {"B1.8", kConfirmed},
       {"B1.9", kConfirmed},  {"B1.10", kConfirmed}, {"B1.11", kConfirmed}, {"B1.12", kConfirmed},
       {"B1.13", kConfirmed}, {"B2.1", kNot},        {"B2.2", kNot},        {"B2.3", kNot},
       {"B2.4", kNot},        {"B2.5", kNot},        {"B2.6", kNot},        {"B2.7", kConfirmed},
       {"B2.8", kNot},        {"B3.1", kNot},        {"B3.2", kConfirmed},  {"B3.3", kNot},
       {"B3.4", kRefuted},    {"B3.5", kRefuted},    {"B3.6", kPartly},     {"B3.7", kRefuted},
       {"B3.8", kConfirmed},  {"B3.9", kConfirmed},  {"B4.1", kNot},        {"B4.2", kPartly},
       {"B4.3", kNot},        {"B4.4", kNot},        {"B4.5", kNot},        {"B4.6", kRefuted},
       {"B4.7", kRefuted},    {"B4.8", kConfirmed},  {"B4.9", kConfirmed},  {"B4.10", kNot},
       {"B4.11", kPartly},    {"B4.12", kNot},       {"B4.13", kNot},       {"B4.14", kNot},
       {"B4.15", kNot},       {"B4.16", kNot},       {"B5.1", kNot},        {"B5.2", kPartly},
       {"B5.3", kNot},        {"B5.4", kNot}});
}

TEST(PrintedClaims, TheFrameworksStudyAgainstItsOwnTables) {
  expect_conclusions(
      "frameworks-2018",
      {{"F1.1", kNot},       {"F1.2", kNot},        {"F1.3", kNot},        {"F1.4", kNot},
       {"F1.5", kNot},       {"F1.6", kNot},        {"F1.7", kNot},        {"F1.8", kNot},
       {"F1.9", kNot},       {"F1.10", kNot},       {"F1.11", kNot},       {"F1.12", kConfirmed},
       {"F1.13", kRefuted},  {"F1.14", kRefuted},   {"F1.15", kConfirmed}, {"F2.1", kRefuted},
       {"F2.2", kRefuted},   {"F2.3", kConfirmed},  {"F2.4", kConfirmed},  {"F2.5", kConfirmed},
       {"F2.6", kNot},       {"F2.7", kNot},        {"F3.1", kNot},        {"F3.2", kNot},
       {"F3.3", kPartly},    {"F3.4", kNot},        {"F3.5", kConfirmed},  {"F3.6", kNot},
       {"F3.7", kConfirmed}, {"F3.8", kConfirmed},  {"P4.1", kRefuted},    {"P4.2", kRefuted},
       {"P4.3", kRefuted},   {"P4.4", kRefuted},    {"P4.5", kConfirmed},  {"P4.6", kConfirmed},
       {"P4.7", kRefuted},   {"P4.8", kConfirmed},  {"P4.9", kConfirmed},  {"P4.10", kConfirmed},
       {"P4.11", kRefuted},  {"P4.12", kConfirmed}, {"P4.13", kConfirmed}, {"P4.14", kConfirmed},
       {"P4.15", kConfirmed}});
}

// What the claims that do not hold are refuted by.
TEST(PrintedClaims, RefutationsNameTheirCells) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> bindings = {
      {"B1.6", {"2 points", "pytorch gru: 2.5"}},
      {"B3.4", {"rust lenet1: 1.401", "rust lenet5: 1.45", "2 of 4 measured"}},
      {"B3.5", {"rust lstm: 1.172", "rust gru: 1.193", "1 hold"}},
      {"B3.7", {"vgg16: 2.796"}},
      {"B4.6", {"1 confirmed, 1 refuted", "second: 71.25"}},
      {"B4.7", {"python lenet1: 0.25; python lenet5: 0.375", "10 of 12 hold"}}};
  const std::vector<std::pair<std::string, std::vector<std::string>>> frameworks = {
      {"F1.13", {"theano resnet20", "theano vgg16-bn-all", "torch lenet1-valid", "9 of 12 hold"}},
      {"F1.14", {"torch 64 lenet5-valid: 0.9474; torch 128 lenet5-valid: 0.8169"}},
      {"F2.1", {"5 of 6 hold; not 1000 lenet1-valid: 12.57"}},
      {"F2.2", {"1000 resnet20: 207.7; 1000 vgg16-bn-all: 63.56"}},
      {"P4.1",
       {"13 of 16 hold; not resnet20 iphone6s: 0.04; vgg16-bn-all nexus6p: 0.01; "
        "vgg16-bn-all iphone6s: -0.01"}},
      {"P4.2", {"1 confirmed, 1 refuted", "not lenet1-valid browser: 1.25"}},
      {"P4.3", {"3 of 4 hold; not nexus6 lenet5-valid: 2.554"}},
      {"P4.4", {"2 of 4 hold"}},
      {"P4.7", {"11 of 12 hold; not lenet5-valid iphone6s: 0.5222"}},
      {"P4.11", {"0 of 2 hold"}}};
  for (const auto& [study, expected] :
       {std::pair{"bindings-2024", bindings}, {"frameworks-2018", frameworks}}) {
    const auto found = judged(study);
    for (const auto& [id, parts] : expected) {
      for (const auto& part : parts) {
        EXPECT_THAT(found.words.at(id).why, ::testing::HasSubstr(part)) << id;
      }
    }
  }
}

// A part of these is printed, and bears them out.
TEST(PrintedClaims, WhatIsMeasuredInPartHolds) {
  EXPECT_TRUE(judged("bindings-2024").by_id.at("B4.11").holds_so_far);
  EXPECT_TRUE(judged("bindings-2024").by_id.at("B3.6").holds_so_far);
  EXPECT_TRUE(judged("frameworks-2018").by_id.at("F3.3").holds_so_far);
}

}  // namespace
}  // namespace crossbind::claims
