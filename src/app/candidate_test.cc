#include "app/candidate.h"

#include "app/made_up.h"

namespace crossbind::app {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

class CandidateTest : public MachineTest {};

TEST_F(CandidateTest, IsABindingWithWhatItsManifestDeclares) {
  add_ready_worker("cpp");
  const auto found = find_candidate_named("toy/cpp", places_).value();
  EXPECT_EQ(found.candidate.binding, "toy/cpp");
  ASSERT_TRUE(found.candidate.declared.has_value());
  EXPECT_TRUE(found.candidate.declared->saves);
  EXPECT_FALSE(found.candidate.serializer.has_value()) << "none of the framework writes models";
}

TEST_F(CandidateTest, MustBeOneAndReady) {
  add_ready_worker("cpp");
  add_other_worker("go");
  EXPECT_THAT(find_candidate_named("toy/*", places_), fails_with(HasSubstr("means 2 bindings")));
  EXPECT_THAT(find_candidate_named("toy/go", places_), fails_with(HasSubstr("setup toy/go")));
  EXPECT_THAT(find_candidate_named("toy/java", places_), fails_with(HasSubstr("toy/java")));
}

TEST_F(CandidateTest, OfACommandIsWhateverItCallsItself) {
  const auto found = find_program({"python3", "worker.py"}).value();
  EXPECT_EQ(found.candidate.binding, "");
  EXPECT_EQ(found.candidate.declared, std::nullopt);
  EXPECT_EQ(found.candidate.command.directory, std::filesystem::current_path());
}

}  // namespace
}  // namespace crossbind::app
