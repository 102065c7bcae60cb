// The program as users run it: store list, check, merge, export and import.
#include <nlohmann/json.hpp>

#include <SQLiteCpp/SQLiteCpp.h>

#include "process/command.h"
#include "store/open.h"
#include "testing/testing.h"

namespace crossbind {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::StartsWith;

class StoreCommandsTest : public testing::ScratchTest {
 protected:
  process::Outcome crossbind(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), testing::build_path("crossbind"));
    return process::run({.arguments = std::move(arguments), .directory = scratch("")}).value();
  }

  // A store whose study "quick" has a trial for each identity; those in `failed` failed.
  void make_store(const std::string& name,
                  const std::vector<std::string>& identities,
                  const std::string& failed) {
    const auto store = store::open(scratch(name)).value();
    const auto study = store->add_study({"quick", "epochs = 1"}).value();
    for (const auto& identity : identities) {
      store::TrialRecord trial;
      trial.identity = identity;
      if (identity == failed) {
        trial.outcome = store::Outcome::kFailed;
        trial.reason = "killed";
      }
      ASSERT_THAT(store->add_trial(study, trial), is_ok());
    }
  }
};

TEST_F(StoreCommandsTest, ListCountsTheTrialsOfEachStudy) {
  make_store("crossbind.db", {"a1", "b2", "c3"}, "b2");
  const auto listed = crossbind({"store", "list"});
  EXPECT_EQ(listed.exit_code, 0) << listed.error;
  const std::string id = store::id_of({"quick", "epochs = 1"}).sha256;
  EXPECT_EQ(listed.out,
            "STUDY  ID            TRIALS  DONE  FAILED  UNSUPPORTED\n"
            "quick  " +
                id.substr(0, 12) + "       3     2       1            0\n");
  const auto parsed = json::parse(crossbind({"store", "list", "--json"}).out);
  EXPECT_EQ(parsed,
            json::parse(fmt::format(R"([{{"name": "quick", "id": "{}", "done": 2,
                                                 "failed": 1, "unsupported": 0}}])",
                                    id)));
}

TEST_F(StoreCommandsTest, CheckTellsASoundStoreFromADamagedOne) {
  make_store("mine.db", {"a1"}, "");
  const auto sound = crossbind({"store", "check", "--store", "mine.db"});
  EXPECT_EQ(sound.exit_code, 0) << sound.error;
  EXPECT_EQ(sound.out, "mine.db is sound\n");
  SQLite::Database(scratch("mine.db").string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE study SET text = 'epochs = 2'");
  const auto damaged = crossbind({"store", "check", "--store", "mine.db"});
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_THAT(damaged.out,
              AllOf(StartsWith("mine.db has problems:\n"), HasSubstr("study 'quick' is not what")));
  const auto parsed =
      json::parse(crossbind({"store", "check", "--store", "mine.db", "--json"}).out);
  EXPECT_EQ(parsed["sound"], false);
  EXPECT_EQ(parsed["problems"].size(), 1U);
}

TEST_F(StoreCommandsTest, AnExportIsImportedOnce) {
  make_store("mine.db", {"a1", "b2"}, "b2");
  const auto exported = crossbind({"store", "export", "csv", "--store", "mine.db"});
  EXPECT_EQ(exported.exit_code, 0) << exported.error;
  EXPECT_EQ(exported.out, "csv: 2 trials\n");
  const auto imported = crossbind({"store", "import", "csv", "--store", "back.db"});
  EXPECT_EQ(imported.exit_code, 0) << imported.error;
  EXPECT_EQ(imported.out, "csv: studies: 1 new; trials: 2 added, 0 already there, 0 replaced\n");
  EXPECT_EQ(crossbind({"store", "list", "--store", "back.db"}).out,
            crossbind({"store", "list", "--store", "mine.db"}).out);
  EXPECT_THAT(crossbind({"store", "import", "csv", "--store", "back.db"}).out,
              HasSubstr("0 added, 2 already there"));
}

TEST_F(StoreCommandsTest, AFolderThatIsNoneLeavesNoStoreBehind) {
  const auto imported = crossbind({"store", "import", "none", "--store", "new.db"});
  EXPECT_EQ(imported.exit_code, 1);
  EXPECT_THAT(imported.error, HasSubstr("none/environments.csv"));
  EXPECT_FALSE(std::filesystem::exists(scratch("new.db")));
}

TEST_F(StoreCommandsTest, AStoreThatIsNotThereIsNotCreated) {
  for (const auto* command : {"list", "check"}) {
    const auto missing = crossbind({"store", command});
    EXPECT_EQ(missing.exit_code, 1);
    EXPECT_THAT(missing.error,
                AllOf(HasSubstr("there is no store crossbind.db"),
                      HasSubstr("`crossbind run STUDY --store crossbind.db` makes it")));
  }
  make_store("a.db", {"a1"}, "");
  const auto missing = crossbind({"store", "merge", "all.db", "a.db", "b.db"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.error, HasSubstr("there is no store b.db"));
  EXPECT_FALSE(std::filesystem::exists(scratch("crossbind.db")));
  EXPECT_FALSE(std::filesystem::exists(scratch("all.db")));
}

TEST_F(StoreCommandsTest, MergeMakesOneStoreOfManyAndLeavesThemAlone) {
  make_store("a.db", {"a1", "b2"}, "b2");
  make_store("b.db", {"b2", "c3", "a1"}, "");
  const auto before = read_file(scratch("b.db")).value();
  const auto merged = crossbind({"store", "merge", "all.db", "a.db", "b.db"});
  EXPECT_EQ(merged.exit_code, 0) << merged.error;
  EXPECT_EQ(merged.out,
            "a.db: studies: 1 new; trials: 2 added, 0 already there, 0 replaced\n"
            "b.db: studies: 0 new; trials: 1 added, 1 already there, 1 replaced\n");
  EXPECT_EQ(read_file(scratch("b.db")).value(), before);
  const auto listed = json::parse(crossbind({"store", "list", "--store", "all.db", "--json"}).out);
  EXPECT_EQ(listed[0]["done"], 3);
  EXPECT_EQ(listed[0]["failed"], 0);
}

TEST_F(StoreCommandsTest, MergeIntoItselfChangesNothing) {
  make_store("a.db", {"a1"}, "");
  const auto merged = crossbind({"store", "merge", "a.db", "a.db"});
  EXPECT_EQ(merged.exit_code, 0) << merged.error;
  EXPECT_EQ(merged.out, "a.db: studies: 0 new; trials: 0 added, 1 already there, 0 replaced\n");
}

TEST_F(StoreCommandsTest, EveryCommandExplainsItselfWithAnExample) {
  for (const auto* command : {"list", "check", "merge"}) {
    const auto help = crossbind({"store", command, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.out, HasSubstr(fmt::format("Example: crossbind store {}", command)));
  }
  EXPECT_EQ(crossbind({"store"}).exit_code, 2);
  EXPECT_EQ(crossbind({"store", "merge", "only.db"}).exit_code, 2);
}

}  // namespace
}  // namespace crossbind
