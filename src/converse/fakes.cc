#include "converse/fakes.h"

#include <deque>

#include "base/file.h"
#include "model/graph_reader.h"
#include "model/initial_weights.h"
#include "protocol/codec.h"
#include "testing/testing.h"

namespace crossbind::converse {
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
          protocol::Event(protocol::Epoch{train.id, epoch, 2.0 / double(epoch), 0.25, 0.5, 2.5}));
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
    if (infer.outputs) {
      save_zeros(*infer.outputs, samples);
    }
    Answers answers;
    answers.emplace_back(protocol::Event(protocol::Timings{
        .id = infer.id, .phase = protocol::Phase::kInfer, .total_ns = kEpochNanoseconds}));
    answers.emplace_back(
        protocol::Event(protocol::Done{.id = infer.id, .samples = samples, .accuracy = 0.75}));
    return answers;
  }

  void save_zeros(const std::filesystem::path& path, int64_t samples) const {
    tensor::Shape shape = {samples};
    const auto& output = model_.nodes.back().output;
    shape.insert(shape.end(), output.begin(), output.end());
    const auto count = static_cast<size_t>(tensor::element_count(shape).value());
    tensor::TensorMap outputs;
    outputs.emplace("outputs", tensor::Tensor(shape, std::vector<float>(count)));
    EXPECT_THAT(tensor::save_safetensors(path, outputs, {}), is_ok());
  }

  protocol::Prepare prepared_;
  model::Model model_;
};

std::string name_of(const protocol::Request& request) {
  constexpr std::array kNames = {
      "welcome", "prepare", "train", "infer", "probe", "query", "serialize", "cancel", "bye"};
  return kNames.at(request.index());
}

}  // namespace

class FakeProgram final : public place::RunningProgram {
 public:
  FakeProgram(Script script, FakePlace& place) : script_(std::move(script)), place_(place) {
    if (script_.greeting) {
      if (auto* event = std::get_if<protocol::Event>(&*script_.greeting)) {
        if (auto* hello = std::get_if<protocol::Hello>(event);
            hello != nullptr && hello->token.empty()) {
          hello->token = token_;
        }
      }
    }
    answers_.push_back(script_.greeting);
  }

  const std::string& token() const override { return token_; }

  Result<place::Joined> connect(std::chrono::milliseconds /*timeout*/,
                                process::Interruption /*interruption*/) override {
    return place::Connected{};
  }

  Status send_line(std::string_view line) override {
    const auto request = protocol::decode_request(line);
    if (!request) {
      place_.note("no message");
      answers_.clear();
      return {};
    }
    if (std::holds_alternative<protocol::Welcome>(*request)) {
      return {};
    }
    place_.note(name_of(*request));
    for (auto& answer : script_.answer(*request)) {
      answers_.push_back(std::move(answer));
    }
    return {};
  }

  Result<place::HeardLine> receive_line(std::chrono::milliseconds timeout,
                                        process::Interruption interruption) override {
    if (has_greeted_) {
      const std::scoped_lock lock(place_.mutex_);
      place_.waits_.push_back({timeout, interruption});
    }
    has_greeted_ = true;
    if (answers_.empty()) {
      return Ended{};
    }
    auto answer = std::move(answers_.front());
    answers_.pop_front();
    if (!answer) {
      return tl::unexpected(answer.error());
    }
    return std::visit([](const auto& heard) { return line_of(heard); }, *answer);
  }

  void hang_up() override { place_.note("hang up"); }

  Result<std::filesystem::path> bring(const std::filesystem::path& here) override {
    const auto path = there(here);
    if (path != here) {
      std::filesystem::create_directories(path.parent_path());
      std::filesystem::copy(here, path, kOver);
    }
    return path;
  }

  Result<std::filesystem::path> make_room(const std::filesystem::path& here) override {
    const auto path = there(here);
    std::filesystem::create_directories(std::filesystem::is_directory(here) ? path
                                                                            : path.parent_path());
    return path;
  }

  Status fetch(const std::filesystem::path& here) override {
    if (const auto path = there(here); path != here && std::filesystem::exists(path)) {
      std::filesystem::copy(path, here, kOver);
    }
    return {};
  }

  Texts libraries() override { return script_.libraries; }

  std::optional<process::End> wait_for_end(std::chrono::milliseconds /*timeout*/) override {
    place_.note("end by itself");
    return script_.end;
  }

  process::End end() override {
    place_.note("end now");
    return script_.end;
  }

 private:
  static constexpr auto kOver =
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing;

  static place::HeardLine line_of(const protocol::Event& event) { return protocol::encode(event); }
  static place::HeardLine line_of(const Ended& ended) { return ended; }
  static place::HeardLine line_of(const Interrupted& interrupted) { return interrupted; }
  static place::HeardLine line_of(const Silent& silent) { return silent; }

  [[nodiscard]] std::filesystem::path there(const std::filesystem::path& here) const {
    return place_.elsewhere_.empty() ? here : place_.elsewhere_ / here.relative_path();
  }

  Script script_;
  FakePlace& place_;
  std::string token_ = "a token";
  std::deque<Result<Heard>> answers_;
  bool has_greeted_ = false;
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

process::End made_up_end() {
  process::End end;
  end.ending = process::Ending::kExited;
  end.usage = {std::chrono::microseconds(7),
               std::chrono::microseconds(5),
               std::chrono::microseconds(3),
               uint64_t{11} << 20};
  end.log = "a banner\n";
  return end;
}

FakeLauncher::FakeLauncher(const Answer& answer)
    : FakeLauncher([answer](const std::string& binding) -> Result<Script> {
        return Script{.greeting = Heard(protocol::Event(made_up_hello(binding))), .answer = answer};
      }) {}

Result<std::unique_ptr<place::RunningProgram>> FakePlace::start(const std::string& name,
                                                                const process::Program& program,
                                                                const place::Limits& limits,
                                                                const place::Contact& /*contact*/) {
  note("launch " + name);
  {
    const std::scoped_lock lock(mutex_);
    programs_.push_back(program);
    limits_.push_back(limits);
  }
  CB_ASSIGN(Script script, script_of_(name));
  return std::make_unique<FakeProgram>(std::move(script), *this);
}

std::vector<std::string> FakePlace::log() const {
  const std::scoped_lock lock(mutex_);
  return log_;
}

std::vector<process::Program> FakePlace::programs() const {
  const std::scoped_lock lock(mutex_);
  return programs_;
}

std::vector<place::Limits> FakePlace::limits() const {
  const std::scoped_lock lock(mutex_);
  return limits_;
}

std::vector<FakePlace::Wait> FakePlace::waits() const {
  const std::scoped_lock lock(mutex_);
  return waits_;
}

void FakePlace::note(const std::string& what) {
  const std::scoped_lock lock(mutex_);
  log_.push_back(what);
}

}  // namespace crossbind::converse
