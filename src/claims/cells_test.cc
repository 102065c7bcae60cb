#include "claims/cells.h"

#include "testing/testing.h"

namespace crossbind::claims {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Cell cell(Labels labels, Labels condition, double sample) {
  return {std::move(labels), std::move(condition), {sample}, {}, {}};
}

TEST(Cells, AreFoundByExactlyTheirLabels) {
  Cells cells;
  ASSERT_THAT(cells.add(cell({{"quantity", "load"}, {"model", "lenet1"}}, {}, 1)), is_ok());
  EXPECT_THAT(cells.find({{"quantity", "load"}, {"model", "lenet1"}}), SizeIs(1));
  EXPECT_THAT(cells.find({{"quantity", "load"}}), IsEmpty());
  EXPECT_THAT(cells.find({{"quantity", "load"}, {"model", "lenet1"}, {"device", "cpu"}}),
              IsEmpty());
}

TEST(Cells, PairsHaveNoDirection) {
  Cells cells;
  ASSERT_THAT(cells.add(cell({{"quantity", "dtw"}, {"pair", "python-csharp"}}, {}, 1)), is_ok());
  EXPECT_THAT(cells.find({{"quantity", "dtw"}, {"pair", "csharp-python"}}), SizeIs(1));
  EXPECT_THAT(cells.find({{"quantity", "dtw"}, {"pair", "python-csharp"}}), SizeIs(1));
  EXPECT_THAT(cells.add(cell({{"quantity", "dtw"}, {"pair", "csharp-python"}}, {}, 2)),
              fails_with(HasSubstr("there are two cells pair=csharp-python quantity=dtw")));
}

TEST(Cells, KeepOfTheirConditionsWhatTellsThemApart) {
  Cells cells;
  const Labels labels = {{"quantity", "load"}};
  ASSERT_THAT(cells.add(cell(labels, {{"dataset", "mnist"}, {"loader", "a"}}, 1)), is_ok());
  EXPECT_THAT(cells.find(labels).front().condition, IsEmpty());
  ASSERT_THAT(cells.add(cell(labels, {{"dataset", "mnist"}, {"loader", "b"}}, 2)), is_ok());
  ASSERT_THAT(cells.add(cell(labels, {{"dataset", "mnist"}}, 3)), is_ok());
  const auto found = cells.find(labels);
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[0].condition, (Labels{{"loader", "a"}}));
  EXPECT_EQ(found[1].condition, (Labels{{"loader", "b"}}));
  EXPECT_EQ(found[2].condition, (Labels{{"loader", ""}}));
  EXPECT_EQ(cells.size(), 3U);
}

}  // namespace
}  // namespace crossbind::claims
