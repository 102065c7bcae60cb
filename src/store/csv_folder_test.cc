#include "store/csv_folder.h"

#include "base/file.h"
#include "store/fixtures.h"
#include "testing/testing.h"

namespace crossbind::store {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::StartsWith;

std::vector<TrialRecord> trials_of(const StoreReader& store) {
  std::vector<TrialRecord> all;
  EXPECT_THAT(store.for_each_trial(std::nullopt,
                                   [&](const TrialRecord& trial) -> Status {
                                     all.push_back(trial);
                                     return {};
                                   }),
              is_ok());
  return all;
}

TrialRecord without_log(TrialRecord trial) {
  trial.log.clear();
  return trial;
}

class CsvFolderTest : public testing::ScratchTest {
 protected:
  CsvFolderTest() {
    const auto first =
        store_.add_study({"first", "name = \"first\"\n# with, everything\n"}).value();
    const auto second = store_.add_study({"second", ""}).value();
    EXPECT_THAT(store_.add_trial(second, make_trial(2)), is_ok());
    EXPECT_THAT(store_.add_trial(first, full_trial()), is_ok());
    EXPECT_THAT(store_.add_trial(first, failed(make_trial(1), "why, oh why")), is_ok());
    EXPECT_THAT(store_.link_trial(first, make_trial(2).identity), is_ok());
    EXPECT_THAT(write_csv_folder(store_, scratch("csv")), is_ok());
  }

  [[nodiscard]] std::string file(const std::string& name) const {
    return read_file(scratch("csv/" + name)).value();
  }
  void replace(const std::string& name, const std::string& text, const std::string& by) const {
    std::string content = file(name);
    const size_t at = content.find(text);
    ASSERT_NE(at, std::string::npos) << text;
    ASSERT_THAT(write_file(scratch("csv/" + name), content.replace(at, text.size(), by)), is_ok());
  }

  MemoryStore store_;
};

TEST_F(CsvFolderTest, ComesBackAsItWasButForLogs) {
  const auto back = read_csv_folder(scratch("csv"));
  ASSERT_THAT(back, is_ok());
  const auto studies = store_.studies().value();
  EXPECT_EQ(back->studies().value(), studies);
  const auto expected = trials_of(store_);
  const auto found = trials_of(*back);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i], without_log(expected[i])) << i;
  }
  for (const auto& study : studies) {
    EXPECT_EQ(back->trials(study.id).value(), store_.trials(study.id).value());
  }
}

TEST_F(CsvFolderTest, AMachineIsWrittenOnce) {
  const std::string environments = file("environments.csv");
  EXPECT_EQ(environments.find("two slow cores"), environments.rfind("two slow cores"));
}

TEST_F(CsvFolderTest, RowsAreForPeople) {
  EXPECT_THAT(file("samples.csv"), StartsWith("trial,metric,epoch,step,value\n1,backward,0,0,2\n"));
  EXPECT_THAT(file("curves.csv"), HasSubstr("\n2,0,2.3,,0.1\n"));
}

TEST_F(CsvFolderTest, SaysWhatIsWrongAndWhere) {
  replace("samples.csv", "1,backward,0,0,2", "1,backward,0,0,two");
  EXPECT_THAT(read_csv_folder(scratch("csv")),
              fails_with(HasSubstr("samples.csv:2: 'two' in column 5")));
  replace("samples.csv", "1,backward,0,0,two", "77,backward,0,0,2");
  EXPECT_THAT(read_csv_folder(scratch("csv")),
              fails_with(HasSubstr("samples.csv:2: '77' in column 1")));
  replace("samples.csv", "77,backward,0,0,2", "1,backward,0,0");
  EXPECT_THAT(read_csv_folder(scratch("csv")), fails_with(HasSubstr("4 fields where 5")));
  replace("samples.csv", "trial,metric", "trial,metrik");
  EXPECT_THAT(read_csv_folder(scratch("csv")),
              fails_with(HasSubstr("samples.csv:1: expected trial,")));
}

TEST_F(CsvFolderTest, LosesNoTrialThatIsInNoStudy) {
  replace("study_trials.csv", "\n2,1\n", "\n");
  replace("study_trials.csv", "\n1,1\n", "\n");
  EXPECT_THAT(read_csv_folder(scratch("csv")), fails_with(HasSubstr("in no study")));
}

TEST_F(CsvFolderTest, AFolderThatIsNoneIsNamed) {
  EXPECT_THAT(read_csv_folder(scratch("none")), fails_with(HasSubstr("none/environments.csv")));
}

}  // namespace
}  // namespace crossbind::store
