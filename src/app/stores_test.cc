#include "app/stores.h"

#include "published/fixtures.h"
#include "store/csv_folder.h"
#include "store/open.h"
#include "testing/testing.h"

namespace crossbind::app {
namespace {

using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::SizeIs;

class StoresTest : public testing::ScratchTest {
 protected:
  [[nodiscard]] std::string place(const std::string& name) const { return scratch(name).string(); }

  void add(store::ResultStore& store, const std::string& study, const store::TrialRecord& trial) {
    const auto id = store.add_study({study, "text"});
    ASSERT_THAT(id, is_ok());
    ASSERT_THAT(store.add_trial(*id, trial), is_ok());
  }

  // A store with one trial that is done.
  void make(const std::string& name, const std::string& identity) {
    const auto store = store::open(place(name)).value();
    add(*store, "mine", {{.identity = identity}});
  }
};

TEST_F(StoresTest, StudiesAreCountedByHowTheirTrialsEnded) {
  const auto store = store::open(place("mine.db")).value();
  add(*store, "first", {{.identity = "a", .outcome = store::Outcome::kDone}});
  add(*store,
      "first",
      {{.identity = "b", .outcome = store::Outcome::kFailed, .reason = "it died"}});
  add(*store,
      "first",
      {{.identity = "c", .outcome = store::Outcome::kFailed, .reason = "it died"}});
  add(*store,
      "second",
      {{.identity = "d", .outcome = store::Outcome::kUnsupported, .reason = "layer gru"}});
  const auto counted = count_studies(*store).value();
  ASSERT_THAT(counted, SizeIs(2));
  EXPECT_EQ(counted[0].study.record.name, "first");
  EXPECT_EQ(counted[0].done, 1);
  EXPECT_EQ(counted[0].failed, 2);
  EXPECT_EQ(counted[0].trials(), 3);
  EXPECT_EQ(counted[1].unsupported, 1);
}

TEST_F(StoresTest, AreMergedInOrder) {
  make("one.db", "a");
  make("two.db", "b");
  std::vector<std::string> told;
  ASSERT_THAT(
      merge_stores(place("all.db"),
                   {place("one.db"), place("two.db"), place("one.db")},
                   [&](const auto& from, const auto& counts) {
                     told.push_back(fmt::format("{} {}+{}",
                                                std::filesystem::path(from).filename().string(),
                                                counts.added,
                                                counts.already_there));
                   }),
      is_ok());
  EXPECT_THAT(told, ElementsAre("one.db 1+0", "two.db 1+0", "one.db 0+1"));
}

TEST_F(StoresTest, AMisspeltSourceLeavesNoHalfOfAMerge) {
  make("one.db", "a");
  EXPECT_THAT(merge_stores(place("all.db"), {place("one.db"), place("tow.db")}, [](auto&&...) {}),
              fails_with(HasSubstr("tow.db")));
  EXPECT_FALSE(std::filesystem::exists(place("all.db")));
}

TEST_F(StoresTest, FilesThatWereExportedComeBack) {
  make("one.db", "a");
  const auto store = store::open_for_reading(place("one.db")).value();
  ASSERT_THAT(store::write_csv_folder(*store, scratch("files")), is_ok());
  EXPECT_EQ(import_csv_folder(scratch("files"), place("two.db"))->added, 1U);
  EXPECT_EQ(import_csv_folder(scratch("files"), place("two.db"))->already_there, 1U);
}

TEST_F(StoresTest, PublishedResultsAreAddedOnceAndTheirContradictionsFound) {
  published::put_tiny_study(scratch("published"));
  const auto first = import_published(scratch("published"), place("lab.db")).value();
  EXPECT_GT(first.report.added, 0U);
  EXPECT_EQ(first.report.already_there, 0U);
  const auto second = import_published(scratch("published"), place("lab.db")).value();
  EXPECT_EQ(second.report.added, 0U);
  EXPECT_EQ(second.report.already_there, first.report.added);
  EXPECT_EQ(second.contradictions.size(), first.contradictions.size());
}

TEST_F(StoresTest, AFolderThatIsNoneLeavesNoStoreBehind) {
  EXPECT_FALSE(import_csv_folder(scratch("nothing"), place("two.db")));
  EXPECT_FALSE(import_published(scratch("nothing"), place("two.db")));
  EXPECT_FALSE(std::filesystem::exists(place("two.db")));
}

}  // namespace
}  // namespace crossbind::app
