#include "data/squad.h"

#include "data/fixtures.h"
#include "testing/testing.h"

namespace crossbind::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

// Numbers by line: [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, who 4, paris 5, is 6, nice 7.
const std::string kWords = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nwho\nparis\nis\nnice\n";

std::string document(const std::string& context, const std::string& answers) {
  return fmt::format(
      R"({{"data": [{{"paragraphs": [{{"context": "{}", "qas": [{{"question": "who is", "answers": {}}}]}}]}}]}})",
      context,
      answers);
}

std::string answer(const std::string& text, int start) {
  return fmt::format(
      R"([{{"text": "{}", "answer_start": {}}}, {{"text": "x", "answer_start": 0}}])", text, start);
}

Result<QuestionSamples> parse(const std::string& json) {
  return parse_squad(json, WordPiece::parse(kWords, "v").value(), "s.json");
}

Numbers prefix(const Numbers& numbers, size_t count) {
  return {numbers.begin(), numbers.begin() + static_cast<int64_t>(count)};
}

TEST(Squad, LaysOutQuestionAndContext) {
  // "é" is one character but two bytes: answer_start counts characters.
  const auto samples = parse(document("é Paris is nice", answer("is nice", 8)));
  ASSERT_THAT(samples, is_ok());
  EXPECT_THAT(prefix(samples->tokens, 11), ElementsAre(2, 4, 6, 3, 1, 5, 6, 7, 3, 0, 0));
  EXPECT_THAT(prefix(samples->segments, 11), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0));
  EXPECT_THAT(prefix(samples->mask, 11), ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0));
  EXPECT_THAT(samples->start, ElementsAre(6));
  EXPECT_THAT(samples->end, ElementsAre(7));
  EXPECT_EQ(samples->tokens.size(), static_cast<size_t>(kQuestionLength));
}

TEST(Squad, ALongContextBecomesTheWindowsThatHoldTheAnswer) {
  std::string context;
  for (int i = 0; i < 600; ++i) {
    context += i == 300 ? "paris " : "is ";
  }
  const auto samples = parse(document(context, answer("paris", 900)));
  ASSERT_THAT(samples, is_ok());
  // 379 pieces of context fit beside two of question; windows begin at 0, 128 and 256.
  EXPECT_THAT(samples->start, ElementsAre(304, 176, 48));
  EXPECT_EQ(samples->start, samples->end);
  for (size_t i = 0; i < samples->start.size(); ++i) {
    EXPECT_EQ(samples->tokens[i * kQuestionLength + static_cast<size_t>(samples->start[i])], 5);
  }
  EXPECT_EQ(samples->questions, 1);
}

TEST(Squad, NamesTheOffsetOfBadJson) {
  EXPECT_THAT(parse(R"({"data": [}])"),
              fails_with(AllOf(HasSubstr("s.json at byte 11"), HasSubstr("bad JSON"))));
  EXPECT_THAT(parse(""), fails_with(HasSubstr("bad JSON")));
}

TEST(Squad, NamesThePlaceOfAWrongValue) {
  EXPECT_THAT(parse("[]"), fails_with(HasSubstr("s.json: $: has no 'data'")));
  EXPECT_THAT(parse(R"({"data": 3})"),
              fails_with(HasSubstr("$.data: is of type number, expected array")));
  EXPECT_THAT(parse(document("is", "[]")),
              fails_with("s.json: $.data[0].paragraphs[0].qas[0].answers: is empty"));
  EXPECT_THAT(parse(document("is", R"([{"text": "is", "answer_start": -1}])")),
              fails_with(HasSubstr("answers[0].answer_start: is of type number")));
  EXPECT_THAT(
      parse(document("is", answer("is nice", 0))),
      fails_with(HasSubstr("the answer, 7 characters from 0, is not inside the context of 2")));
  EXPECT_THAT(parse(document("is", R"([{"text": "is", "answer_start": 18446744073709551615}])")),
              fails_with(HasSubstr("is not inside the context")));
}

class SquadSourceTest : public testing::ScratchTest {
 protected:
  Result<Converted> read(const fixtures::Files& files, const std::filesystem::path& vocabulary) {
    fixtures::write_tree(scratch("source"), files);
    SilentProgress progress;
    return read_squad(find_dataset("squad").value(),
                      Source::open(scratch("source")).value(),
                      vocabulary,
                      progress);
  }
};

TEST_F(SquadSourceTest, TakesTheVocabularyFromTheSourceOrFromTheUser) {
  const std::string questions = document("paris is", answer("paris", 0));
  fixtures::Files files = {{"train-v1.1.json", questions}, {"dev-v1.1.json", questions}};
  EXPECT_THAT(read(files, {}), fails_with(HasSubstr("holds no vocab.txt")));
  files["vocab.txt"] = kWords;
  const auto converted = read(files, {});
  ASSERT_THAT(converted, is_ok());
  EXPECT_EQ(converted->content.fields.size(), 10U);
  EXPECT_EQ(converted->content.metadata.at("vocabulary"), "8");
  ASSERT_THAT(write_file(scratch("mine"), kWords + "more\n"), is_ok());
  EXPECT_EQ(read(files, scratch("mine")).value().content.metadata.at("vocabulary"), "9");
}

}  // namespace
}  // namespace crossbind::data
