#include "run/trial_runner.h"

#include <thread>

#include "converse/fakes.h"
#include "converse/parameters_file.h"
#include "model/initial_weights.h"
#include "run/made_up_job.h"
#include "testing/testing.h"

namespace crossbind::run {
namespace {

using converse::Answers;
using converse::changed;
using converse::Ended;
using converse::events_of;
using converse::FakeLauncher;
using converse::Heard;
using converse::Interrupted;
using converse::made_up_end;
using converse::made_up_hello;
using converse::Script;
using converse::Silent;
using converse::well_behaved;
using process::StopSignal;
using protocol::Event;
using store::Outcome;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using trial::Task;

class TrialRunnerTest : public testing::ScratchTest {
 protected:
  TrialRunnerTest()
      : model_(model::find_model("lenet1", testing::source_path("models"), model::Geometry::kFull)
                   .value()) {
    std::filesystem::create_directories(scratch("trials"));
  }

  [[nodiscard]] TrialJob job(Task task = Task::kTrain) const {
    return made_up_job(model_, task, scratch("trials"));
  }

  [[nodiscard]] std::optional<store::TrialRecord> run(const TrialJob& job, FakeLauncher& launcher) {
    auto record = run_trial(
        job,
        launcher,
        stop_,
        [] { return store::Time(std::chrono::microseconds(1000)); },
        [&](const tasks::Progress& progress) { progress_.push_back(progress); });
    // Whatever came of it can be stored, and nothing of it is left.
    EXPECT_TRUE(!record || store::validate(*record)) << record->reason;
    EXPECT_TRUE(std::filesystem::is_empty(scratch("trials")));
    return record;
  }

  // Why a trial fails whose worker's answers to train or infer are changed; it must not succeed.
  [[nodiscard]] std::string reason(const std::function<void(Answers&)>& change,
                                   Task task = Task::kTrain) {
    FakeLauncher launcher(changed(change));
    return reason_of(run(job(task), launcher));
  }

  static std::string reason_of(const std::optional<store::TrialRecord>& record) {
    EXPECT_TRUE(record);
    EXPECT_EQ(record->outcome, Outcome::kFailed);
    EXPECT_THAT(record->curve, IsEmpty());
    EXPECT_THAT(record->series, IsEmpty());
    EXPECT_THAT(record->facts, IsEmpty());
    EXPECT_EQ(record->log, made_up_end().log);
    return record->reason;
  }

  model::Model model_;
  StopSignal stop_;
  std::vector<tasks::Progress> progress_;
};

TEST_F(TrialRunnerTest, RecordsATrainingWithItsCurveItsTimesAndTheHashOfItsParameters) {
  FakeLauncher launcher;
  const auto record = run(job(), launcher);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->outcome, Outcome::kDone) << record->reason;
  EXPECT_EQ(record->identity, job().identity);
  EXPECT_EQ(record->axes, job().axes);
  EXPECT_EQ(record->started, store::Time(std::chrono::microseconds(1000)));
  EXPECT_THAT(
      record->curve,
      ElementsAre(store::EpochPoint{1, 2.0, 0.25, 0.5}, store::EpochPoint{2, 1.0, 0.25, 0.5}));
  EXPECT_THAT(record->series,
              ElementsAre(store::Series{"warmup.step", 0, {0.003, 0.002}},
                          store::Series{"train.epoch", 1, {1.5}},
                          store::Series{"train.epoch", 2, {1.5}},
                          store::Series{"test.loss", 1, {2.5}},
                          store::Series{"test.loss", 2, {2.5}}));
  ASSERT_THAT(record->facts, SizeIs(1));
  EXPECT_THAT(record->facts.at("parameters_sha256"), SizeIs(64));
  EXPECT_EQ(record->worker, (store::Environment{{"toy", "2.7"}, {"library libtoy.so", "0a1b"}}));
  EXPECT_THAT(launcher.log(),
              ElementsAre("launch toy/cpp", "prepare", "train", "bye", "end by itself"));
  EXPECT_THAT(progress_, SizeIs(2));
}

TEST_F(TrialRunnerTest, TakesTheLogAndTheUsageFromTheReport) {
  FakeLauncher launcher;
  const auto record = run(job(), launcher);
  ASSERT_TRUE(record);
  const process::End end = made_up_end();
  EXPECT_EQ(record->log, end.log);
  EXPECT_EQ(record->wall, end.usage.wall);
  EXPECT_EQ(record->user, end.usage.user);
  EXPECT_EQ(record->system, end.usage.system);
  EXPECT_EQ(record->peak_memory, end.usage.peak_memory);
}

TEST_F(TrialRunnerTest, KeepsTheParametersThatOthersNeed) {
  TrialJob wanted = job();
  wanted.keep = scratch("cache/trained/0123.safetensors");
  FakeLauncher launcher;
  const auto record = run(wanted, launcher);
  ASSERT_TRUE(record);
  EXPECT_EQ(converse::hash_parameters(wanted.keep, model_).value(),
            record->facts.at("parameters_sha256"));
}

TEST_F(TrialRunnerTest, ATrainingForOthersIsFollowedByWhatItsModelSays) {
  TrialJob wanted = job();
  wanted.keep = scratch("cache/trained/0123.safetensors");
  wanted.keep_outputs = scratch("cache/trained/0123.outputs.safetensors");
  FakeLauncher launcher;
  const auto record = run(wanted, launcher);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->outcome, Outcome::kDone) << record->reason;
  EXPECT_THAT(launcher.log(),
              ElementsAre("launch toy/cpp", "prepare", "train", "infer", "bye", "end by itself"));
  EXPECT_EQ(converse::hash_outputs(wanted.keep_outputs, model_, wanted.data.test_samples).value(),
            record->facts.at("outputs_sha256"));
  EXPECT_TRUE(std::filesystem::exists(wanted.keep));
  // The inference is no measurement.
  FakeLauncher alone;
  EXPECT_EQ(record->series, run(job(), alone)->series);
}

