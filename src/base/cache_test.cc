#include "base/cache.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace crossbind {
namespace {

TEST(CacheDirectory, PrefersOurVariableThenXdgThenHome) {
  ::setenv("HOME", "/home/someone", 1);
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("CROSSBIND_CACHE");
  EXPECT_EQ(cache_directory(), "/home/someone/.cache/crossbind");
  ::setenv("XDG_CACHE_HOME", "relative/is/ignored", 1);
  EXPECT_EQ(cache_directory(), "/home/someone/.cache/crossbind");
  ::setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(cache_directory(), "/xdg/crossbind");
  ::setenv("CROSSBIND_CACHE", "/own", 1);
  EXPECT_EQ(cache_directory(), "/own");
  ::unsetenv("CROSSBIND_CACHE");
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("HOME");
  EXPECT_TRUE(cache_directory().is_absolute());
}

}  // namespace
}  // namespace crossbind
