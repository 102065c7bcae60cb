#include "app/number_file.h"

#include "testing/testing.h"

namespace crossbind::app {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;

class NumberFileTest : public testing::ScratchTest {
 protected:
  [[nodiscard]] Result<std::vector<double>> read(const std::string& text) const {
    EXPECT_THAT(write_file(scratch("numbers.txt"), text), testing::is_ok());
    return read_numbers(scratch("numbers.txt"));
  }
};

TEST_F(NumberFileTest, HasOneNumberALine) {
  EXPECT_THAT(read("1\n-2.5\r\n  +3e2 \n").value(), ElementsAre(1, -2.5, 300));
}

TEST_F(NumberFileTest, MayHaveEmptyLinesAndComments) {
  EXPECT_THAT(read("# seconds\n\n1 # the first\n\t\n2").value(), ElementsAre(1, 2));
}

TEST_F(NumberFileTest, NamesTheLineThatIsNoNumber) {
  EXPECT_THAT(read("1\n\n2 3\n"),
              fails_with(AllOf(HasSubstr("numbers.txt:3"), HasSubstr("'2 3'"))));
  EXPECT_THAT(read("nan"), fails_with(HasSubstr("not a finite number")));
  EXPECT_THAT(read("1e999"), fails_with(HasSubstr("not a finite number")));
  EXPECT_THAT(read("+"), fails_with(HasSubstr("'+'")));
}

TEST_F(NumberFileTest, WithoutANumberIsAnError) {
  EXPECT_THAT(read("# nothing\n"), fails_with(HasSubstr("there is no number")));
}

}  // namespace
}  // namespace crossbind::app
