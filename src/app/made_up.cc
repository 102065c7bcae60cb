#include "app/made_up.h"

#include "base/progress.h"
#include "data/get.h"
#include "data/glyphs.h"
#include "process/command.h"

namespace crossbind::app {
namespace {

using testing::is_ok;

constexpr const char* kAble = R"([capabilities]
tasks = ["train", "infer-parameters"]
devices = ["cpu"]
loaders = ["resident"]
variants = ["step"]
measures = ["total"]
training_accuracies = ["eval", "running"]
layers = ["conv2d", "max_pool2d", "avg_pool2d", "linear", "flatten", "tanh", "pad"]
losses = ["cross_entropy"]
optimizers = ["sgd", "adam"]
probe = "gradients"
saves = true
[capabilities.conventions]
"adam.epsilon_form" = "hat"
)";

}  // namespace

MachineTest::MachineTest()
    : machine_{.workers = places_,
               .models = testing::source_path("models"),
               .studies = scratch("studies"),
               .claims = testing::source_path("claims"),
               .cache = places_.cache} {
  std::filesystem::create_directories(machine_.studies);
  std::filesystem::create_directories(machine_.cache);
}

void MachineTest::add_ready_worker(const std::string& language) {
  write("toy-" + language + "/worker.toml",
        fmt::format(
            "framework = \"toy\"\nlanguage = \"{}\"\ntitle = \"A toy\"\nstart = [\"true\"]\n{}",
            language,
            kAble));
}

void MachineTest::add_other_worker(const std::string& language) {
  add_worker(language, workers::kInstall);
}

void MachineTest::make_digits(int64_t train, int64_t test) const {
  SilentProgress silence;
  const auto info = data::find_dataset(data::glyphs_id({.train = train, .test = test}));
  ASSERT_THAT(info, is_ok());
  ASSERT_THAT(data::get_dataset({*info, {}, {}, false}, {machine_.cache, process::run, silence, 1}),
              is_ok());
}

std::string MachineTest::write_study(const std::string& name) const {
  const auto path = scratch(name + ".toml");
  EXPECT_THAT(write_file(path,
                         fmt::format("name = \"{}\"\ntitle = \"Made up\"\nbindings = [\"toy/*\"]\n"
                                     "seeds = [1]\ntasks = [\"train\", \"infer-parameters\"]\n"
                                     "training = {{ epochs = 1 }}\n"
                                     "[[models]]\nmodel = \"lenet1\"\ndataset = \"glyphs-20-10\"\n",
                                     name)),
              is_ok());
  return path.string();
}

}  // namespace crossbind::app
