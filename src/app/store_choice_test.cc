#include "app/store_choice.h"

#include "store/memory_store.h"
#include "testing/testing.h"

namespace crossbind::app {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

TEST(StudyNamed, IsFoundByNameOrByTheBeginningOfItsId) {
  store::MemoryStore store;
  const auto id = store.add_study({"mine", "text"}).value();
  ASSERT_THAT(store.add_study({"yours", "text"}), is_ok());
  EXPECT_EQ(study_named("mine", store).value(), id);
  EXPECT_EQ(study_named(id.sha256.substr(0, 12), store).value(), id);
  EXPECT_EQ(study_named("", store).value(), std::nullopt);
}

TEST(StudyNamed, MustBeThereAndAlone) {
  store::MemoryStore store;
  ASSERT_THAT(store.add_study({"mine", "text"}), is_ok());
  ASSERT_THAT(store.add_study({"mine", "other text"}), is_ok());
  EXPECT_THAT(study_named("mine", store), fails_with(HasSubstr("several studies 'mine'")));
  EXPECT_THAT(study_named("nobody", store), fails_with(HasSubstr("no study 'nobody'")));
}

class MakeFolderTest : public testing::ScratchTest {};

TEST_F(MakeFolderTest, MakesThoseAboveItToo) {
  EXPECT_THAT(make_folder(scratch("a/b")), is_ok());
  EXPECT_THAT(make_folder(scratch("a/b")), is_ok()) << "a second time";
  EXPECT_TRUE(std::filesystem::is_directory(scratch("a/b")));
  ASSERT_THAT(write_file(scratch("file"), ""), is_ok());
  EXPECT_THAT(make_folder(scratch("file/b")), fails_with(HasSubstr("cannot make the folder")));
}

}  // namespace
}  // namespace crossbind::app
