#include "app/dataset_request.h"

#include "testing/testing.h"

namespace crossbind::app {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;

TEST(DatasetRequest, OfDigitsInAnotherNumberIsADataSetOfItsOwn) {
  EXPECT_EQ(get_request_of({.name = "glyphs", .glyphs = {.train = 20, .test = 10}})->info.id,
            "glyphs-20-10");
  EXPECT_EQ(get_request_of({.name = "glyphs"})->info.id, "glyphs");
}

TEST(DatasetRequest, KeepsWhereItComesFrom) {
  const auto request =
      get_request_of(
          {.name = "squad", .from = "squad.zip", .vocabulary = "vocab.txt", .force = true})
          .value();
  EXPECT_EQ(request.info.id, "squad");
  EXPECT_EQ(request.from, "squad.zip");
  EXPECT_EQ(request.vocabulary, "vocab.txt");
  EXPECT_TRUE(request.force);
}

TEST(DatasetRequest, RefusesWhatTheDataSetDoesNotTake) {
  EXPECT_THAT(get_request_of({.name = "mnist", .glyphs = {.train = 20}}),
              fails_with(HasSubstr("for 'glyphs' only")));
  EXPECT_THAT(get_request_of({.name = "glyphs", .from = "here"}),
              fails_with(HasSubstr("reads nothing")));
  EXPECT_THAT(get_request_of({.name = "mnist", .vocabulary = "vocab.txt"}),
              fails_with(HasSubstr("for 'squad' only")));
  EXPECT_THAT(get_request_of({.name = "minst"}), fails_with(HasSubstr("mnist")));
}

}  // namespace
}  // namespace crossbind::app
