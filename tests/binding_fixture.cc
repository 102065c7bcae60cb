#include "binding_fixture.h"

#include <numeric>

#include "base/cache.h"
#include "judge/step_tensors.h"
#include "tensor/safetensors.h"

namespace crossbind {
namespace {

using testing::is_ok;

workers::Places places() {
  const auto programs = testing::build_path("crossbind").parent_path();
  return {.workers = testing::source_path("workers"),
          .programs = programs,
          .guard = programs / "crossbind-guard",
          .cache = std::filesystem::absolute(cache_directory())};
}

place::Limits limits() {
  return {.time = std::chrono::minutes(10), .threads = 1};
}

}  // namespace

BoundWorker::BoundWorker(const workers::Binding& binding)
    : scratch_(TemporaryDirectory::create().value()),
      able_(binding.manifest->capabilities) {
  start_ = workers::start_command(binding, places()).value();
  place_ = std::make_unique<place::LocalPlace>(places().guard, scratch_.path());
  launcher_ = std::make_unique<converse::Launcher>(*place_, converse::Manners{.version = "test"});
  worker_ = launcher_->launch(binding.name, start_.program, limits()).value();
  const auto hello = converse::Dialogue(*worker_, stop_).greet();
  EXPECT_TRUE(hello.has_value()) << binding.name << " did not greet";
}

BoundWorker::Answer BoundWorker::answer(protocol::Request request) {
  protocol::set_id(request, ++id_);
  Answer answer{{}, protocol::Done{}};
  answer.done = converse::Dialogue(*worker_, stop_).ask(request, [&](const protocol::Event& event) {
    answer.events.push_back(event);
    return Status();
  });
  return answer;
}

protocol::Done BoundWorker::ask(protocol::Request request) {
  auto done = answer(std::move(request)).done;
  if (done) {
    return *done;
  }
  const auto* failure = std::get_if<converse::Failure>(&done.error());
  const auto* lack = std::get_if<converse::Lack>(&done.error());
  ADD_FAILURE() << (failure != nullptr ? failure->reason : "")
                << (lack != nullptr ? "unsupported: " + lack->feature : "");
  return {};
}

std::vector<double> BoundWorker::train(const checkup::Exercise& exercise,
                                       const std::filesystem::path& save) {
  ask(exercise.prepare());
  protocol::Train train;
  if (!save.empty()) {
    train.save = save;
  }
  const Answer answer = this->answer(train);
  EXPECT_TRUE(answer.done.has_value());
  std::vector<double> losses;
  for (const auto& event : answer.events) {
    if (const auto* epoch = std::get_if<protocol::Epoch>(&event)) {
      losses.push_back(epoch->loss);
    }
  }
  return losses;
}

BoundWorker::Inference BoundWorker::infer(const std::filesystem::path& outputs) {
  const auto done = ask(protocol::Infer{.outputs = outputs});
  const auto file = tensor::SafetensorsFile::open(outputs);
  EXPECT_THAT(file, is_ok());
  const auto values = file->values<float>("outputs").value();
  return {{values.begin(), values.end()}, done.accuracy.value_or(-1)};
}

judge::RecordedStep BoundWorker::probe(const checkup::Exercise& exercise,
                                       int64_t number,
                                       tensor::TensorMap& state) {
  const auto& model = exercise.model();
  protocol::Probe request;
  const int64_t samples = exercise.samples().train;
  std::vector<int64_t> ids(static_cast<size_t>(samples));
  std::iota(ids.begin(), ids.end(), int64_t{0});
  const auto batch = judge::batch_of(exercise.data(), ids).value();
  request.step = number;
  request.batch = exercise.file("batch.safetensors");
  request.state = exercise.file("state.safetensors");
  request.directory = exercise.file("");
  request.wanted = judge::names_of(
      judge::step_tensors(model, trial::ProbeLevel::kGradients, exercise.samples().train));
  EXPECT_THAT(tensor::save_safetensors(request.batch, batch, {}), is_ok());
  EXPECT_THAT(tensor::save_safetensors(*request.state, state, {}), is_ok());
  const auto done = ask(request);

  judge::RecordedStep step;
  step.number = number;
  step.state = std::move(state);
  step.batch =
      referee::Split::open(exercise.data(), "train", model, samples).value().gather<double>(ids);
  step.loss = done.loss;
  EXPECT_THAT(done.missing, ::testing::IsEmpty());
  step.tensors = tensor::load_safetensors(done.tensors.value_or("")).value();
  state = judge::state_after(step.tensors);
  return step;
}

process::End BoundWorker::end() {
  EXPECT_THAT(worker_->send(protocol::Bye{}), is_ok());
  return worker_->end(converse::Worker::Leave::kByItself);
}

BindingTest::Found BindingTest::find(const std::string& name) {
  const auto bindings = workers::list_bindings(places()).value();
  const auto found = std::ranges::find(bindings, name, &workers::Binding::name);
  if (found == bindings.end() || found->state != workers::State::kReady) {
    const bool is_known = found != bindings.end();
    return {{}, is_known ? fmt::format("{}: {}", found->reason, found->command) : "no worker"};
  }
  return {*found, {}};
}

workers::StartCommand BindingTest::start_command(const std::string& name) {
  return workers::start_command(find(name).binding, places()).value();
}

BoundWorker BindingTest::start(const std::string& name) {
  return BoundWorker(find(name).binding);
}

std::vector<checkup::Tried> BindingTest::features(const std::string& name) const {
  const auto command_of = [](const workers::Binding& binding) -> process::Program {
    return workers::start_command(binding, places()).value().program;
  };
  const auto binding = find(name).binding;
  const auto python = find(binding.framework + "/python").binding;
  const auto& writer = python.manifest->capabilities;
  const auto format = trial::common_format(writer, binding.manifest->capabilities);
  const checkup::Candidate candidate{
      .command = command_of(binding),
      .binding = name,
      .declared = binding.manifest->capabilities,
      .serializer = checkup::Serializer{python.name, command_of(python), writer, format.value()}};
  place::LocalPlace here(places().guard, scratch(""));
  converse::Launcher launcher(here, {.version = "test"});
  return checkup::try_features(
      candidate, {launcher, testing::source_path("models"), scratch(""), std::chrono::minutes(5)});
}

model::Model BindingTest::model(const std::string& name) {
  if (name.ends_with(".toml")) {
    return model::load_model(testing::source_path(name), model::Geometry::kFull).value();
  }
  const auto geometry =
      name.starts_with("lenet") ? model::Geometry::kFull : model::Geometry::kConform;
  return model::find_model(name, testing::source_path("models"), geometry).value();
}

checkup::Exercise BindingTest::exercise(const model::Model& model,
                                        const trial::Settings& settings,
                                        const checkup::Samples& samples) const {
  const auto folder = scratch("exercise-" + model.id);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  auto made = checkup::Exercise::make(model, settings, folder, samples);
  EXPECT_THAT(made, is_ok());
  return std::move(made).value();
}

}  // namespace crossbind
