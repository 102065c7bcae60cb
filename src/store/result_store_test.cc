// One suite for all stores.
#include "store/result_store.h"

#include <limits>

#include "store/fixtures.h"
#include "store/memory_store.h"
#include "store/open.h"
#include "testing/testing.h"

namespace crossbind::store {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

struct Kind {
  std::string name;
  std::unique_ptr<ResultStore> (*make)(const std::filesystem::path& path);
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"memory",
       [](const std::filesystem::path&) -> std::unique_ptr<ResultStore> {
         return std::make_unique<MemoryStore>();
       }},
      {"file", [](const std::filesystem::path& path) -> std::unique_ptr<ResultStore> {
         return open(path).value();
       }}};
  return all;
}

class ResultStoreTest : public testing::ScratchTest, public ::testing::WithParamInterface<Kind> {
 protected:
  ResultStoreTest() : store_(make("store.db")), study_(add_study(*store_, "first")) {}

  [[nodiscard]] std::unique_ptr<ResultStore> make(const std::string& name) const {
    return GetParam().make(scratch(name));
  }
  static StudyId add_study(ResultStore& store, const std::string& name) {
    return store.add_study({name, "text of " + name}).value();
  }
  static std::vector<std::string> identities(const ResultStore& store,
                                             const std::optional<StudyId>& study = std::nullopt) {
    std::vector<std::string> all;
    const auto trials = store.trials(study).value();
    std::ranges::transform(trials, std::back_inserter(all), &TrialSummary::identity);
    return all;
  }
  static std::string id(int number) { return make_trial(number).identity; }

  std::unique_ptr<ResultStore> store_;
  StudyId study_;
};

