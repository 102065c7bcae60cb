// A session without a framework: what comes out of its model is what goes in.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "crossbind_worker/session_binding.h"

namespace crossbind::worker {

class FakeSession final : public Session {
 public:
  explicit FakeSession(const Job& job) : job_(job) {}

  [[nodiscard]] int64_t parameters() const override { return job_.model.parameter_count(); }
  [[nodiscard]] Status restore() override { return {}; }
  void begin_epoch(std::span<const BatchIds> /*batches*/) override {}
  void load() override {}
  void forward() override {}
  void backward() override {}
  [[nodiscard]] EpochMetrics end_epoch() override { return {.loss = 0.5, .accuracy = 0.25}; }
  [[nodiscard]] protocol::Batch evidence() override { return {}; }
  void evaluate(Split split,
                std::span<const BatchIds> batches,
                const OnOutputs& on_outputs) override {
    const Samples& samples = split == Split::kTraining ? *job_.training : *job_.testing;
    for (const BatchIds& ids : batches) {
      on_outputs(rows(samples, ids).view());
    }
  }
  void begin_inference(std::span<const BatchIds> /*batches*/) override {}
  void load_test() override {}
  void infer() override {}
  [[nodiscard]] tensor::Tensor end_inference() override {
    return tensor::Tensor(job_.testing->inputs.front());
  }
  [[nodiscard]] Status save(const std::filesystem::path& /*path*/) override { return {}; }
  // The first output says whether dropout was to be drawn.
  [[nodiscard]] Result<Probed> probe(const ProbeStep& step) override {
    Probed probed;
    probed.tensors.emplace(step.wanted.front(),
                           tensor::Tensor({1}, std::vector<float>{step.has_dropout ? 1.0F : 0.0F}));
    return probed;
  }
  // The gradient is twice the input.
  [[nodiscard]] Result<Answer> query(const Samples& batch, Gradients gradients) override {
    Answer answer{.outputs = tensor::Tensor(batch.inputs.front()), .gradients = {}};
    if (gradients == Gradients::kOfInputs) {
      const auto inputs = batch.inputs.front().as<float>().value();
      std::vector<float> twice(inputs.begin(), inputs.end());
      std::ranges::transform(twice, twice.begin(), [](float value) { return 2 * value; });
      answer.gradients.emplace(job_.model.inputs.front().name,
                               tensor::Tensor(batch.inputs.front().shape, twice));
    }
    return answer;
  }

 private:
  [[nodiscard]] static tensor::Tensor rows(const Samples& samples, const BatchIds& ids) {
    const auto all = samples.inputs.front().as<float>().value();
    tensor::Shape shape = samples.inputs.front().shape;
    const auto width = static_cast<size_t>(shape.back());
    std::vector<float> picked;
    for (const int64_t id : ids) {
      const auto row = all.subspan(static_cast<size_t>(id) * width, width);
      picked.insert(picked.end(), row.begin(), row.end());
    }
    shape.front() = static_cast<int64_t>(ids.size());
    return {shape, picked};
  }

  const Job& job_;
};

class FakeBinding final : public SessionBinding {
 public:
  using SessionBinding::SessionBinding;

 private:
  [[nodiscard]] Result<std::unique_ptr<Session>> open(const Job& job) override {
    return std::make_unique<FakeSession>(job);
  }
};

}  // namespace crossbind::worker
