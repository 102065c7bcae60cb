// What is particular to the SQLite store: whose file it is, versions, and what check() finds.
#include "store/sqlite_store.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "base/file.h"
#include "store/fixtures.h"
#include "store/sqlite_schema.h"
#include "testing/testing.h"

namespace crossbind::store {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;

class SqliteStoreTest : public testing::ScratchTest {
 protected:
  [[nodiscard]] std::filesystem::path path() const { return scratch("store.db"); }
  [[nodiscard]] SqliteStore open(Access access = Access::kReadWrite) const {
    return SqliteStore::open(path(), access).value();
  }
  void make_store() const {
    auto store = open();
    const auto study = store.add_study({"quick", "text"}).value();
    ASSERT_THAT(store.add_trial(study, make_trial(1)), is_ok());
    ASSERT_THAT(store.add_trial(study, full_trial()), is_ok());
  }
  void execute(const std::string& sql) const {
    SQLite::Database(path().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(sql);
  }
  [[nodiscard]] int64_t number(const std::string& query) const {
    return SQLite::Database(path().string()).execAndGet(query).getInt64();
  }
  [[nodiscard]] std::vector<std::string> columns_of(const std::string& table) const {
    const SQLite::Database database(path().string());
    SQLite::Statement select(database, "SELECT name FROM pragma_table_info(?)");
    select.bind(1, table);
    std::vector<std::string> names;
    while (select.executeStep()) {
      names.push_back(select.getColumn(0).getString());
    }
    return names;
  }
  // What check() says after the store was damaged by this SQL.
  [[nodiscard]] std::vector<std::string> problems_after(const std::string& sql) const {
    make_store();
    execute("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; " + sql);
    return open(Access::kReadOnly).check().value();
  }
};

TEST_F(SqliteStoreTest, KeepsWhatItHasUntilItIsOpenedAgain) {
  make_store();
  EXPECT_EQ(open().find_trial(full_trial().identity).value(), full_trial());
  EXPECT_EQ(open(Access::kReadOnly).find_trial(full_trial().identity).value(), full_trial());
}

TEST_F(SqliteStoreTest, HasAnotherVersionOnceAnotherHasWritten) {
  make_store();
  const auto reader = open(Access::kReadOnly);
  const auto before = reader.version().value();
  EXPECT_EQ(reader.trials(std::nullopt).value().size(), 2U);
  EXPECT_EQ(reader.version().value(), before);
  auto writer = open();
  const auto study = writer.add_study({"quick", "text"}).value();
  ASSERT_THAT(writer.add_trial(study, make_trial(2)), is_ok());
  EXPECT_NE(reader.version().value(), before);
}

TEST_F(SqliteStoreTest, KeepsAnEnvironmentOnceForAllTrialsThatShareIt) {
  make_store();
  EXPECT_EQ(number("SELECT count(*) FROM environment"), 4);
  auto store = open();
  const auto study = store.add_study({"quick", "text"}).value();
  ASSERT_THAT(store.add_trial(study, make_trial(2)), is_ok());
  EXPECT_EQ(number("SELECT count(*) FROM environment"), 4);
}

TEST_F(SqliteStoreTest, SamplesCanBeReadWithPlainSql) {
  make_store();
  EXPECT_EQ(number("SELECT count(*) FROM samples WHERE binding = 'pytorch/rust' "
                   "AND metric = 'forward' AND step = 2 AND value = 1.002"),
            1);
}

TEST_F(SqliteStoreTest, SamplesHaveEveryAxisInTheOrderOfTheAxes) {
  make_store();
  std::vector<std::string> expected = {"identity"};
  for (const auto& axis : kTextAxes) {
    expected.emplace_back(axis.name);
  }
  for (const auto* name : {"seed", "repeat", "metric", "epoch", "step", "value"}) {
    expected.emplace_back(name);
  }
  EXPECT_EQ(columns_of("samples"), expected);
  EXPECT_EQ(number("SELECT count(*) FROM samples WHERE weights = 'pytorch/rust'"), 1005);
}

TEST_F(SqliteStoreTest, ReadingNeitherCreatesNorChangesAStore) {
  EXPECT_THAT(SqliteStore::open(path(), Access::kReadOnly), fails_with(HasSubstr("no store")));
  EXPECT_FALSE(std::filesystem::exists(path()));
  make_store();
  const auto before = read_file(path()).value();
  {
    auto store = open(Access::kReadOnly);
    EXPECT_EQ(store.trials(std::nullopt).value().size(), 2U);
    EXPECT_THAT(store.add_study({"other", ""}), fails_with(HasSubstr("cannot be written")));
  }
  EXPECT_EQ(read_file(path()).value(), before);
}

TEST_F(SqliteStoreTest, RefusesWhatIsNoDatabaseAndLeavesItAlone) {
  const std::string text(5000, 'x');
  ASSERT_THAT(write_file(path(), text), is_ok());
  for (const auto access : {Access::kReadWrite, Access::kReadOnly}) {
    EXPECT_THAT(SqliteStore::open(path(), access),
                fails_with(AllOf(HasSubstr(path().string()), HasSubstr("not an SQLite database"))));
  }
  EXPECT_EQ(read_file(path()).value(), text);
}

TEST_F(SqliteStoreTest, RefusesADatabaseOfAnotherProgramAndLeavesItAlone) {
  execute("CREATE TABLE mine (x); INSERT INTO mine VALUES (1)");
  const auto before = read_file(path()).value();
  for (const auto access : {Access::kReadWrite, Access::kReadOnly}) {
    EXPECT_THAT(SqliteStore::open(path(), access), fails_with(HasSubstr("of another program")));
  }
  EXPECT_EQ(read_file(path()).value(), before);
}

TEST_F(SqliteStoreTest, RefusesALaterVersionAndSaysWhatToDo) {
  make_store();
  execute("PRAGMA user_version = 99");
  const auto before = read_file(path()).value();
  for (const auto access : {Access::kReadWrite, Access::kReadOnly}) {
    EXPECT_THAT(SqliteStore::open(path(), access),
                fails_with(AllOf(HasSubstr("has schema version 99"),
                                 HasSubstr(fmt::format("versions up to {}", migrations().size())),
                                 HasSubstr("Use the newer crossbind"))));
  }
  EXPECT_EQ(read_file(path()).value(), before);
}

TEST_F(SqliteStoreTest, SaysThatADirectoryIsMissingOrInTheWay) {
  EXPECT_THAT(SqliteStore::open(scratch("no/store.db"), Access::kReadWrite),
              fails_with(AllOf(HasSubstr("cannot be opened"), HasSubstr("must exist"))));
  EXPECT_THAT(SqliteStore::open(scratch(""), Access::kReadOnly),
              fails_with(HasSubstr("is not a regular file")));
}

TEST_F(SqliteStoreTest, AnEmptyFileBecomesAStoreButIsNotReadAsOne) {
  ASSERT_THAT(write_file(path(), ""), is_ok());
  EXPECT_THAT(SqliteStore::open(path(), Access::kReadOnly), fails_with(HasSubstr("not a store")));
  EXPECT_THAT(open().check().value(), IsEmpty());
}

TEST_F(SqliteStoreTest, MigratesStepByStepAndStopsWhereAStepFails) {
  constexpr std::array<std::string_view, 3> kSteps = {
      "CREATE TABLE a (x)", "INSERT INTO a VALUES (1)", "INSERT INTO a VALUES (2); nonsense"};
  SQLite::Database database(path().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  ASSERT_THAT(migrate(database, Migrations(kSteps).first(1)), is_ok());
  EXPECT_EQ(schema_version(database), 1);
  EXPECT_THROW((void)migrate(database, kSteps), SQLite::Exception);
  EXPECT_EQ(schema_version(database), 2);
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM a").getInt(), 1);
  EXPECT_EQ(database.execAndGet("PRAGMA application_id").getInt(), kApplicationId);
}

TEST_F(SqliteStoreTest, ConvertsAStoreOfVersionOneWithItsCurves) {
  {
    SQLite::Database database(path().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    ASSERT_THAT(migrate(database, migrations().first(1)), is_ok());
  }
  execute(
      "INSERT INTO environment VALUES (1, 'e'); "
      "INSERT INTO trial VALUES (1, '0a', 'b', 'm', 'd', 'cpu', 't', 'l', 'v', 'm', '', 7, 0, "
      "'done', '', 0, NULL, NULL, NULL, NULL, 1, 1); "
      "INSERT INTO curve VALUES (1, 1, 0.25, 0.5, NULL)");
  EXPECT_THAT(SqliteStore::open(path(), Access::kReadOnly),
              fails_with(AllOf(HasSubstr("has schema version 1"), HasSubstr("converts it"))));
  const auto trial = open().find_trial("0a").value().value();
  EXPECT_THAT(trial.curve, ElementsAre(EpochPoint{1, 0.25, 0.5, std::nullopt}));
  EXPECT_EQ(number("PRAGMA user_version"), static_cast<int64_t>(migrations().size()));
}

TEST_F(SqliteStoreTest, ReadsAStoreOfVersionTwoAsItIsAndAddsTheAxisWhenItWrites) {
  {
    SQLite::Database database(path().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    ASSERT_THAT(migrate(database, migrations().first(2)), is_ok());
    // The view as the program of that version made it.
    database.exec(
        "DROP VIEW samples; CREATE VIEW samples AS SELECT trial.identity, sample.value FROM sample "
        "JOIN trial ON trial.id = sample.trial");
  }
  const auto before = read_file(path()).value();
  EXPECT_THAT(open(Access::kReadOnly).trials(std::nullopt).value(), IsEmpty());
  EXPECT_EQ(read_file(path()).value(), before);
  EXPECT_THAT(columns_of("samples"), ElementsAre("identity", "value"));
  EXPECT_THAT(open().check().value(), IsEmpty());
  EXPECT_THAT(columns_of("samples"), Contains("weights"));
}

TEST_F(SqliteStoreTest, CheckFindsAnUnknownOutcome) {
  EXPECT_THAT(
      problems_after("UPDATE trial SET outcome = 'fine', reason = 'x' WHERE seed = 1"),
      Contains(AllOf(HasSubstr(make_trial(1).identity), HasSubstr("outcome that there is not"))));
}

TEST_F(SqliteStoreTest, CheckFindsAMissingReason) {
  EXPECT_THAT(problems_after("UPDATE trial SET outcome = 'failed' WHERE seed = 1"),
              Contains(HasSubstr("is not done and has no reason")));
}

TEST_F(SqliteStoreTest, CheckFindsAChangedStudyOrEnvironment) {
  EXPECT_THAT(
      problems_after("UPDATE study SET text = 'other'; "
                     "UPDATE environment_entry SET value = 'c' WHERE name = 'kernel'"),
      ElementsAre(HasSubstr("study 'quick' is not what"), HasSubstr("an environment is not what")));
}

TEST_F(SqliteStoreTest, CheckFindsRowsWithoutTheirTrialAndTrialsWithoutAStudy) {
  EXPECT_THAT(problems_after("DELETE FROM trial WHERE seed = 1; DELETE FROM study_trial"),
              AllOf(Contains("table sample names a row of trial that is not there"),
                    Contains(HasSubstr("belongs to no study"))));
}

TEST_F(SqliteStoreTest, CheckFindsAMissingSample) {
  EXPECT_THAT(
      problems_after("DELETE FROM sample WHERE step = 1 AND trial = 1 AND epoch = 0"),
      ElementsAre(AllOf(HasSubstr(make_trial(1).identity), HasSubstr("steps do not count"))));
}

TEST_F(SqliteStoreTest, CheckFindsDamagedPages) {
  make_store();
  auto bytes = read_file(path()).value();
  ASSERT_GT(bytes.size(), 12U * 4096);
  // All but the first page, which holds the schema.
  std::fill(bytes.begin() + 4096, bytes.end(), '\xA5');
  ASSERT_THAT(write_file(path(), bytes), is_ok());
  const auto store = SqliteStore::open(path(), Access::kReadOnly);
  if (store) {
    EXPECT_THAT(store->check().value(), Contains(HasSubstr("SQLite: ")));
  } else {
    EXPECT_EQ(store.error().kind, ErrorKind::kCorrupt);
  }
}

}  // namespace
}  // namespace crossbind::store
