#include "app/ready_bindings.h"

#include "app/made_up.h"

namespace crossbind::app {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;

auto named(const std::string& name) {
  return Field(&workers::Binding::name, name);
}

class ReadyBindingsTest : public MachineTest {
 protected:
  ReadyBindingsTest() {
    add_ready_worker("cpp");
    add_other_worker("go");
    add_ready_worker("rust");
  }

  [[nodiscard]] Result<std::vector<workers::Binding>> ready(
      const std::vector<std::string>& patterns) const {
    return ready_bindings(workers::list_bindings(places_).value(), patterns);
  }
};

TEST_F(ReadyBindingsTest, WithoutPatternsAreAllThatAreReady) {
  EXPECT_THAT(ready({}).value(), ElementsAre(named("toy/cpp"), named("toy/rust")));
}

TEST_F(ReadyBindingsTest, OfAPatternMayBeFewerThanItMatches) {
  EXPECT_THAT(ready({"toy/?p?", "toy/g*"}).value(), ElementsAre(named("toy/cpp")));
  EXPECT_THAT(ready({"toy/g*"}).value(), IsEmpty());
}

TEST_F(ReadyBindingsTest, OneThatIsNamedInFullMustBeReady) {
  EXPECT_THAT(ready({"toy/go"}),
              fails_with(AllOf(HasSubstr("toy/go is not ready"),
                               HasSubstr("Try: crossbind setup toy/go"))));
  EXPECT_THAT(ready({"toy/java"}), fails_with(HasSubstr("toy/java")));
}

TEST_F(ReadyBindingsTest, AreTheOnesThatCanBeStarted) {
  const auto starts = starts_of(workers::list_bindings(places_).value(), places_).value();
  EXPECT_THAT(starts.commands, ElementsAre(Key("toy/cpp"), Key("toy/rust")));
  EXPECT_THAT(starts.capabilities, ElementsAre(Key("toy/cpp"), Key("toy/rust")));
  EXPECT_THAT(starts.commands.at("toy/cpp").arguments, ElementsAre(HasSubstr("true")));
}

}  // namespace
}  // namespace crossbind::app
