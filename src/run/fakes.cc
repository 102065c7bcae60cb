#include "run/fakes.h"

#include <deque>

#include "base/file.h"
#include "model/graph_reader.h"
#include "model/initial_weights.h"
#include "testing/testing.h"

namespace crossbind::run {
namespace {

using testing::is_ok;

constexpr int64_t kEpochNanoseconds = 1'500'000'000;

int64_t batches_of(int64_t samples, int64_t batch_size) {
  return (samples + batch_size - 1) / batch_size;
}

// Remembers what it was prepared with.
class WellBehaved {
 public:
  Answers operator()(const protocol::Request& request) {
    if (const auto* prepare = std::get_if<protocol::Prepare>(&request)) {
      prepared_ = *prepare;
      model_ = model::read_graph(prepare->graph).value();
      return {protocol::Event(
          protocol::Done{.id = prepare->id, .parameters = model_.parameter_count()})};
    }
    if (const auto* train = std::get_if<protocol::Train>(&request)) {
      return answer(*train);
    }
    if (const auto* infer = std::get_if<protocol::Infer>(&request)) {
      return answer(*infer);
    }
    if (const auto* serialize = std::get_if<protocol::Serialize>(&request)) {
      EXPECT_THAT(write_file(serialize->path, "a model"), is_ok());
      return {protocol::Event(protocol::Done{.id = serialize->id})};
    }
    return {};
  }

 private:
  Answers answer(const protocol::Train& train) const {
    const auto& settings = prepared_.settings;
    Answers answers;
    answers.emplace_back(protocol::Event(protocol::Timings{
        .id = train.id, .phase = protocol::Phase::kWarmup, .steps_ns = {3'000'000, 2'000'000}}));
    for (int64_t epoch = 1; epoch <= settings.epochs; ++epoch) {
      answers.emplace_back(protocol::Event(protocol::Timings{.id = train.id,
                                                             .phase = protocol::Phase::kTrain,
                                                             .epoch = epoch,
                                                             .total_ns = kEpochNanoseconds}));
      answers.emplace_back(
          protocol::Event(protocol::Epoch{train.id, epoch, 2.0 / double(epoch), 0.25, 0.5}));
    }
    if (train.save) {
      EXPECT_THAT(model::save_initial_weights(*train.save, model_, settings.seed, {}), is_ok());
    }
    const int64_t steps =
        settings.epochs * batches_of(prepared_.data->train_samples, settings.batch_size);
    answers.emplace_back(protocol::Event(protocol::Done{.id = train.id, .steps = steps}));
    return answers;
  }

  Answers answer(const protocol::Infer& infer) const {
    const int64_t samples = prepared_.data->test_samples;
    tensor::Shape shape = {samples};
    const auto& output = model_.nodes.back().output;
    shape.insert(shape.end(), output.begin(), output.end());
    tensor::TensorMap outputs;
    outputs.emplace(
        "outputs",
        tensor::Tensor(
            shape, std::vector<float>(static_cast<size_t>(tensor::element_count(shape).value()))));
    EXPECT_THAT(tensor::save_safetensors(infer.outputs.value(), outputs, {}), is_ok());
    Answers answers;
    answers.emplace_back(protocol::Event(protocol::Timings{
        .id = infer.id, .phase = protocol::Phase::kInfer, .total_ns = kEpochNanoseconds}));
    answers.emplace_back(
        protocol::Event(protocol::Done{.id = infer.id, .samples = samples, .accuracy = 0.75}));
    return answers;
  }

  protocol::Prepare prepared_;
  model::Model model_;
};

std::string name_of(const protocol::Request& request) {
  constexpr std::array kNames = {
      "welcome", "prepare", "train", "infer", "probe", "serialize", "cancel", "bye"};
  return kNames.at(request.index());
}

}  // namespace

class FakeWorker final : public Worker {
 public:
  FakeWorker(Script script, FakeLauncher& launcher)
      : script_(std::move(script)),
        launcher_(launcher) {}

