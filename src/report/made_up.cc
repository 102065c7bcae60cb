#include "report/made_up.h"

#include <fmt/format.h>

#include "tasks/measured.h"
#include "trial/binding_name.h"

namespace crossbind::report {
namespace {

using store::TrialRecord;

constexpr uint32_t kSeeds = 5;
constexpr int kEpochs = 4;

class Maker {
 public:
  Maker(store::ResultStore& store, store::StudyId study)
      : store_(store),
        study_(std::move(study)) {}

  Status make() {
    for (const auto* model : {"lenet1", "lenet5"}) {
      CB_TRY(binding("pytorch/python", model, 1.0));
      CB_TRY(binding("pytorch/rust", model, 0.8));
      CB_TRY(binding("pytorch/cpp", model, 0.9));
      CB_TRY(binding("tensorflow/python", model, 2.0));
      CB_TRY(binding("tensorflow/javascript", model, 6.0));
    }
    auto java = trial("tensorflow/java", "lenet5", "train", 1);
    java.outcome = store::Outcome::kFailed;
    java.reason = fmt::format("was killed: {}", kHostileName);
    java.log = kHostileLog;
    CB_TRY(add(java));
    auto none = trial("pytorch/javascript", "lenet5", "judge", 1);
    none.outcome = store::Outcome::kUnsupported;
    none.reason = "the binding has no layer 'conv2d'";
    return add(none);
  }

 private:
  TrialRecord trial(const std::string& binding,
                    const std::string& model,
                    const std::string& task,
                    uint32_t seed) {
    TrialRecord trial;
    trial.identity = fmt::format("{:032x}", ++count_);
    trial.axes = {.binding = binding,
                  .model = model,
                  .dataset = "glyphs",
                  .device = "cpu",
                  .task = task,
                  .loader = "resident",
                  .variant = "step",
                  .measure = "total",
                  .seed = seed};
    trial.started = store::Time(std::chrono::microseconds(1'790'000'000'000'000 + count_));
    trial.host = {{"cpu", "made up"}, {"system", kHostileName}};
    trial.worker = {{"framework", "1.2.3"}};
    return trial;
  }

  Status binding(const std::string& name, const std::string& model, double factor) {
    const double size = (model == "lenet5" ? 3.0 : 1.0) * factor;
    for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
      CB_TRY(add(training(name, model, seed, size)));
      CB_TRY(add(inference(name, model, seed, size)));
    }
    for (const auto* loader : {"idiomatic", "resident"}) {
      CB_TRY(add(parts(name, model, loader, size)));
    }
    auto judged = trial(name, model, "judge", 1);
    const bool diverges = name == "tensorflow/javascript" && model == "lenet1";
    tasks::Judged found{.errors = {{1, trial::Kind::kForward, 0.05}},
                        .ruling = tasks::Ruling::kAgrees};
    if (diverges) {
      found = {.errors = {{1, trial::Kind::kForward, 812.5}},
               .ruling = tasks::Ruling::kDiverges,
               .where = "step 1, forward 'conv1'[3]: 1.5, expected 1.25, 812 times its bound"};
    }
    tasks::write(found, judged);
    return add(judged);
  }

  TrialRecord training(const std::string& name,
                       const std::string& model,
                       uint32_t seed,
                       double size) {
    auto made = trial(name, model, "train", seed);
    made.peak_memory = static_cast<uint64_t>(size * 100) << 20U;
    tasks::Trained trained;
    trained.parameters_sha256 = fmt::format(
        "{}{}", seed, name == "pytorch/cpp" ? "python" : trial::BindingName(name).language());
    for (int epoch = 1; epoch <= kEpochs; ++epoch) {
      const double accuracy =
          1 - 0.5 / (epoch + 0.01 * seed + (name.ends_with("javascript") ? 0.2 : 0));
      trained.curve.push_back({epoch, 1.0 / epoch, accuracy, accuracy - 0.02});
      trained.epochs.push_back({epoch, size * (1 + 0.03 * seed), {}});
    }
    tasks::write(trained, made);
    return made;
  }

  TrialRecord inference(const std::string& name,
                        const std::string& model,
                        uint32_t seed,
                        double size) {
    auto made = trial(name, model, "infer-parameters", seed);
    made.axes.weights = trial::BindingName(name).framework() + "/python";
    made.peak_memory = static_cast<uint64_t>(size * 50) << 20U;
    const double accuracy = 0.98 - 0.5 / (kEpochs + 0.01 * seed);
    tasks::Inferred inferred;
    inferred.test.accuracy = {accuracy - (name == "tensorflow/javascript" ? 0.1 : 0)};
    inferred.test.seconds = {0.1 * size * (1 + 0.02 * seed)};
    tasks::write(inferred, made);
    return made;
  }

  TrialRecord parts(const std::string& name,
                    const std::string& model,
                    const char* loader,
                    double size) {
    auto made = trial(name, model, "train", 1);
    made.axes.measure = "parts";
    made.axes.loader = loader;
    const double load = std::string_view(loader) == "idiomatic" ? 0.5 : 0.05;
    tasks::Trained trained;
    trained.epochs = {{1, size, {{load * size}, {0.2 * size}, {0.3 * size}}}};
    tasks::write(trained, made);
    return made;
  }

  Status add(TrialRecord trial) {
    store::sort_parts(trial);
    return store_.add_trial(study_, trial);
  }

  store::ResultStore& store_;
  store::StudyId study_;
  int count_ = 0;
};

}  // namespace

Status make_up(store::ResultStore& store) {
  CB_ASSIGN(auto study, store.add_study({kHostileName, "name = \"made up\""}));
  return Maker(store, std::move(study)).make();
}

}  // namespace crossbind::report
