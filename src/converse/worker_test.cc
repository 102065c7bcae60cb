#include "converse/worker.h"

#include "base/file.h"
#include "converse/dialogue.h"
#include "converse/fakes.h"
#include "process/line_channel.h"
#include "testing/testing.h"

namespace crossbind::converse {
namespace {

using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

constexpr std::chrono::seconds kPatience{1};

// A place knows no message, but takes the longest.
static_assert(process::kLineLimit >= protocol::kMaximumLine);

FakeLauncher greeting_with(const protocol::Hello& hello) {
  return FakeLauncher([hello](const std::string&) -> Result<Script> {
    return Script{.greeting = Heard(protocol::Event(hello))};
  });
}

class WorkerTest : public testing::ScratchTest {
 protected:
  // What greeting a worker of toy/cpp comes to.
  [[nodiscard]] static Result<Heard> greet(FakeLauncher launcher_of(const protocol::Hello&),
                                           const protocol::Hello& hello) {
    auto launcher = launcher_of(hello);
    auto worker = launcher.launch("toy/cpp", {}, {}).value();
    auto heard = worker->greet({});
    log_ = launcher.log();
    return heard;
  }

  static inline std::vector<std::string> log_;
};

TEST_F(WorkerTest, IsWelcomedWhenItIsTheOneThatWasStarted) {
  const auto heard = greet(greeting_with, made_up_hello("toy/cpp"));
  ASSERT_THAT(heard, is_ok());
  EXPECT_TRUE(std::holds_alternative<protocol::Event>(*heard));
  EXPECT_THAT(log_, ElementsAre("launch toy/cpp"));
}

TEST_F(WorkerTest, IsToldByeWhenItsGreetingIsWrong) {
  auto hello = made_up_hello("toy/other");
  EXPECT_THAT(greet(greeting_with, hello),
              fails_with(HasSubstr("the worker of toy/cpp calls itself \"toy/other\"")));
  EXPECT_THAT(log_, ElementsAre("launch toy/cpp", "bye"));
  hello = made_up_hello("toy/cpp");
  hello.protocol = protocol::kVersion + 1;
  EXPECT_THAT(greet(greeting_with, hello), fails_with(HasSubstr("this crossbind speaks protocol")));
  hello = made_up_hello("toy/cpp");
  hello.token = "of somebody else";
  EXPECT_THAT(greet(greeting_with, hello), fails_with(HasSubstr("the token is not that of")));
}

TEST_F(WorkerTest, MustSayHelloFirst) {
  FakeLauncher launcher([](const std::string&) -> Result<Script> {
    return Script{.greeting = Heard(protocol::Event(protocol::Done{.id = 1}))};
  });
  const auto worker = launcher.launch("toy/cpp", {}, {}).value();
  EXPECT_THAT(worker->greet({}), fails_with(HasSubstr("the first message is no hello")));
}

// Serializes, and probes: the two ways in which a worker hands files back.
Answers writes_files(const protocol::Request& request, std::vector<std::filesystem::path>& seen) {
  if (const auto* serialize = std::get_if<protocol::Serialize>(&request)) {
    seen.push_back(serialize->path);
    EXPECT_THAT(write_file(serialize->path, "a model"), is_ok());
    return {protocol::Event(protocol::Done{.id = serialize->id})};
  }
  if (const auto* probe = std::get_if<protocol::Probe>(&request)) {
    seen.push_back(probe->batch);
    EXPECT_EQ(read_file(probe->batch).value_or(""), "a batch");
    EXPECT_THAT(write_file(probe->directory / "shown", "tensors"), is_ok());
    return {
        protocol::Event(protocol::Done{.id = probe->id, .tensors = probe->directory / "shown"})};
  }
  return {};
}

TEST_F(WorkerTest, WorksWithFilesOfItsOwnWhereThePlaceIsAnotherMachine) {
  std::vector<std::filesystem::path> seen;
  FakeLauncher launcher(
      Answer([&](const protocol::Request& request) { return writes_files(request, seen); }));
  launcher.keep_files_in(scratch("elsewhere"));
  const auto worker = launcher.launch("toy/cpp", {}, {}).value();
  ASSERT_THAT(worker->greet({}), is_ok());

  ASSERT_THAT(worker->send(protocol::Serialize{.id = 1, .path = scratch("model")}), is_ok());
  ASSERT_THAT(worker->receive(kPatience, {}), is_ok());
  EXPECT_EQ(read_file(scratch("model")).value_or(""), "a model");

  ASSERT_THAT(write_file(scratch("batch"), "a batch"), is_ok());
  std::filesystem::create_directories(scratch("probe"));
  protocol::Probe probe;
  probe.id = 2;
  probe.mode = protocol::ProbeMode::kEval;
  probe.batch = scratch("batch");
  probe.directory = scratch("probe");
  ASSERT_THAT(worker->send(probe), is_ok());
  const auto heard = worker->receive(kPatience, {}).value();
  const auto& done = std::get<protocol::Done>(std::get<protocol::Event>(heard));
  EXPECT_EQ(done.tensors, scratch("probe") / "shown");
  EXPECT_EQ(read_file(*done.tensors).value_or(""), "tensors");
  for (const auto& path : seen) {
    EXPECT_THAT(path.string(), ::testing::StartsWith(scratch("elsewhere").string()));
  }
  EXPECT_EQ(seen.size(), 2);
}

}  // namespace
}  // namespace crossbind::converse
