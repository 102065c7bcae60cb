#include "config/table_reader.h"

#include <rapidcheck/gtest.h>

#include "testing/testing.h"

namespace crossbind::config {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;
using ::testing::Not;

// A table of the file t.toml, and a reader of it.
class Read {
 public:
  explicit Read(std::string_view text,
                const std::string& subject = {},
                std::map<std::string, int64_t, std::less<>> sizes = {})
      : document_{"t.toml", std::move(sizes)},
        table_(parse(text, "t.toml").value()),
        reader_(table_, subject, document_) {}

  TableReader* operator->() { return &reader_; }
  [[nodiscard]] Status finish() const { return reader_.finish(); }

 private:
  Document document_;
  toml::table table_;
  TableReader reader_;
};

enum class Colour { kRed, kGreen };
constexpr std::array kColours = {Named<Colour>{"red", Colour::kRed},
                                 Named<Colour>{"green", Colour::kGreen}};

TEST(Parse, SaysInWhichLineTheSyntaxIsWrong) {
  EXPECT_THAT(parse("a = 1\nb = \n", "t.toml"),
              fails_with(AllOf(HasSubstr("t.toml:2"), HasSubstr("is not TOML"))));
}

TEST(TableReader, ReadsEveryTypeOfValue) {
  Read read(
      "count = 3\nrate = 0.5\nwhole = 2\nis_on = true\ntitle = \"two words\"\nid = \"a.b-c_1\"\n"
      "one = \"x\"\nmany = [\"x\", \"y\"]\nkernel = [3, 5]\nsquare = 3\nshape = [1, 28, 28]\n"
      "colour = \"green\"\ncolours = [\"green\", \"red\"]\ninner = {a = 1}\nlayers = [{a = 1}]\n");
  EXPECT_EQ(read->integer("count", 1), 3);
  EXPECT_EQ(read->number("rate", kBelowOne), 0.5);
  EXPECT_EQ(read->number("whole", kPositive), 2);
  EXPECT_TRUE(read->boolean("is_on"));
  EXPECT_EQ(read->text("title"), "two words");
  EXPECT_EQ(read->name("id"), "a.b-c_1");
  EXPECT_THAT(read->texts("one", 2), ElementsAre("x"));
  EXPECT_THAT(read->texts("many", 2), ElementsAre("x", "y"));
  EXPECT_THAT(read->strings("many", 1), ElementsAre("x", "y"));
  EXPECT_THAT(read->integers("kernel", 2, 1, "two"), ElementsAre(3, 5));
  EXPECT_THAT(read->integers("square", 2, 1, "two"), ElementsAre(3, 3));
  EXPECT_THAT(read->shape("shape", 3), ElementsAre(1, 28, 28));
  EXPECT_EQ(read->choice<Colour>("colour", kColours), Colour::kGreen);
  EXPECT_THAT(read->choices<Colour>("colours", kColours),
              ElementsAre(Colour::kGreen, Colour::kRed));
  EXPECT_NE(read->table("inner"), nullptr);
  EXPECT_NE(read->array("layers"), nullptr);
  EXPECT_FALSE(read->failed());
  EXPECT_THAT(read.finish(), is_ok());
}

TEST(TableReader, AMissingKeyGoesOnWithAHarmlessValue) {
  Read read("");
  EXPECT_EQ(read->integer("count", 7), 7);
  EXPECT_EQ(read->number("rate", kPositive), 0);
  EXPECT_FALSE(read->boolean("is_on"));
  EXPECT_EQ(read->text("title"), "");
  EXPECT_THAT(read->texts("names", 2), IsEmpty());
  EXPECT_THAT(read->shape("shape", 2), IsEmpty());
  EXPECT_THAT(read->integers("kernel", 2, 1, "two"), ElementsAre(1, 1));
  EXPECT_EQ(read->choice<Colour>("colour", kColours), Colour::kRed);
  EXPECT_EQ(read->table("inner"), nullptr);
  EXPECT_EQ(read->array("layers"), nullptr);
  EXPECT_EQ(read->optional_text("note"), std::nullopt);
  EXPECT_TRUE(read->failed());
  EXPECT_THAT(read.finish(),
              fails_with(HasSubstr("t.toml:1: 'count' is missing, expected an integer from 7")));
}

TEST(TableReader, ReportsTheFirstWrongValueWithSubjectAndLine) {
  Read read("\nrate = -1\ncount = \"many\"\n", "[optimizer]");
  read->number("rate", kNotNegative);
  read->integer("count", 1);
  EXPECT_THAT(read.finish(),
              fails_with(HasSubstr(
                  "t.toml:2: [optimizer]: 'rate' is -1, expected a number of at least 0")));
}

TEST(TableReader, AMisspeltKeyIsCalledThatAndNotAMissingOne) {
  Read read("\n\nmomentun = 0.9\n", "[optimizer]");
  read->number("momentum", kBelowOne);
  EXPECT_THAT(read.finish(),
              fails_with(AllOf(HasSubstr("t.toml:3: [optimizer]: unknown key \"momentun\", "
                                         "expected one of: momentum"),
                               HasSubstr("Did you mean 'momentum'?"),
                               Not(HasSubstr("missing")))));
}

TEST(TableReader, AKeyIsKnownOnceItWasAskedFor) {
  Read read("note = 5\n");
  EXPECT_TRUE(read->has("note"));
  EXPECT_FALSE(read->has("other"));
  EXPECT_EQ(read->optional_text("note"), std::nullopt);  // it is there and no string
  EXPECT_THAT(read.finish(), is_ok());
}

TEST(TableReader, AcceptsTheRestOfATableWhoseSubjectIsUnknown) {
  Read read("type = \"conv9d\"\nanything = 1\n");
  read->choice<Colour>("type", kColours);
  read->accept_rest();
  EXPECT_THAT(read.finish(),
              fails_with(HasSubstr("'type' is \"conv9d\", expected one of \"red\", \"green\"")));
}

TEST(TableReader, IntegersHaveALeastAndAMost) {
  for (const auto* value : {"0", "-3", "2147483649", "1.5", "\"3\"", "[3]", "true"}) {
    Read read(fmt::format("count = {}\n", value));
    EXPECT_EQ(read->integer("count", 1), 1) << value;
    EXPECT_THAT(read.finish(), fails_with(HasSubstr("expected an integer from 1 to 2147483648")));
  }
  Read largest("count = 2147483648\n");
  EXPECT_EQ(largest->integer("count", 1), kMaximumDimension);
  EXPECT_THAT(largest.finish(), is_ok());
}

TEST(TableReader, ASizeStandsForItsNumberEverywhere) {
  Read read(
      "hidden = \"$width\"\nkernel = [\"$width\", 1]\nshape = [\"$width\"]\n", "", {{"width", 64}});
  EXPECT_EQ(read->integer("hidden", 1), 64);
  EXPECT_THAT(read->integers("kernel", 2, 1, "two"), ElementsAre(64, 1));
  EXPECT_THAT(read->shape("shape", 4), ElementsAre(64));
  EXPECT_THAT(read.finish(), is_ok());
}

TEST(TableReader, SuggestsTheSizeThatWasMeant) {
  Read read("hidden = \"$widht\"\n", "", {{"width", 64}});
  read->integer("hidden", 1);
  EXPECT_THAT(read.finish(),
              fails_with(AllOf(HasSubstr("'hidden' is \"$widht\", expected a name of [sizes]"),
                               HasSubstr("Did you mean '$width'?"))));
}

TEST(TableReader, ArraysOfIntegersHaveTheirLength) {
  Read three("kernel = [3, 3, 3]\n");
  three->integers("kernel", 2, 1, "one integer or two");
  EXPECT_THAT(three.finish(),
              fails_with(HasSubstr("'kernel' is an array of 3, expected one integer or two")));
  for (const auto* value : {"[]", "[1, 2, 3]", "4", "[0]"}) {
    Read read(fmt::format("shape = {}\n", value));
    read->shape("shape", 2);
    EXPECT_THAT(read.finish(), fails_with(HasSubstr("an array of 1 to 2 integers"))) << value;
  }
}

TEST(TableReader, NumbersAreFiniteAndInTheirInterval) {
  struct Case {
    const char* value;
    Interval interval;
    bool holds;
  };
  for (const auto& [value, interval, holds] : {Case{"inf", kFinite, false},
                                               {"nan", kFinite, false},
                                               {"-2", kFinite, true},
                                               {"0", kPositive, false},
                                               {"1e-9", kPositive, true},
                                               {"0", kNotNegative, true},
                                               {"-0.1", kNotNegative, false},
                                               {"1", kBelowOne, false},
                                               {"0.999", kBelowOne, true},
                                               {"1", kUpToOne, true},
                                               {"1.001", kUpToOne, false},
                                               {"\"1\"", kFinite, false}}) {
    Read read(fmt::format("x = {}\n", value));
    read->number("x", interval);
    EXPECT_EQ(read.finish().has_value(), holds) << value << ", " << interval.words;
  }
}

TEST(TableReader, StringsAreNeverEmpty) {
  Read text("title = \"\"\n");
  text->text("title");
  EXPECT_THAT(text.finish(), fails_with(HasSubstr("expected a string that is not empty")));
  Read strings("names = [\n\"a\",\n\"\"]\n");
  EXPECT_THAT(strings->strings("names", 1), IsEmpty());
  EXPECT_THAT(strings.finish(), fails_with(HasSubstr("t.toml:3: 'names' has \"\"")));
  Read none("names = []\n");
  none->strings("names", 1);
  EXPECT_THAT(none.finish(), fails_with(HasSubstr("an array of at least 1 string(s)")));
}

TEST(TableReader, TextsAreOneOrAFew) {
  for (const auto* value : {"[]", "[\"a\", \"b\", \"c\"]", "[\"a\", 1]", "7"}) {
    Read read(fmt::format("names = {}\n", value));
    read->texts("names", 2);
    EXPECT_THAT(read.finish(), fails_with(HasSubstr("a name, or an array of 1 to 2 names")))
        << value;
  }
}

TEST(TableReader, WordsAreThoseAllowedAndEachOnce) {
  Read unknown("colours = [\"red\",\n\"gren\"]\n");
  unknown->choices<Colour>("colours", kColours);
  EXPECT_THAT(unknown.finish(),
              fails_with(AllOf(HasSubstr("t.toml:2: 'colours' has \"gren\", expected only \"red\", "
                                         "\"green\""),
                               HasSubstr("Did you mean 'green'?"))));
  Read twice("colours = [\"red\", \"red\"]\n");
  EXPECT_THAT(twice->choices<Colour>("colours", kColours), IsEmpty());
  EXPECT_THAT(twice.finish(), fails_with(HasSubstr("'colours' has \"red\" twice")));
}

TEST(TableReader, SaysWhatStandsInThePlaceOfATable) {
  Read inner("inner = 1979-05-27\n");
  EXPECT_EQ(inner->table("inner"), nullptr);
  EXPECT_THAT(inner.finish(), fails_with(HasSubstr("'inner' is a date or time, expected a table")));
  Read layers("layers = {a = 1}\n");
  layers->array("layers");
  EXPECT_THAT(layers.finish(), fails_with(HasSubstr("'layers' is a table, expected an array")));
}

TEST(TableReader, QuotesOnlyTheBeginningOfALongText) {
  Read read(fmt::format("colour = \"{}\"\n", std::string(500, 'x')));
  read->choice<Colour>("colour", kColours);
  EXPECT_THAT(read.finish(),
              fails_with(AllOf(HasSubstr(std::string(60, 'x') + "\"..."),
                               Not(HasSubstr(std::string(61, 'x'))))));
}

TEST(TableReader, TakesComplaintsOfItsUser) {
  Read read("\nepochs = 3\n", "[training]");
  EXPECT_EQ(read->integer("epochs", 1), 3);
  read->complain("epochs", "an even number");
  EXPECT_THAT(read.finish(),
              fails_with(HasSubstr("t.toml:2: [training]: 'epochs' is 3, expected an even")));
  EXPECT_THAT(read->error("says nothing").to_string(), HasSubstr("[training]: says nothing"));
}

TEST(Names, AreSegmentsJoinedByDots) {
  for (const auto* name : {"a", "conv1", "block.0.conv-1_x", "A.b", "-"}) {
    EXPECT_TRUE(is_name(name)) << name;
  }
  for (const auto* name : {"", ".", ".a", "a.", "a..b", "a b", "a/b", "ä"}) {
    EXPECT_FALSE(is_name(name)) << name;
  }
}

RC_GTEST_PROP(Names, JoinedByADotAreAName, ()) {
  const auto segment = [] {
    return *rc::gen::nonEmpty(
        rc::gen::container<std::string>(rc::gen::elementOf(std::string("abcXYZ0189_-"))));
  };
  RC_ASSERT(is_name(segment() + "." + segment()));
}

}  // namespace
}  // namespace crossbind::config