  Result<Heard> greet(int /*wake_descriptor*/) override { return script_.greeting; }

  Status send(const protocol::Request& request) override {
    launcher_.note(name_of(request));
    for (auto& answer : script_.answer(request)) {
      answers_.push_back(std::move(answer));
    }
    return {};
  }

  Result<Heard> receive(std::chrono::milliseconds timeout, int wake_descriptor) override {
    {
      const std::scoped_lock lock(launcher_.mutex_);
      launcher_.waits_.push_back({timeout, wake_descriptor});
    }
    if (answers_.empty()) {
      return Ended{};
    }
    auto answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
  }

  store::Environment libraries() override { return script_.libraries; }

  process::Report end(Leave leave) override {
    launcher_.note(leave == Leave::kNow ? "end now" : "end by itself");
    return script_.report;
  }

 private:
  Script script_;
  FakeLauncher& launcher_;
  std::deque<Result<Heard>> answers_;
};

Answer well_behaved() {
  return WellBehaved();
}

Answer changed(const std::function<void(Answers&)>& change) {
  return [change, worker = WellBehaved()](const protocol::Request& request) mutable {
    Answers answers = worker(request);
    if (std::holds_alternative<protocol::Train>(request) ||
        std::holds_alternative<protocol::Infer>(request)) {
      change(answers);
    }
    return answers;
  };
}

protocol::Hello made_up_hello(const std::string& binding) {
  protocol::Hello hello;
  hello.binding = binding;
  hello.versions = {{"toy", "2.7"}};
  return hello;
}

process::Report made_up_report() {
  process::Report report;
  report.ending = process::Ending::kExited;
  report.usage = {std::chrono::microseconds(7),
                  std::chrono::microseconds(5),
                  std::chrono::microseconds(3),
                  uint64_t{11} << 20};
  report.log = "a banner\n";
  return report;
}

TrialJob made_up_job(const model::Model& model,
                     trial::Task task,
                     const std::filesystem::path& scratch) {
  TrialJob job;
  job.identity = "0123456789abcdef0123456789abcdef";
  job.axes.binding = "toy/cpp";
  job.axes.model = model.id;
  job.axes.task = name_in(trial::kTasks, task);
  job.model = &model;
  job.task = task;
  job.settings.epochs = 2;
  job.settings.batch_size = 8;
  job.settings.warmup_steps = 2;
  job.settings.seed = 7;
  job.model_file = scratch / "weights.safetensors";
  job.data = {scratch / "data.safetensors", 20, 10};
  job.order = scratch / "order.safetensors";
  job.saves = true;
  job.scratch = scratch;
  return job;
}

FakeLauncher::FakeLauncher(const Answer& answer)
    : FakeLauncher([answer](const std::string& binding) -> Result<Script> {
        return Script{.greeting = Heard(protocol::Event(made_up_hello(binding))), .answer = answer};
      }) {}

Result<std::unique_ptr<Worker>> FakeLauncher::launch(const std::string& binding,
                                                     const WorkerCommand& command,
                                                     const Limits& limits) {
  note("launch " + binding);
  {
    const std::scoped_lock lock(mutex_);
    commands_.push_back(command);
    limits_.push_back(limits);
  }
  CB_ASSIGN(Script script, script_of_(binding));
  return std::make_unique<FakeWorker>(std::move(script), *this);
}

std::vector<std::string> FakeLauncher::log() const {
  const std::scoped_lock lock(mutex_);
  return log_;
}

std::vector<WorkerCommand> FakeLauncher::commands() const {
  const std::scoped_lock lock(mutex_);
  return commands_;
}

std::vector<Limits> FakeLauncher::limits() const {
  const std::scoped_lock lock(mutex_);
  return limits_;
}

std::vector<FakeLauncher::Wait> FakeLauncher::waits() const {
  const std::scoped_lock lock(mutex_);
  return waits_;
}

void FakeLauncher::note(const std::string& what) {
  const std::scoped_lock lock(mutex_);
  log_.push_back(what);
}

}  // namespace crossbind::run
