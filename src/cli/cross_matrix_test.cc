#include "cli/cross_matrix.h"

#include "testing/testing.h"

namespace crossbind::cli {
namespace {

using app::CrossCell;
using app::Sameness;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using trial::Task;

constexpr std::array kBindings = {"reference/cpp", "reference/python", "pytorch/rust"};

// reference/cpp trains and all are close to it; the others do not train.
std::vector<CrossCell> made_up_cells() {
  std::vector<CrossCell> cells;
  for (const Task task : {Task::kInferParameters, Task::kInferSerialization}) {
    for (const std::string trained_in : kBindings) {
      for (const std::string scored_in : kBindings) {
        CrossCell cell{"lenet1", "glyphs-2000-500", task, trained_in, scored_in, {}};
        if (trained_in == "reference/cpp") {
          cell.answers = {.sameness = Sameness::kClose,
                          .accuracy = 0.75,
                          .expected_accuracy = 0.75,
                          .differing = 0,
                          .output_difference = 2e-6};
        } else {
          cell.answers = {.sameness = Sameness::kUnsupported,
                          .reason = "its training is unsupported: layer pad"};
        }
        cells.push_back(cell);
      }
    }
  }
  return cells;
}

TEST(CrossMatrix, IsPrintedWithNumberedColumnsAndReasons) {
  EXPECT_THAT(cross_text(made_up_cells()),
              AllOf(HasSubstr("lenet1 on glyphs-2000-500, by parameters\n"
                              "   TRAINED IN        ACCURACY  1        2        3\n"
                              "1  reference/cpp      75.00 %  ≈ 2e-06  ≈ 2e-06  ≈ 2e-06\n"
                              "2  reference/python         -  ·        ·        ·\n"),
                    HasSubstr("  6 unsupported: its training is unsupported: layer pad\n"),
                    HasSubstr("lenet1 on glyphs-2000-500, by serialization\n")));
}

TEST(CrossMatrix, NamesWhoDiffersFromWhom) {
  auto cells = made_up_cells();
  cells[1].answers.sameness = Sameness::kDiffers;
  cells[1].answers.differing = 2;
  EXPECT_THAT(cross_text(cells),
              HasSubstr("  reference/cpp to reference/python: 2 predictions differ"));
}

TEST(CrossMatrix, HasARowOfTheFileForEveryCell) {
  EXPECT_THAT(cross_table(made_up_cells()).rows, SizeIs(18));
}

}  // namespace
}  // namespace crossbind::cli
