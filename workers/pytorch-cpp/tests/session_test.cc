// The parts of a session: loaders, moments, TorchScript files.
#include <gmock/gmock.h>

#include "graph_module.h"
#include "loaders.h"
#include "optimizers.h"
#include "serialized.h"
#include "tensors.h"
#include "testing/testing.h"

namespace crossbind::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TorchWorkerTest : public testing::ScratchTest {
 protected:
  static model::Model model(const std::string& optimizer) {
    return model::parse_model(
               "id = \"m\"\ntitle = \"t\"\ndataset = \"d\"\n"
               "loss = \"cross_entropy\"\ninit = \"fan_in_uniform\"\nbatch = 2\n"
               "layers = [{ name = \"type\", type = \"linear\", out = 2, bias = "
               "true }]\n[inputs]\nx = { shape = [3] }\n[optimizer]\n" +
                   optimizer,
               "test",
               model::Geometry::kFull)
        .value();
  }

  // The model as pytorch/python would write it: a layer called "type" becomes "type_".
  [[nodiscard]] std::filesystem::path write_script(const torch::Tensor& weight) const {
    torch::jit::Module layer("Layer");
    layer.register_parameter("weight", weight, false);
    layer.register_parameter("bias", torch::zeros({2}), false);
    torch::jit::Module network("Network");
    network.register_module("type_", layer);
    network.define(
        "def forward(self, x):\n  return torch.linear(x, self.type_.weight, self.type_.bias)\n");
    network.save(scratch("model.pt").string());
    return scratch("model.pt");
  }
};

constexpr const char* kSgd = "type = \"sgd\"\nrate = 0.1\nmomentum = 0.0\n";
constexpr const char* kMomentum = "type = \"sgd\"\nrate = 0.1\nmomentum = 0.9\n";
constexpr const char* kAdam =
    "type = \"adam\"\nrate = 0.1\nbeta1 = 0.9\nbeta2 = 0.99\nepsilon = 1e-8\nepsilon_form = "
    "\"outside\"\n";

TEST_F(TorchWorkerTest, BothLoadersGiveTheOrderWithItsShortLastBatch) {
  const std::vector<float> inputs = {0, 10, 20, 30, 40};
  const std::vector<int64_t> labels = {0, 1, 2, 3, 4};
  const tensor::Tensor input({5, 1}, inputs);
  const tensor::Tensor label({5}, labels);
  const Samples samples{{input.view()}, {label.view()}, 5};
  const std::vector<BatchIds> order = {{4, 0}, {3, 1}, {2}};
  for (const auto kind : {trial::Loader::kIdiomatic, trial::Loader::kResident}) {
    const auto loader = make_loader(kind, samples, 2, torch::kCPU);
    for (int epoch = 0; epoch < 2; ++epoch) {
      loader->begin(order);
      for (const BatchIds& ids : order) {
        const TorchBatch batch = loader->next();
        const torch::Tensor expected = torch::tensor(ids, torch::kLong);
        EXPECT_TRUE(torch::equal(batch.targets[0], expected));
        EXPECT_TRUE(torch::equal(batch.inputs[0].flatten(), expected.to(torch::kFloat32) * 10));
      }
    }
  }
}

TEST_F(TorchWorkerTest, PutsMomentsIntoTheOptimizerAndTakesThemOut) {
  tensor::TensorMap state;
  state.emplace("type.bias.state.m", tensor::Tensor({2}, std::vector<float>{1, 2}));
  state.emplace("type.bias.state.v", tensor::Tensor({2}, std::vector<float>{3, 4}));
  ASSERT_THAT(tensor::save_safetensors(scratch("state"), state, {}), testing::is_ok());
  const auto file = tensor::SafetensorsFile::open(scratch("state")).value();
  const auto names_with = [&](const char* optimizer_text) {
    const model::Model given = model(optimizer_text);
    GraphModule module(given);
    const auto optimizer = make_optimizer(given, module->tensors()).value();
    set_moments(*optimizer, given, module->tensors(), file, 5);
    std::vector<std::string> names;
    for (const auto& [name, tensor] : moments_of(*optimizer, given, module->tensors())) {
      const auto found = state.find(name);
      EXPECT_TRUE(torch::equal(
          tensor, found == state.end() ? torch::zeros_like(tensor) : borrow(found->second.view())))
          << name;
      names.push_back(name);
    }
    return names;
  };
  EXPECT_THAT(names_with(kSgd), ElementsAre());
  EXPECT_THAT(names_with(kMomentum), ElementsAre("type.bias.state.m", "type.weight.state.m"));
  EXPECT_THAT(
      names_with(kAdam),
      ElementsAre(
          "type.bias.state.m", "type.bias.state.v", "type.weight.state.m", "type.weight.state.v"));
}

TEST_F(TorchWorkerTest, LoadsATorchScriptFileWithTheParametersOfTheModel) {
  auto module = load_torchscript(write_script(torch::ones({2, 3})), model(kSgd), torch::kCPU);
  ASSERT_THAT(module, testing::is_ok());
  const torch::Tensor output = module->forward({torch::ones({1, 3})}).toTensor();
  EXPECT_TRUE(torch::equal(output, torch::full({1, 2}, 3.0)));
}

TEST_F(TorchWorkerTest, RefusesATorchScriptFileOfAnotherModel) {
  const auto path = write_script(torch::ones({2, 4}));
  EXPECT_THAT(load_torchscript(path, model(kSgd), torch::kCPU),
              testing::fails_with(HasSubstr("'type.weight' is [2, 4], expected [2, 3]")));
  model::Model other = model(kSgd);
  other.parameters[1].name = "type.scale";
  EXPECT_THAT(load_torchscript(write_script(torch::ones({2, 3})), other, torch::kCPU),
              testing::fails_with(HasSubstr("no parameter 'type.scale'")));
}

TEST_F(TorchWorkerTest, RefusesWhatIsNoTorchScriptFile) {
  EXPECT_THAT(load_torchscript(scratch("none.pt"), model(kSgd), torch::kCPU),
              testing::fails_with(HasSubstr("none.pt")));
  ASSERT_THAT(write_file(scratch("text.pt"), "no archive"), testing::is_ok());
  EXPECT_THAT(load_torchscript(scratch("text.pt"), model(kSgd), torch::kCPU),
              testing::fails_with(HasSubstr("text.pt")));
}

}  // namespace
}  // namespace crossbind::worker