TEST_F(TrialRunnerTest, ATrainingForOthersThatCannotAnswerHasFailedAndKeepsNothing) {
  TrialJob wanted = job();
  wanted.keep = scratch("cache/trained/0123.safetensors");
  wanted.keep_outputs = scratch("cache/trained/0123.outputs.safetensors");
  FakeLauncher launcher([worker = well_behaved()](const protocol::Request& request) -> Answers {
    if (std::holds_alternative<protocol::Infer>(request)) {
      return {Event(protocol::Failed{3, protocol::FailureCode::kNotFinite, "NaN"})};
    }
    return worker(request);
  });
  EXPECT_EQ(reason_of(run(wanted, launcher)), "not_finite: NaN");
  EXPECT_FALSE(std::filesystem::exists(wanted.keep));
}

TEST_F(TrialRunnerTest, AnInferenceIsComparedWithWhatIsExpected) {
  TrialJob first = job(Task::kInferParameters);
  first.keep_outputs = scratch("expected.safetensors");
  TrialJob second = job(Task::kInferParameters);
  second.expected = first.keep_outputs;
  tensor::TensorMap data;
  data.emplace("test.label", tensor::Tensor({10}, std::vector<int64_t>(10)));
  ASSERT_TRUE(tensor::save_safetensors(scratch("data.safetensors"), data, {}));
  second.data.path = scratch("data.safetensors");
  FakeLauncher launcher;
  ASSERT_EQ(run(first, launcher)->outcome, Outcome::kDone);
  const auto record = run(second, launcher);
  ASSERT_EQ(record->outcome, Outcome::kDone) << record->reason;
  EXPECT_EQ(record->facts.at("outputs_sha256"), record->facts.at("expected_outputs_sha256"));
  EXPECT_THAT(record->series, Contains(store::Series{"infer.differing", 0, {0}}));
  EXPECT_THAT(record->series, Contains(store::Series{"infer.expected", 0, {1}}));
  std::filesystem::remove(first.keep_outputs);
  EXPECT_THAT(reason_of(run(second, launcher)), StartsWith("cannot be compared: "));
}

TEST_F(TrialRunnerTest, DoesNotAskAWorkerThatCannotSaveToDoSo) {
  TrialJob unable = job();
  unable.saves = false;
  bool was_asked = false;
  FakeLauncher launcher([&, worker = well_behaved()](const protocol::Request& request) {
    if (const auto* train = std::get_if<protocol::Train>(&request)) {
      was_asked = train->save.has_value();
    }
    return worker(request);
  });
  const auto record = run(unable, launcher);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->outcome, Outcome::kDone) << record->reason;
  EXPECT_FALSE(was_asked);
  EXPECT_THAT(record->facts, IsEmpty());
}

TEST_F(TrialRunnerTest, RecordsAnInferenceWithItsAccuracyAndTheHashOfItsOutputs) {
  FakeLauncher launcher;
  const auto record = run(job(Task::kInferParameters), launcher);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->outcome, Outcome::kDone) << record->reason;
  EXPECT_THAT(record->curve, IsEmpty());
  EXPECT_THAT(record->series,
              ElementsAre(store::Series{"infer.total", 0, {1.5}},
                          store::Series{"infer.accuracy", 0, {0.75}}));
  EXPECT_THAT(record->facts.at("outputs_sha256"), SizeIs(64));
  EXPECT_THAT(launcher.log(), Contains("infer"));
}

