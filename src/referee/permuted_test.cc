// The bound at work: float32 runs in another order of summation, which are correct by construction,
// stay inside it on every model's [conform] geometry; a setting that is off by 1 per mille does
// not.
#include <fmt/format.h>

#include <cstdlib>
#include <set>

#include "model/model.h"
#include "referee/referee.h"
#include "referee/test_batch.h"
#include "testing/testing.h"

namespace crossbind::referee {
namespace {

template <typename To, typename From>
Array<To> converted(const Array<From>& array) {
  Array<To> result;
  result.shape = array.shape;
  result.values.assign(array.values.begin(), array.values.end());
  return result;
}

template <typename To, typename From>
std::vector<Array<To>> converted(const std::vector<Array<From>>& arrays) {
  std::vector<Array<To>> result;
  for (const auto& array : arrays) {
    result.push_back(converted<To>(array));
  }
  return result;
}

// The largest ratio of an error to its bound in each kind of quantity, and where.
struct Ratios {
  struct Worst {
    double ratio = 0;
    std::string where;
    void see(double value, const std::string& name) {
      if (value > ratio) {
        ratio = value;
        where = name;
      }
    }
  };
  Worst forward, loss, gradient, update, state;

  [[nodiscard]] double largest() const {
    return std::max({forward.ratio, loss.ratio, gradient.ratio, update.ratio, state.ratio});
  }
};

// Plays the worker: a float32 network whose every step is recorded and judged by the referee, which
// starts each step from the worker's own float32 state.
class Trial {
 public:
  Trial(const model::Model& worker_model, const model::Model& referee_model, uint32_t permutation)
      : worker_(worker_model, {.permutation_seed = permutation}, {.enabled = false}),
        referee_(referee_model, {}, {.enabled = false}) {}

  void run(int steps, uint32_t seed, double input_scale, Ratios& ratios) {
    const auto& model = worker_.model();
    ASSERT_THAT(worker_.load(make_parameters(model, seed)), testing::is_ok());
    for (int step = 1; step <= steps; ++step) {
      auto batch = make_batch<float>(model, model.batch, seed + static_cast<uint32_t>(step));
      for (size_t i = 0; i < batch.inputs.size(); ++i) {
        if (!model.inputs[i].is_integer()) {
          for (auto& value : batch.inputs[i].values) {
            value *= static_cast<float>(input_scale);
          }
        }
      }
      judge_step(batch, step, ratios);
    }
  }

 private:
  void judge_step(const TestBatch<float>& batch, int step, Ratios& ratios) {
    const auto& model = worker_.model();
    copy_state();
    std::vector<Array<double>> recorded;
    worker_.forward(batch.inputs, Mode::kTrain);
    for (size_t i = 0; i < model.nodes.size(); ++i) {
      recorded.push_back(converted<double>(worker_.output(i)));
    }
    const float loss = worker_.backward(batch.inputs, batch.targets).value;
    const auto inputs = converted<double>(batch.inputs);
    AnchoredPass pass(referee_, inputs, recorded, Mode::kTrain);
    for (size_t i = 0; i < model.nodes.size(); ++i) {
      const auto worst = largest_deviation(recorded[i], pass.forward(i), Scope::kSample);
      ratios.forward.see(worst.ratio, model.nodes[i].name);
    }
    const auto backward = pass.backward(batch.targets);
    Array<double> recorded_loss(Shape{1});
    recorded_loss[0] = static_cast<double>(loss);
    ratios.loss.see(largest_deviation(recorded_loss, backward.loss, Scope::kElement).ratio, "loss");
    std::vector<AnchoredUpdate> updates(model.parameters.size());
    for (size_t p = 0; p < model.parameters.size(); ++p) {
      if (model::is_trainable(model.parameters[p].role)) {
        const auto gradient = converted<double>(worker_.gradient(p));
        ratios.gradient.see(
            largest_deviation(gradient, backward.gradients[p], Scope::kTensor).ratio,
            model.parameters[p].name);
        updates[p] = update_from(referee_.model().optimizer,
                                 model.parameters[p].role,
                                 step,
                                 referee_.parameter(p),
                                 gradient,
                                 referee_.state(p));
      }
    }
    std::vector<std::vector<Bounded>> buffers;
    for (size_t i = 0; i < model.nodes.size(); ++i) {
      buffers.push_back(pass.buffers(i));
    }
    worker_.update(batch.inputs);
    judge_update(updates, buffers, ratios);
  }

