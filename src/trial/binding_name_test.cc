#include "trial/binding_name.h"

#include <gtest/gtest.h>

namespace crossbind::trial {
namespace {

TEST(BindingName, HasAFrameworkAndALanguage) {
  const BindingName name("pytorch/rust");
  EXPECT_EQ(name.framework(), "pytorch");
  EXPECT_EQ(name.language(), "rust");
  EXPECT_TRUE(name.is_whole());
}

TEST(BindingName, IsMadeOfItsParts) {
  EXPECT_EQ(BindingName("pytorch", "rust").text(), "pytorch/rust");
  EXPECT_EQ(BindingName("pytorch", "rust").language(), "rust");
}

TEST(BindingName, IsBothOfItsPartsWithoutASlash) {
  const BindingName name("candidate");
  EXPECT_EQ(name.framework(), "candidate");
  EXPECT_EQ(name.language(), "candidate");
  EXPECT_FALSE(name.is_whole());
}

TEST(BindingName, IsNotWholeWithPartsThatAreNoNames) {
  for (const char* text :
       {"", "/", "pytorch/", "/rust", "pytorch/rust/2", "pytorch/C++", "a b/c"}) {
    EXPECT_FALSE(BindingName(text).is_whole()) << text;
  }
}

TEST(BindingName, NamesFiles) {
  EXPECT_EQ(BindingName("pytorch/rust").as_file_name(), "pytorch-rust");
}

}  // namespace
}  // namespace crossbind::trial
