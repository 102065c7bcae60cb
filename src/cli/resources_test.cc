#include "cli/resources.h"

#include <cstdlib>

#include "testing/testing.h"

namespace crossbind::cli {
namespace {

class ResourcesTest : public testing::ScratchTest {};

TEST_F(ResourcesTest, FindsTheModelsOfABuildAnInstallationAndACopy) {
  const auto build = scratch("source/build/release");
  std::filesystem::create_directories(build);
  EXPECT_EQ(models_folder_of(build), build / "models") << "none there yet";
  std::filesystem::create_directories(scratch("source/models"));
  EXPECT_EQ(models_folder_of(build), scratch("source/models"));
  std::filesystem::create_directories(build / "models");
  EXPECT_EQ(models_folder_of(build), build / "models");
  std::filesystem::create_directories(scratch("usr/bin"));
  std::filesystem::create_directories(scratch("usr/share/crossbind/models"));
  EXPECT_EQ(models_folder_of(scratch("usr/bin")), scratch("usr/share/crossbind/models"));
}

TEST_F(ResourcesTest, PrefersWhatCrossbindHomeSays) {
  ::setenv("CROSSBIND_HOME", "/elsewhere", 1);
  EXPECT_EQ(models_folder(), "/elsewhere/models");
  ::unsetenv("CROSSBIND_HOME");
  EXPECT_NE(models_folder(), "/elsewhere/models");
}

}  // namespace
}  // namespace crossbind::cli
