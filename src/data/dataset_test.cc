#include "data/dataset.h"

#include <set>

#include "testing/testing.h"

namespace crossbind::data {
namespace {

using ::testing::AllOf;
using testing::fails_with;
using ::testing::HasSubstr;

class DatasetTest : public testing::ScratchTest {};

TEST(KnownDatasets, HaveDistinctNamesAndSayWhatTheyExpect) {
  std::set<std::string> ids;
  for (const auto& info : known_datasets()) {
    EXPECT_TRUE(ids.insert(info.id).second) << info.id;
    EXPECT_FALSE(info.title.empty()) << info.id;
    EXPECT_FALSE(info.expects.empty()) << info.id;
    EXPECT_EQ(find_dataset(info.id).value().title, info.title);
  }
  EXPECT_TRUE(ids.contains("cifar10-jpeg"));
}

TEST(KnownDatasets, SuggestTheNearestName) {
  EXPECT_THAT(
      find_dataset("mnit"),
      fails_with(AllOf(HasSubstr("no data set 'mnit'"), HasSubstr("Did you mean 'mnist'?"))));
  EXPECT_THAT(find_dataset("wikipedia"), fails_with(HasSubstr("There are: glyphs, mnist")));
}

TEST_F(DatasetTest, AnAbsentOneSaysTheCommandThatGetsIt) {
  EXPECT_THAT(open_dataset("mnist", scratch("cache")),
              fails_with(HasSubstr("Run: crossbind dataset get mnist")));
  EXPECT_THAT(open_dataset("imdb", scratch("cache")),
              fails_with(HasSubstr("Run: crossbind dataset get imdb --from PATH_OR_URL")));
  EXPECT_THAT(open_dataset("glyphs-20-10", scratch("cache")),
              fails_with(HasSubstr("Run: crossbind dataset get glyphs-20-10")));
}

TEST_F(DatasetTest, ADamagedOneSaysTheCommandThatRebuildsIt) {
  ASSERT_TRUE(write_file(manifest_path("mnist", scratch("cache")), "nonsense"));
  EXPECT_THAT(open_dataset("mnist", scratch("cache")),
              fails_with(AllOf(HasSubstr("mnist.json: bad manifest"),
                               HasSubstr("Run: crossbind dataset get mnist"))));
}

}  // namespace
}  // namespace crossbind::data