  void judge_update(const std::vector<AnchoredUpdate>& updates,
                    const std::vector<std::vector<Bounded>>& buffers,
                    Ratios& ratios) {
    const auto& model = worker_.model();
    const auto ratio = [](const Array<float>& recorded, const Bounded& expected) {
      return largest_deviation(converted<double>(recorded), expected, Scope::kElement).ratio;
    };
    for (size_t p = 0; p < model.parameters.size(); ++p) {
      if (model::is_trainable(model.parameters[p].role)) {
        const auto& name = model.parameters[p].name;
        ratios.update.see(ratio(worker_.parameter(p), updates[p].parameter), name);
        ratios.state.see(ratio(worker_.state(p).m, updates[p].m), name + ".state.m");
        ratios.state.see(ratio(worker_.state(p).v, updates[p].v), name + ".state.v");
      }
    }
    for (size_t i = 0; i < model.nodes.size(); ++i) {
      for (size_t k = 0; k < buffers[i].size(); ++k) {
        const size_t p = model.nodes[i].parameters[k];
        if (!model::is_trainable(model.parameters[p].role)) {
          ratios.state.see(ratio(worker_.parameter(p), buffers[i][k]), model.parameters[p].name);
        }
      }
    }
  }

  // Teacher forcing: the referee starts where the worker stands.
  void copy_state() {
    for (size_t p = 0; p < worker_.model().parameters.size(); ++p) {
      referee_.parameter(p) = converted<double>(worker_.parameter(p));
      referee_.state(p).m = converted<double>(worker_.state(p).m);
      referee_.state(p).v = converted<double>(worker_.state(p).v);
    }
  }