TEST_F(TrialRunnerTest, StoresRequestedAndEffectiveSettings) {
  FakeLauncher launcher([worker = well_behaved()](const protocol::Request& request) {
    Answers answers = worker(request);
    if (std::holds_alternative<protocol::Prepare>(request)) {
      events_of<protocol::Done>(answers).at(0)->effective = {{"threads", "2"},
                                                             {"sgd.momentum", "0.9"}};
    }
    return answers;
  });
  const auto record = run(job(), launcher);
  ASSERT_TRUE(record);
  EXPECT_THAT(record->settings,
              AllOf(Contains(store::Setting{"threads", "1", "2"}),
                    Contains(store::Setting{"sgd.momentum", "", "0.9"}),
                    Contains(store::Setting{"epochs", "2", "2"}),
                    Contains(store::Setting{"batch_size", "8", "8"}),
                    Contains(store::Setting{"train_samples", "20", "20"}),
                    Contains(store::Setting{"test_samples", "10", "10"})));
}

TEST_F(TrialRunnerTest, WhatTheBindingLacksIsAnOutcomeOfItsOwn) {
  FakeLauncher launcher(changed([](Answers& answers) {
    answers.back() = Heard(Event(protocol::Unsupported{2, "layer gru"}));
  }));
  const auto record = run(job(), launcher);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->outcome, Outcome::kUnsupported);
  EXPECT_EQ(record->reason, "layer gru");
  EXPECT_THAT(record->curve, IsEmpty());
  EXPECT_THAT(record->series, IsEmpty());
}

TEST_F(TrialRunnerTest, AWorkerMustSayWhatItLacks) {
  EXPECT_EQ(reason([](Answers& answers) {
              answers.back() = Heard(Event(protocol::Unsupported{2, ""}));
            }),
            "does not support something, but does not say what");
}

TEST_F(TrialRunnerTest, AFailureHasItsCodeAndTheBindingsOwnMessage) {
  EXPECT_EQ(reason([](Answers& answers) {
              answers.back() = Heard(Event(protocol::Failed{
                  2, protocol::FailureCode::kNotFinite, "the loss of epoch 2 is\nnot finite"}));
            }),
            "not_finite: the loss of epoch 2 is not finite");
}

TEST_F(TrialRunnerTest, AReasonIsOneBoundedLineThatATerminalCanShow) {
  const auto said = [&](const std::string& message) {
    return reason([&](Answers& answers) {
      answers.back() = Heard(Event(protocol::Failed{2, protocol::FailureCode::kInternal, message}));
    });
  };
  EXPECT_EQ(said("\x1b[31mred\r\n\x7f"), "internal:  [31mred   ");
  EXPECT_EQ(said("größer"), "internal: größer");
  std::string long_text;
  for (int i = 0; i < 2000; ++i) {
    long_text += "ö";
  }
  // Cut between two characters, not inside of one.
  for (const std::string shift : {"", "x"}) {
    const std::string cut = said(shift + long_text);
    EXPECT_THAT(cut, AllOf(StartsWith("internal: "), EndsWith("ö...")));
    EXPECT_LE(cut.size(), 1003U);
  }
}

TEST_F(TrialRunnerTest, ATrainingThatLeavesSomethingOutHasFailed) {
  EXPECT_EQ(reason([](Answers& answers) { answers.erase(answers.begin() + 4); }),
            "ended with 1 of 2 epochs reported and 2 timed");
  EXPECT_EQ(reason([](Answers& answers) { answers.erase(answers.begin() + 3); }),
            "ended with 2 of 2 epochs reported and 1 timed");
  EXPECT_EQ(reason([](Answers& answers) { events_of<protocol::Done>(answers).at(0)->steps = 5; }),
            "did 5 steps, expected 6");
  EXPECT_EQ(reason([](Answers& answers) {
              events_of<protocol::Epoch>(answers).at(1)->test_accuracy.reset();
            }),
            "did not score the test set after the last epoch");
}

