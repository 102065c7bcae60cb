#include "crossbind_worker/procedure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>

#include "crossbind_worker/scoring.h"
#include "tensor/safetensors.h"

namespace crossbind::worker {
namespace {

using Clock = std::chrono::steady_clock;
using trial::Measure;

constexpr std::chrono::milliseconds kProgressInterval{250};

int64_t nanoseconds_since(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
}

protocol::Failed cancelled() {
  return {0, protocol::FailureCode::kCancelled, "cancelled"};
}

// Runs one part of a step; with measure = parts it is timed, the device synchronised after it.
class PartTimer {
 public:
  PartTimer(Session& session, Measure measure)
      : session_(session),
        is_timing_(measure == Measure::kParts) {}

  template <typename Part>
  void operator()(std::vector<int64_t>& times, Part part) {
    if (!is_timing_) {
      part();
      return;
    }
    const auto begin = Clock::now();
    part();
    session_.synchronize();
    times.push_back(nanoseconds_since(begin));
  }

 private:
  Session& session_;
  bool is_timing_;
};

class Training {
 public:
  Training(Session& session,
           const Job& job,
           const protocol::Train& request,
           Conversation& conversation)
      : session_(session),
        job_(job),
        settings_(job.settings),
        request_(request),
        conversation_(conversation) {}

  Result<Reply> run() {
    const auto& order = job_.order;
    CB_TRY(session_.restore());
    CB_TRY(warm_up(order.front()));
    int64_t steps = 0;
    for (size_t epoch = 0; epoch < order.size(); ++epoch) {
      if (!run_epoch(static_cast<int64_t>(epoch) + 1, order[epoch])) {
        return cancelled();
      }
      steps += static_cast<int64_t>(order[epoch].size());
      const EpochMetrics metrics = session_.end_epoch();
      if (!std::isfinite(metrics.loss)) {
        return not_finite(fmt::format("the loss of epoch {}", epoch + 1));
      }
      if (!report_epoch(static_cast<int64_t>(epoch) + 1, metrics, epoch + 1 == order.size())) {
        return not_finite("an output");
      }
    }
    if (request_.save) {
      if (const auto saved = session_.save(*request_.save); !saved) {
        return cannot_write(saved.error());
      }
    }
    return protocol::Done{.steps = steps};
  }

 private:
  Status warm_up(const std::vector<BatchIds>& batches) {
    if (settings_.warmup_steps == 0) {
      return {};
    }
    const size_t steps = std::min(batches.size(), static_cast<size_t>(settings_.warmup_steps));
    protocol::Timings timings{.phase = protocol::Phase::kWarmup};
    session_.begin_epoch(std::span(batches).first(steps));
    for (size_t step = 0; step < steps; ++step) {
      const auto begin = Clock::now();
      session_.load();
      session_.forward();
      session_.backward();
      session_.synchronize();
      timings.steps_ns.push_back(nanoseconds_since(begin));
    }
    conversation_.send(std::move(timings));
    return session_.restore();
  }

  // False when it was cancelled.
  bool run_epoch(int64_t epoch, const std::vector<BatchIds>& batches) {
    protocol::Timings timings{.phase = protocol::Phase::kTrain, .epoch = epoch};
    PartTimer timed(session_, settings_.measure);
    session_.begin_epoch(batches);
    session_.synchronize();
    untimed_ = 0;
    const auto begin = Clock::now();
    for (size_t step = 0; step < batches.size(); ++step) {
      timed(timings.load_ns, [&] { session_.load(); });
      if (!report_step(epoch, step, batches)) {
        return false;
      }
      timed(timings.forward_ns, [&] { session_.forward(); });
      timed(timings.backward_ns, [&] { session_.backward(); });
    }
    session_.synchronize();
    timings.total_ns = nanoseconds_since(begin) - untimed_;
    conversation_.send(std::move(timings));
    return true;
  }

  // False when it was cancelled.
  bool report_step(int64_t epoch, size_t step, const std::vector<BatchIds>& batches) {
    if (request_.evidence < 0 || static_cast<int64_t>(step) < request_.evidence) {
      const auto begin = Clock::now();
      protocol::Batch batch = session_.evidence();
      batch.epoch = epoch;
      batch.batch = static_cast<int64_t>(step);
      conversation_.send(std::move(batch));
      untimed_ += nanoseconds_since(begin);
    }
    if (const auto now = Clock::now(); now >= next_report_) {
      next_report_ = now + kProgressInterval;
      conversation_.send(protocol::Progress{.epoch = epoch,
                                            .step = static_cast<int64_t>(step),
                                            .steps = static_cast<int64_t>(batches.size())});
    }
    return !conversation_.is_cancelled();
  }

  // False when an output is not finite.
  bool report_epoch(int64_t number, const EpochMetrics& metrics, bool is_last) {
    protocol::Epoch epoch{
        .epoch = number, .loss = metrics.loss, .train_accuracy = metrics.accuracy};
    bool is_finite = true;
    if (settings_.training_accuracy == trial::TrainingAccuracy::kEval) {
      const Score trained = score_of(Split::kTraining, *job_.training);
      epoch.train_accuracy = trained.accuracy();
      is_finite = trained.is_finite;
    }
    if (job_.testing && (is_last || settings_.evaluate == trial::Evaluate::kEveryEpoch)) {
      const Score tested = score_of(Split::kTesting, *job_.testing);
      epoch.test_accuracy = tested.accuracy();
      epoch.test_loss = tested.mean_loss();
      is_finite = is_finite && tested.is_finite;
    }
    if (is_finite) {
      conversation_.send(epoch);
    }
    return is_finite;
  }