INSTANTIATE_TEST_SUITE_P(Stores,
                         ResultStoreTest,
                         ::testing::ValuesIn(kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(ResultStoreTest, GivesBackATrialWholeAndUnchanged) {
  ASSERT_THAT(store_->add_trial(study_, full_trial()), is_ok());
  EXPECT_EQ(store_->find_trial(full_trial().identity).value(), full_trial());
  EXPECT_THAT(store_->trials().value(),
              ElementsAre(static_cast<const TrialSummary&>(full_trial())));
  EXPECT_EQ(store_->find_trial("00").value(), std::nullopt);
  EXPECT_THAT(store_->check().value(), IsEmpty());
}

TEST_P(ResultStoreTest, GivesBackATrialThatHasNothingOptional) {
  TrialRecord bare;
  bare.identity = "0";
  ASSERT_THAT(store_->add_trial(study_, bare), is_ok());
  EXPECT_EQ(store_->find_trial("0").value(), bare);
}

TEST_P(ResultStoreTest, SortsThePartsOfATrial) {
  auto trial = full_trial();
  std::ranges::reverse(trial.settings);
  std::ranges::reverse(trial.curve);
  std::ranges::reverse(trial.series);
  ASSERT_THAT(store_->add_trial(study_, trial), is_ok());
  EXPECT_EQ(store_->find_trial(trial.identity).value(), full_trial());
}

TEST_P(ResultStoreTest, TheSameStudyTwiceIsOneStudy) {
  EXPECT_EQ(add_study(*store_, "first"), study_);
  const auto second = add_study(*store_, "second");
  EXPECT_NE(second, study_);
  EXPECT_THAT(store_->studies().value(),
              ElementsAre(StoredStudy{study_, {"first", "text of first"}},
                          StoredStudy{second, {"second", "text of second"}}));
}

TEST_P(ResultStoreTest, ListsTrialsInTheOrderTheyWereAdded) {
  for (const int number : {3, 1, 2}) {
    ASSERT_THAT(store_->add_trial(study_, make_trial(number)), is_ok());
  }
  EXPECT_THAT(identities(*store_), ElementsAre(id(3), id(1), id(2)));
  std::vector<TrialRecord> visited;
  ASSERT_THAT(store_->for_each_trial(study_,
                                     [&](const TrialRecord& trial) -> Status {
                                       visited.push_back(trial);
                                       return {};
                                     }),
              is_ok());
  EXPECT_THAT(visited, ElementsAre(make_trial(3), make_trial(1), make_trial(2)));
}

TEST_P(ResultStoreTest, AVisitorsErrorEndsTheVisit) {
  ASSERT_THAT(store_->add_trial(study_, make_trial(1)), is_ok());
  ASSERT_THAT(store_->add_trial(study_, make_trial(2)), is_ok());
  int visits = 0;
  EXPECT_THAT(store_->for_each_trial(std::nullopt,
                                     [&](const TrialRecord&) -> Status {
                                       ++visits;
                                       return fail(ErrorKind::kInvalid, "enough");
                                     }),
              fails_with(HasSubstr("enough")));
  EXPECT_EQ(visits, 1);
}

TEST_P(ResultStoreTest, OnlyAFailedTrialIsReplaced) {
  ASSERT_THAT(store_->add_trial(study_, failed(make_trial(1, 50), "out of memory")), is_ok());
  ASSERT_THAT(store_->add_trial(study_, make_trial(2)), is_ok());
  const auto second = add_study(*store_, "second");
  ASSERT_THAT(store_->add_trial(second, make_trial(1)), is_ok());
  EXPECT_EQ(store_->find_trial(id(1)).value(), make_trial(1));
  EXPECT_THAT(identities(*store_, study_), ElementsAre(id(1), id(2)));
  EXPECT_THAT(identities(*store_, second), ElementsAre(id(1)));
  const auto again = store_->add_trial(study_, failed(make_trial(1), "late"));
  EXPECT_THAT(again, fails_with(AllOf(HasSubstr(id(1)), HasSubstr("already stored as done"))));
  EXPECT_EQ(again.error().kind, ErrorKind::kInvalid);
  EXPECT_EQ(store_->find_trial(id(1)).value(), make_trial(1));
  EXPECT_THAT(store_->check().value(), IsEmpty());
}

TEST_P(ResultStoreTest, ATrialThatIsRefusedLeavesNoTrace) {
  auto trial = make_trial(1);
  trial.series[0].values[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(store_->add_trial(study_, trial), fails_with(HasSubstr("metric 'backward'")));
  const auto unknown = store_->add_trial({"00"}, make_trial(1));
  EXPECT_THAT(unknown, fails_with(HasSubstr("no study 00")));
  EXPECT_EQ(unknown.error().kind, ErrorKind::kNotFound);
  EXPECT_THAT(store_->trials().value(), IsEmpty());
}

TEST_P(ResultStoreTest, SaysHowEveryTrialEnded) {
  ASSERT_THAT(store_->add_trial(study_, make_trial(1)), is_ok());
  ASSERT_THAT(store_->add_trial(study_, failed(make_trial(2), "killed")), is_ok());
  EXPECT_THAT(store_->outcomes().value(),
              UnorderedElementsAre(Pair(id(1), StoredOutcome{Outcome::kDone, ""}),
                                   Pair(id(2), StoredOutcome{Outcome::kFailed, "killed"})));
}

TEST_P(ResultStoreTest, ATrialMayBelongToSeveralStudies) {
  const auto second = add_study(*store_, "second");
  ASSERT_THAT(store_->add_trial(study_, make_trial(1)), is_ok());
  ASSERT_THAT(store_->add_trial(study_, make_trial(2)), is_ok());
  ASSERT_THAT(store_->link_trial(second, id(2)), is_ok());
  ASSERT_THAT(store_->link_trial(second, id(2)), is_ok());
  EXPECT_THAT(identities(*store_), ElementsAre(id(1), id(2)));
  EXPECT_THAT(identities(*store_, second), ElementsAre(id(2)));
  EXPECT_THAT(store_->link_trial(second, id(3)), fails_with(HasSubstr("no trial " + id(3))));
  EXPECT_THAT(store_->link_trial({"00"}, id(1)), fails_with(HasSubstr("no study 00")));
  EXPECT_THAT(store_->trials(StudyId{"00"}), fails_with(HasSubstr("no study 00")));
}

TEST_P(ResultStoreTest, ATransactionThatFailsIsUndoneAndOneInsideItAlone) {
  const auto status = store_->transact([&]() -> Status {
    CB_TRY(store_->add_trial(study_, make_trial(1)));
    return fail(ErrorKind::kInvalid, "changed my mind");
  });
  EXPECT_THAT(status, fails_with(HasSubstr("changed my mind")));
  EXPECT_THAT(identities(*store_), IsEmpty());
  ASSERT_THAT(store_->transact([&]() -> Status {
    CB_TRY(store_->add_trial(study_, make_trial(1)));
    const auto inner = store_->transact([&]() -> Status {
      CB_TRY(store_->add_trial(study_, make_trial(2)));
      return fail(ErrorKind::kInvalid, "not this one");
    });
    EXPECT_FALSE(inner);
    return store_->add_trial(study_, make_trial(3));
  }),
              is_ok());
  EXPECT_THAT(identities(*store_), ElementsAre(id(1), id(3)));
}

TEST_P(ResultStoreTest, MergeUnitesStudiesAndTrials) {
  ASSERT_THAT(store_->add_trial(study_, make_trial(1)), is_ok());
  ASSERT_THAT(store_->add_trial(study_, failed(make_trial(2), "killed")), is_ok());
  ASSERT_THAT(store_->add_trial(study_, make_trial(3)), is_ok());
  ASSERT_THAT(store_->add_trial(study_, failed(make_trial(4), "here")), is_ok());
  const auto other = make("other.db");
  add_study(*other, "first");
  const auto second = add_study(*other, "second");
  ASSERT_THAT(other->add_trial(study_, make_trial(1)), is_ok());
  ASSERT_THAT(other->add_trial(study_, make_trial(2)), is_ok());
  ASSERT_THAT(other->add_trial(study_, failed(make_trial(3), "killed")), is_ok());
  ASSERT_THAT(other->add_trial(study_, failed(make_trial(4), "there")), is_ok());
  ASSERT_THAT(other->add_trial(second, full_trial()), is_ok());
  ASSERT_THAT(other->link_trial(second, id(1)), is_ok());

  EXPECT_EQ(store_->merge(*other).value(),
            (MergeCounts{
                .studies = 1, .added = 1, .already_there = 3, .replaced = 1, .contradicting = 0}));
  EXPECT_EQ(store_->find_trial(id(2)).value(), make_trial(2));
  EXPECT_EQ(store_->find_trial(id(3)).value(), make_trial(3));
  EXPECT_EQ(store_->find_trial(id(4)).value(), failed(make_trial(4), "here"));
  EXPECT_EQ(store_->find_trial(full_trial().identity).value(), full_trial());
  EXPECT_THAT(identities(*store_, study_), ElementsAre(id(1), id(2), id(3), id(4)));
  EXPECT_THAT(identities(*store_, second), ElementsAre(id(1), full_trial().identity));
  EXPECT_THAT(store_->check().value(), IsEmpty());
  EXPECT_EQ(store_->merge(*other).value(), (MergeCounts{.already_there = 5}));
}

TEST_P(ResultStoreTest, MergeCountsContradictionsAndKeepsWhatWasHere) {
  ASSERT_THAT(store_->add_trial(study_, make_trial(1)), is_ok());
  MemoryStore other;
  auto trial = failed(make_trial(1), "no such layer");
  trial.outcome = Outcome::kUnsupported;
  ASSERT_THAT(other.add_trial(add_study(other, "first"), trial), is_ok());
  EXPECT_EQ(store_->merge(other).value(), (MergeCounts{.contradicting = 1}));
  EXPECT_EQ(store_->find_trial(id(1)).value(), make_trial(1));
}

}  // namespace
}  // namespace crossbind::store
