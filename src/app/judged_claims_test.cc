#include "app/judged_claims.h"

#include "app/claims_files.h"
#include "store/memory_store.h"
#include "testing/testing.h"

namespace crossbind::app {
namespace {

using claims::Conclusion;
using ::testing::SizeIs;

class JudgedClaimsTest : public testing::ScratchTest {
 protected:
  [[nodiscard]] static std::vector<claims::NamedList> lists() {
    return read_ready_claims(testing::source_path("claims")).value();
  }
};

TEST_F(JudgedClaimsTest, AreNotMeasuredByAnEmptyStore) {
  const auto judged = judge_by_store(lists(), store::MemoryStore()).value();
  ASSERT_THAT(judged, SizeIs(lists().size()));
  for (const auto& list : judged) {
    EXPECT_EQ(list.count(Conclusion::kNotMeasured), list.judged.size()) << list.name;
  }
}

TEST_F(JudgedClaimsTest, FindTheTablesOfTheirStudy) {
  const auto judged = judge_by_tables(lists(), testing::source_path("claims/printed")).value();
  ASSERT_THAT(judged, SizeIs(lists().size()));
  for (const auto& list : judged) {
    EXPECT_LT(list.count(Conclusion::kNotMeasured), list.judged.size()) << list.name;
  }
}

TEST_F(JudgedClaimsTest, TakeAFolderOfOneStudysTablesAsItIs) {
  auto one = lists();
  one.resize(1);
  const auto folder = testing::source_path("claims/printed") / one.front().name;
  const auto by_own = judge_by_tables(one, folder).value();
  const auto by_all = judge_by_tables(one, folder.parent_path()).value();
  for (const Conclusion conclusion : {Conclusion::kConfirmed, Conclusion::kRefuted}) {
    EXPECT_EQ(by_own.front().count(conclusion), by_all.front().count(conclusion));
  }
  EXPECT_FALSE(judge_by_tables(one, scratch("nothing")));
}

}  // namespace
}  // namespace crossbind::app