TEST_F(TrialRunnerTest, ATrainingThatSaysSomethingImpossibleHasFailed) {
  EXPECT_EQ(reason([](Answers& answers) {
              events_of<protocol::Epoch>(answers).at(0)->test_accuracy = 1.5;
            }),
            "reported an accuracy outside of 0 to 1");
  EXPECT_EQ(reason([](Answers& answers) { std::swap(answers[1], answers[3]); }),
            "timed epoch 2 after epoch 0");
  EXPECT_EQ(reason([](Answers& answers) { events_of<protocol::Epoch>(answers).at(1)->epoch = 1; }),
            "reported epoch 1 as number 2");
}

TEST_F(TrialRunnerTest, AMessageOfAnotherRequestIsAFailure) {
  EXPECT_EQ(reason([](Answers& answers) { events_of<protocol::Epoch>(answers).at(0)->id = 3; }),
            "sent a message that belongs to no request in progress");
  EXPECT_EQ(reason([](Answers& answers) {
              answers.insert(answers.begin(), Heard(Event(made_up_hello("toy/cpp"))));
            }),
            "sent a message that belongs to no request in progress");
}

TEST_F(TrialRunnerTest, NothingIsMeasuredBeforeTheWork) {
  FakeLauncher launcher([worker = well_behaved()](const protocol::Request& request) {
    Answers answers = worker(request);
    if (std::holds_alternative<protocol::Prepare>(request)) {
      answers.insert(answers.begin(), Heard(Event(protocol::Epoch{1, 1, 2.0, 0.5, 0.5})));
    }
    return answers;
  });
  EXPECT_EQ(reason_of(run(job(), launcher)), "reported results before it was asked to work");
}

TEST_F(TrialRunnerTest, AModelOfAnotherSizeIsAFailure) {
  FakeLauncher launcher([worker = well_behaved()](const protocol::Request& request) {
    Answers answers = worker(request);
    if (std::holds_alternative<protocol::Prepare>(request)) {
      events_of<protocol::Done>(answers).at(0)->parameters = 3;
    }
    return answers;
  });
  EXPECT_EQ(reason_of(run(job(), launcher)),
            fmt::format("built a model of 3 parameters, expected {}", model_.parameter_count()));
}

TEST_F(TrialRunnerTest, SavedParametersAndOutputsAreLookedInto) {
  FakeLauncher without_file([worker = well_behaved()](const protocol::Request& request) {
    Answers answers = worker(request);
    if (const auto* train = std::get_if<protocol::Train>(&request)) {
      std::filesystem::remove(train->save.value());
    }
    return answers;
  });
  EXPECT_THAT(reason_of(run(job(), without_file)), StartsWith("saved wrong parameters: "));
  FakeLauncher without_outputs([worker = well_behaved()](const protocol::Request& request) {
    Answers answers = worker(request);
    if (const auto* infer = std::get_if<protocol::Infer>(&request)) {
      EXPECT_THAT(tensor::save_safetensors(infer->outputs.value(), {}, {}), testing::is_ok());
    }
    return answers;
  });
  EXPECT_THAT(reason_of(run(job(Task::kInferParameters), without_outputs)),
              StartsWith("wrote wrong outputs: "));
}

TEST_F(TrialRunnerTest, AnInferenceThatLeavesSomethingOutHasFailed) {
  const auto infer = Task::kInferParameters;
  EXPECT_EQ(reason([](Answers& answers) { answers.erase(answers.begin()); }, infer),
            "reported 0 timings, expected 1");
  EXPECT_EQ(reason([](Answers& answers) { events_of<protocol::Done>(answers).at(0)->samples = 9; },
                   infer),
            "answered 9 samples, expected 10");
  EXPECT_EQ(
      reason([](Answers& answers) { events_of<protocol::Done>(answers).at(0)->accuracy.reset(); },
             infer),
      "reported no accuracy from 0 to 1");
}

TEST_F(TrialRunnerTest, WhatIsWrongWithAGreetingIsTheReason) {
  FakeLauncher launcher([](const std::string&) -> Result<Script> {
    return Script{.greeting = Heard(converse::Silent{})};
  });
  EXPECT_EQ(reason_of(run(job(), launcher)), "connected, but said no hello");
  EXPECT_THAT(launcher.log(), ElementsAre("launch toy/cpp", "end now"));
}