  // Of all samples, in evaluation mode.
  Score score_of(Split split, const Samples& samples) {
    Score total;
    session_.evaluate(split,
                      batches_in_file_order(samples.size, settings_.batch_size),
                      [&](const tensor::TensorView& outputs) {
                        const auto targets =
                            targets_of(samples, total.samples, outputs.shape.front());
                        total += score(job_.model.loss, outputs, targets);
                      });
    return total;
  }

  Session& session_;
  const Job& job_;
  const trial::Settings& settings_;
  const protocol::Train& request_;
  Conversation& conversation_;
  int64_t untimed_ = 0;  // nanoseconds of this epoch that went into evidence
  Clock::time_point next_report_ = Clock::now() + kProgressInterval;
};

// Parameters and, where they are there, moments of their shapes.
Result<tensor::SafetensorsFile> open_state(const std::filesystem::path& path,
                                           const model::Model& model) {
  CB_ASSIGN(auto file, open_parameters(path, model));
  for (const model::Parameter& parameter : model.parameters) {
    for (const char* moment : {".state.m", ".state.v"}) {
      const std::string name = parameter.name + moment;
      if (file.find(name)) {
        CB_TRY(find_tensor(file, name, tensor::DType::kF32, parameter.shape));
      }
    }
  }
  return file;
}

}  // namespace

Result<Reply> run_training(Session& session,
                           const Job& job,
                           const protocol::Train& request,
                           Conversation& conversation) {
  return Training(session, job, request, conversation).run();
}

Result<Reply> run_inference(Session& session,
                            const Job& job,
                            const protocol::Infer& request,
                            Conversation& conversation) {
  const trial::Settings& settings = job.settings;
  const std::vector<BatchIds> batches =
      batches_in_file_order(job.testing->size, settings.batch_size);
  if (settings.warmup_steps > 0) {
    const size_t steps = std::min(batches.size(), static_cast<size_t>(settings.warmup_steps));
    protocol::Timings warmup{.phase = protocol::Phase::kWarmup};
    session.begin_inference(std::span(batches).first(steps));
    for (size_t step = 0; step < steps; ++step) {
      const auto begin = Clock::now();
      session.load_test();
      session.infer();
      session.synchronize();
      warmup.steps_ns.push_back(nanoseconds_since(begin));
    }
    conversation.send(std::move(warmup));
  }
  protocol::Timings timings{.phase = protocol::Phase::kInfer};
  PartTimer timed(session, settings.measure);
  session.begin_inference(batches);
  session.synchronize();
  const auto begin = Clock::now();
  for (size_t step = 0; step < batches.size(); ++step) {
    timed(timings.load_ns, [&] { session.load_test(); });
    timed(timings.forward_ns, [&] { session.infer(); });
    if (conversation.is_cancelled()) {
      return cancelled();
    }
  }
  session.synchronize();
  timings.total_ns = nanoseconds_since(begin);
  conversation.send(std::move(timings));
  tensor::Tensor outputs = session.end_inference();
  const Score reached = score(job.model.loss, outputs.view(), job.testing->targets);
  if (request.outputs) {
    tensor::TensorMap tensors;
    tensors.emplace("outputs", std::move(outputs));
    if (const auto saved = tensor::save_safetensors(*request.outputs, tensors, {}); !saved) {
      return cannot_write(saved.error());
    }
  }
  if (!reached.is_finite) {
    return not_finite("an output");
  }
  return protocol::Done{.samples = reached.samples, .accuracy = reached.accuracy()};
}

Result<Reply> run_probe(Session& session, const Job& job, const protocol::Probe& request) {
  const bool is_training = request.mode == protocol::ProbeMode::kTrain;
  CB_ASSIGN(const auto file, tensor::SafetensorsFile::open(request.batch));
  CB_ASSIGN(const Samples batch,
            read_samples(file, "", job.model, is_training ? Labels::kNeeded : Labels::kOptional));
  std::optional<tensor::SafetensorsFile> state;
  if (request.state) {
    CB_ASSIGN(state, open_state(*request.state, job.model));
  }
  CB_ASSIGN(const Probed probed,
            session.probe({.is_training = is_training,
                           .has_dropout = request.dropout,
                           .number = request.step,
                           .state = state ? &*state : nullptr,
                           .batch = batch,
                           .wanted = request.wanted}));
  if (probed.loss && !std::isfinite(*probed.loss)) {
    return not_finite("the loss");
  }
  protocol::Done done{.tensors = request.directory / fmt::format("{}.safetensors", request.id),
                      .loss = probed.loss};
  std::ranges::copy_if(request.wanted, std::back_inserter(done.missing), [&](const auto& name) {
    return !probed.tensors.contains(name);
  });
  if (const auto saved = tensor::save_safetensors(*done.tensors, probed.tensors, {}); !saved) {
    return cannot_write(saved.error());
  }
  return done;
}

}  // namespace crossbind::worker
