#include "app/workplace.h"

#include "app/made_up.h"

namespace crossbind::app {
namespace {

using ::testing::Contains;
using ::testing::Key;

using WorkplaceTest = MachineTest;

TEST_F(WorkplaceTest, HasAScratchFolderInTheCacheThatGoesWithIt) {
  std::filesystem::path scratch;
  {
    const auto workplace = Workplace::open(machine_, "check").value();
    scratch = workplace->scratch();
    EXPECT_EQ(scratch.parent_path(), machine_.cache / "check");
    EXPECT_TRUE(std::filesystem::is_directory(scratch));
  }
  EXPECT_FALSE(std::filesystem::exists(scratch));
}

TEST_F(WorkplaceTest, SaysWhatItsTrialsHaveInCommon) {
  const auto environment = Workplace::open(machine_, "run").value()->environment();
  EXPECT_THAT(environment, Contains(Key("crossbind_revision")));
  EXPECT_THAT(environment, Contains(Key("cpu")));
}

}  // namespace
}  // namespace crossbind::app
