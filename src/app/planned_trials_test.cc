#include "app/planned_trials.h"

#include "app/made_up.h"

namespace crossbind::app {
namespace {

class PlannedTrialsTest : public MachineTest {
 protected:
  [[nodiscard]] std::string text() const { return read_file(write_study("mine")).value(); }
};

TEST_F(PlannedTrialsTest, AreThoseThatWouldRunHereNow) {
  add_ready_worker("cpp");
  EXPECT_EQ(planned_trials({"mine", text()}, machine_), 2U);
  add_ready_worker("rust");
  EXPECT_EQ(planned_trials({"mine", text()}, machine_), 4U);
}

TEST_F(PlannedTrialsTest, AreNotKnownOfAModelThatIsAFile) {
  add_ready_worker("cpp");
  std::string other = text();
  other.replace(other.find("\"lenet1\""), 8, "\"mine.toml\"");
  EXPECT_EQ(planned_trials({"mine", other}, machine_), std::nullopt);
  EXPECT_EQ(planned_trials({"mine", "no study"}, machine_), std::nullopt);
}

}  // namespace
}  // namespace crossbind::app
