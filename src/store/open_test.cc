#include "store/open.h"

#include "store/fixtures.h"
#include "testing/testing.h"

namespace crossbind::store {
namespace {

using ::testing::AllOf;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::Not;
using testing::ScratchTest;

class OpenTest : public ScratchTest {
 protected:
  [[nodiscard]] std::string place() const { return scratch("store.db"); }

  static void add_trial(const std::string& place, int number) {
    const auto store = open(place).value();
    const auto study = store->add_study({"quick", "text"}).value();
    ASSERT_THAT(store->add_trial(study, make_trial(number)), is_ok());
  }
};

TEST_F(OpenTest, MakesAStoreThatIsThereFromThenOn) {
  EXPECT_FALSE(exists(place()).value());
  add_trial(place(), 1);
  EXPECT_TRUE(exists(place()).value());
  EXPECT_EQ(open(place()).value()->trials().value().size(), 1U);
  EXPECT_EQ(open_for_reading(place()).value()->trials().value().size(), 1U);
}

TEST_F(OpenTest, SaysWhatMakesAStoreThatIsNotThere) {
  const auto opened = open_for_reading(place());
  EXPECT_THAT(opened,
              fails_with(AllOf(HasSubstr("there is no store " + place()),
                               HasSubstr("`crossbind run STUDY --store " + place()))));
  EXPECT_EQ(opened.error().kind, ErrorKind::kNotFound);
  EXPECT_FALSE(exists(place()).value());
}

TEST_F(OpenTest, RefusesASchemeByNameAndRepeatsNoPassword) {
  const std::string url = "postgresql://me:secret@host/results";
  const auto refuses = fails_with(
      AllOf(HasSubstr("postgresql://"), HasSubstr("named by its path"), Not(HasSubstr("secret"))));
  EXPECT_THAT(exists(url), refuses);
  EXPECT_THAT(open(url), refuses);
  EXPECT_THAT(open_for_reading(url), refuses);
  EXPECT_THAT(watch(url), refuses);
}

TEST_F(OpenTest, TakesForAPathWhatHasNoScheme) {
  for (const auto* text : {"./postgresql://x", "://x", "1a://x", "a b://x", "postgresql:x"}) {
    EXPECT_THAT(exists(text), is_ok()) << text;
  }
}

TEST_F(OpenTest, RefusesAnEmptyName) {
  EXPECT_THAT(open(""), fails_with(HasSubstr("has no name")));
  EXPECT_THAT(open_for_reading(""), fails_with(HasSubstr("has no name")));
}

TEST_F(OpenTest, WatchingTellsOfEachChangeOnce) {
  add_trial(place(), 1);
  const auto notice = watch(place()).value();
  EXPECT_TRUE(notice->has_changed().value());
  EXPECT_FALSE(notice->has_changed().value());
  add_trial(place(), 2);
  EXPECT_TRUE(notice->has_changed().value());
  EXPECT_FALSE(notice->has_changed().value());
}

TEST_F(OpenTest, WatchingTellsOfAnotherStoreInThePlace) {
  add_trial(place(), 1);
  const auto notice = watch(place()).value();
  EXPECT_TRUE(notice->has_changed().value());
  std::filesystem::remove(place());
  EXPECT_THAT(notice->has_changed(), fails_with(HasSubstr("there is no store")));
  add_trial(scratch("other.db"), 2);
  std::filesystem::rename(scratch("other.db"), place());
  EXPECT_TRUE(notice->has_changed().value());
  EXPECT_FALSE(notice->has_changed().value());
}

}  // namespace
}  // namespace crossbind::store
