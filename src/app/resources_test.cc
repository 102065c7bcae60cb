#include "app/resources.h"

#include <cstdlib>

#include "testing/testing.h"

namespace crossbind::app {
namespace {

class ResourcesTest : public testing::ScratchTest {};

TEST_F(ResourcesTest, FindsTheModelsOfABuildAnInstallationAndACopy) {
  const auto build = scratch("source/build/release");
  std::filesystem::create_directories(build);
  EXPECT_EQ(resource_folder_of("models", build), build / "models") << "none there yet";
  std::filesystem::create_directories(scratch("source/models"));
  EXPECT_EQ(resource_folder_of("models", build), scratch("source/models"));
  std::filesystem::create_directories(build / "models");
  EXPECT_EQ(resource_folder_of("models", build), build / "models");
  ASSERT_THAT(write_file(build / "CMakeCache.txt", ""), testing::is_ok());
  EXPECT_EQ(resource_folder_of("models", build), scratch("source/models")) << "not CMake's own";
  std::filesystem::create_directories(scratch("usr/bin"));
  std::filesystem::create_directories(scratch("usr/share/crossbind/models"));
  EXPECT_EQ(resource_folder_of("models", scratch("usr/bin")),
            scratch("usr/share/crossbind/models"));
}

TEST_F(ResourcesTest, PrefersWhatCrossbindHomeSays) {
  ::setenv("CROSSBIND_HOME", "/elsewhere", 1);
  EXPECT_EQ(resource_folder("models"), "/elsewhere/models");
  ::unsetenv("CROSSBIND_HOME");
  EXPECT_NE(resource_folder("models"), "/elsewhere/models");
}

TEST_F(ResourcesTest, TheFoldersOfWorkersAreAbsolute) {
  ::setenv("CROSSBIND_HOME", "elsewhere", 1);
  ::setenv("CROSSBIND_CACHE", "cache", 1);
  const auto places = worker_places();
  ::unsetenv("CROSSBIND_HOME");
  ::unsetenv("CROSSBIND_CACHE");
  EXPECT_EQ(places.workers, std::filesystem::current_path() / "elsewhere/workers");
  EXPECT_EQ(places.cache, std::filesystem::current_path() / "cache");
  EXPECT_TRUE(places.programs.is_absolute());
}

}  // namespace
}  // namespace crossbind::app