TEST_F(TrialRunnerTest, AWorkerThatIsGoneIsExplainedByItsEnd) {
  const auto gone = [&](process::Ending ending, int code) {
    FakeLauncher launcher([=](const std::string& binding) -> Result<Script> {
      Script script{.greeting = Heard(Event(made_up_hello(binding))),
                    .answer = changed([](Answers& answers) { answers.resize(3, Ended{}); })};
      script.end.ending = ending;
      script.end.code = code;
      script.end.deadline = std::chrono::seconds(3);
      return script;
    });
    const std::string reason = reason_of(run(job(), launcher));
    EXPECT_EQ(launcher.log().back(), "end by itself");
    return reason;
  };
  EXPECT_EQ(gone(process::Ending::kExited, 3), "exited with code 3 before it had answered");
  EXPECT_EQ(gone(process::Ending::kSignalled, SIGSEGV), "was killed by SIGSEGV");
  EXPECT_EQ(gone(process::Ending::kDeadline, 0), "ran longer than 3.0 s");
  EXPECT_EQ(gone(process::Ending::kGuardLost, 0), "was killed together with its guard");
  EXPECT_EQ(gone(process::Ending::kStopped, 0),
            "closed the connection before it had answered, and did not exit");
}

TEST_F(TrialRunnerTest, ALimitComesBeforeWhatItMadeTheWorkerSay) {
  FakeLauncher launcher([](const std::string& binding) -> Result<Script> {
    Script script{.greeting = Heard(Event(made_up_hello(binding))),
                  .answer = changed([](Answers& answers) {
                    answers = {fail(ErrorKind::kCorrupt, "half a line of 3 bytes")};
                  })};
    script.end.ending = process::Ending::kMemoryLimit;
    script.end.memory_limit = uint64_t{256} << 20;
    return script;
  });
  EXPECT_THAT(reason_of(run(job(), launcher)), StartsWith("used more than 256.0 MiB"));
}

TEST_F(TrialRunnerTest, AWorkerWithoutItsGuardHasNoUsage) {
  FakeLauncher launcher([](const std::string& binding) -> Result<Script> {
    Script script{.greeting = Heard(Event(made_up_hello(binding))),
                  .answer = changed([](Answers& answers) { answers.clear(); })};
    script.end.ending = process::Ending::kGuardLost;
    return script;
  });
  const auto record = run(job(), launcher);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->outcome, Outcome::kFailed);
  EXPECT_FALSE(record->wall);
  EXPECT_FALSE(record->peak_memory);
}

TEST_F(TrialRunnerTest, AProgramThatDoesNotStartIsAFailedTrial) {
  FakeLauncher launcher([](const std::string&) -> Result<Script> {
    return fail(ErrorKind::kNotFound, "cannot start toy: no such file");
  });
  const auto record = run(job(), launcher);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->outcome, Outcome::kFailed);
  EXPECT_EQ(record->reason, "cannot start toy: no such file");
}

TEST_F(TrialRunnerTest, AnInterruptedTrialIsCancelledAndLeavesNoRecord) {
  FakeLauncher launcher(changed([](Answers& answers) {
    answers = {Interrupted{},
               Event(protocol::Progress{2, 1, 1, 3}),
               Event(protocol::Failed{2, protocol::FailureCode::kCancelled, "cancelled"}),
               fail(ErrorKind::kInvalid, "nobody listens any more")};
  }));
  EXPECT_FALSE(run(job(), launcher));
  EXPECT_THAT(launcher.log(),
              ElementsAre("launch toy/cpp", "prepare", "train", "cancel", "end now"));
}

TEST_F(TrialRunnerTest, AnInterruptionDuringTheGreetingLeavesNoRecordEither) {
  FakeLauncher launcher(
      [](const std::string&) -> Result<Script> { return Script{.greeting = Interrupted{}}; });
  EXPECT_FALSE(run(job(), launcher));
  EXPECT_THAT(launcher.log(), ElementsAre("launch toy/cpp", "end now"));
}

TEST_F(TrialRunnerTest, AWorkerThatTalksOnAfterCancelIsNotListenedToForEver) {
  FakeLauncher launcher([worker = well_behaved()](const protocol::Request& request) -> Answers {
    if (std::holds_alternative<protocol::Train>(request)) {
      return {Interrupted{}};
    }
    if (std::holds_alternative<protocol::Cancel>(request)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return {Event(protocol::Progress{2, 1, 1, 3}), Silent{}};
    }
    return worker(request);
  });
  EXPECT_FALSE(run(job(), launcher));
  // The time that it has left is counted from the cancel, not from its last word.
  const auto waits = launcher.waits();
  ASSERT_THAT(waits, SizeIs(4));
  EXPECT_LT(waits[2].timeout, std::chrono::milliseconds(5000));
  EXPECT_LE(waits[3].timeout, waits[2].timeout);
  // Whoever is in a hurry ends that too.
  EXPECT_EQ(waits[1].interruption, stop_.orderly());
  EXPECT_EQ(waits[2].interruption, stop_.urgent());
}

}  // namespace
}  // namespace crossbind::run
