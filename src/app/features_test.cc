#include "app/features.h"

#include "app/made_up.h"

namespace crossbind::app {
namespace {

using checkup::Experience;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FeaturesTest : public MachineTest {};

TEST_F(FeaturesTest, OfWhatIsNotReadySayWhatMendsThat) {
  add_other_worker("go");
  write("bindings.toml", "[[bindings]]\nname = \"toy/csharp\"\nmissing = \"no .NET SDK\"\n");
  const auto all = workers::list_bindings(places_).value();
  ASSERT_THAT(all, SizeIs(2));
  std::vector<std::string> begun;
  const auto tried = try_features_of(all, all, machine_, [&](const std::string& binding) {
                       begun.push_back(binding);
                     }).value();
  ASSERT_THAT(tried, SizeIs(1)) << "what has no worker is left out";
  EXPECT_EQ(tried.front().binding, "toy/go");
  EXPECT_THAT(tried.front().not_ready, HasSubstr("crossbind setup toy/go"));
  EXPECT_THAT(begun, IsEmpty());
  EXPECT_FALSE(any_fails(tried));
}

TEST_F(FeaturesTest, FailWhenOneDoesNotHoldWhatItClaims) {
  const BindingFeatures lacking{
      "toy/go", {{"cnn", trial::Task::kTrain, Experience::kLacks, "gru"}}, ""};
  const BindingFeatures failing{
      "toy/rust", {{"cnn", trial::Task::kTrain, Experience::kFails, "it died"}}, ""};
  EXPECT_FALSE(any_fails({lacking}));
  EXPECT_TRUE(any_fails({lacking, failing}));
}

}  // namespace
}  // namespace crossbind::app