  Network<float> worker_;
  Network<double> referee_;
};

const std::vector<std::string> kModels = {"lenet1",
                                          "lenet5",
                                          "vgg16",
                                          "lstm",
                                          "gru",
                                          "grurb",
                                          "bert-base",
                                          "lenet1-valid",
                                          "lenet5-valid",
                                          "resnet20",
                                          "vgg16-bn-all",
                                          "vgg-small",
                                          "lstm-small",
                                          "gru-small"};

class PermutedRun : public ::testing::TestWithParam<std::string> {};

TEST_P(PermutedRun, StaysInsideTheBounds) {
  const auto model = conform_model(GetParam());
  const bool full = std::getenv("CROSSBIND_TEST_FULL") != nullptr;
  Ratios ratios;
  for (uint32_t permutation = 1; permutation <= (full ? 10U : 2U); ++permutation) {
    Trial(model, model, permutation).run(full ? 10 : 3, 100 + permutation, 1.0, ratios);
  }
  fmt::print(
      "{:13} forward {:6.4f} ({})  loss {:6.4f}  gradient {:6.4f} ({})  update {:6.4f}  state "
      "{:6.4f} ({})\n",
      GetParam(),
      ratios.forward.ratio,
      ratios.forward.where,
      ratios.loss.ratio,
      ratios.gradient.ratio,
      ratios.gradient.where,
      ratios.update.ratio,
      ratios.state.ratio,
      ratios.state.where);
  // These runs are correct by construction, and the unit error describes them: below 4 units, as
  // README says, of the 32 that are the bound.
  EXPECT_LT(ratios.largest(), 4.0 / 32);
  // A bound that nothing comes near would hide bugs: rounding must be visible in every kind.
  for (const auto* worst : {&ratios.forward, &ratios.loss, &ratios.gradient, &ratios.update}) {
    EXPECT_GT(worst->ratio, 0.001);
  }
}

TEST(PermutedRun, CoversEveryReadyModel) {
  std::set<std::string> covered(kModels.begin(), kModels.end());
  const auto folder = testing::source_path("models");
  const auto files = model::list_models(folder);
  ASSERT_THAT(files, testing::is_ok());
  for (const auto& path : *files) {
    EXPECT_TRUE(covered.contains(path.stem().string())) << path;
  }
}

INSTANTIATE_TEST_SUITE_P(ConformGeometries,
                         PermutedRun,
                         ::testing::ValuesIn(kModels),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// The worker runs a setting that is off by 1 per mille; the referee holds it against the right one.
Ratios ratios_when_off(const std::string& id,
                       double input_scale,
                       const std::function<void(model::Model&)>& bend) {
  const auto model = conform_model(id);
  auto bent = model;
  bend(bent);
  Ratios ratios;
  Trial(bent, model, 1).run(3, 100, input_scale, ratios);
  return ratios;
}

template <typename Layer>
void for_each_layer(model::Model& model, const std::function<void(Layer&)>& change) {
  for (auto& node : model.nodes) {
    if (auto* layer = std::get_if<Layer>(&node.layer)) {
      change(*layer);
    }
  }
}

constexpr double kPerMille = 1.001;

TEST(PerMilleChange, OfTheLearningRateLeavesTheBounds) {
  const auto sgd = [](model::Model& m) { std::get<model::Sgd>(m.optimizer).rate *= kPerMille; };
  const auto adam = [](model::Model& m) { std::get<model::Adam>(m.optimizer).rate *= kPerMille; };
  for (const auto* id : {"lenet5", "vgg16", "resnet20"}) {
    const auto ratios = ratios_when_off(id, 1, sgd);
    fmt::print("rate of {}: update {:.1f}\n", id, ratios.update.ratio);
    EXPECT_GT(ratios.update.ratio, 1) << id;
    EXPECT_LE(ratios.gradient.ratio, 1) << id;
  }
  for (const auto* id : {"lstm", "gru", "bert-base"}) {
    const auto ratios = ratios_when_off(id, 1, adam);
    fmt::print("rate of {}: update {:.1f}\n", id, ratios.update.ratio);
    EXPECT_GT(ratios.update.ratio, 1) << id;
    EXPECT_LE(ratios.gradient.ratio, 1) << id;
  }
}

TEST(PerMilleChange, OfMomentumLeavesTheBounds) {
  auto ratios = ratios_when_off("lenet5-valid", 1, [](model::Model& m) {
    std::get<model::Sgd>(m.optimizer).momentum *= kPerMille;
  });
  fmt::print("momentum of lenet5-valid: state {:.1f}\n", ratios.state.ratio);
  EXPECT_GT(ratios.state.ratio, 1);
  ratios = ratios_when_off("vgg16", 1, [](model::Model& m) {
    for_each_layer<model::BatchNorm>(m,
                                     [](model::BatchNorm& layer) { layer.momentum *= kPerMille; });
  });
  fmt::print("momentum of vgg16's batch norm: state {:.1f}\n", ratios.state.ratio);
  EXPECT_GT(ratios.state.ratio, 1);
  ratios = ratios_when_off(
      "lstm", 1, [](model::Model& m) { std::get<model::Adam>(m.optimizer).beta1 *= kPerMille; });
  fmt::print("beta1 of lstm: state {:.1f}\n", ratios.state.ratio);
  EXPECT_GT(ratios.state.ratio, 1);
}

TEST(PerMilleChange, OfEpsilonLeavesTheBoundsWhereEpsilonMatters) {
  // A batch norm's epsilon of 1e-5 changes nothing that float32 shows while variances are near 1.
  // Dark images make the first layer's variance as small as epsilon.
  auto ratios = ratios_when_off("vgg16", 0.002, [](model::Model& m) {
    for_each_layer<model::BatchNorm>(m,
                                     [](model::BatchNorm& layer) { layer.epsilon *= kPerMille; });
  });
  fmt::print("epsilon of vgg16's batch norm: forward {:.1f} ({})\n",
             ratios.forward.ratio,
             ratios.forward.where);
  EXPECT_GT(ratios.forward.ratio, 1);
  ratios = ratios_when_off(
      "lstm", 1, [](model::Model& m) { std::get<model::Adam>(m.optimizer).epsilon *= kPerMille; });
  fmt::print(
      "epsilon of lstm's Adam: update {:.1f} ({})\n", ratios.update.ratio, ratios.update.where);
  EXPECT_GT(ratios.update.ratio, 1);
}

}  // namespace
}  // namespace crossbind::referee
