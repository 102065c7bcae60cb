#include "crossbind_worker/procedure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

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
           const trial::Settings& settings,
           const protocol::Train& request,
           Conversation& conversation)
      : session_(session),
        settings_(settings),
        request_(request),
        conversation_(conversation) {}

  Result<Reply> run(std::span<const std::vector<BatchIds>> order) {
    warm_up(order.front());
    int64_t steps = 0;
    for (size_t epoch = 0; epoch < order.size(); ++epoch) {
      if (!run_epoch(static_cast<int64_t>(epoch) + 1, order[epoch])) {
        return cancelled();
      }
      steps += static_cast<int64_t>(order[epoch].size());
      const EpochMetrics metrics = session_.end_epoch();
      if (!std::isfinite(metrics.loss)) {
        return protocol::Failed{0,
                                protocol::FailureCode::kNotFinite,
                                fmt::format("the loss of epoch {} is not finite", epoch + 1)};
      }
      report_epoch(static_cast<int64_t>(epoch) + 1, metrics, epoch + 1 == order.size());
    }
    if (request_.save) {
      if (const auto saved = session_.save(*request_.save); !saved) {
        return cannot_write(saved.error());
      }
    }
    return protocol::Done{.steps = steps};
  }

 private:
  void warm_up(const std::vector<BatchIds>& batches) {
    if (settings_.warmup_steps == 0) {
      return;
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
    session_.restore();
    conversation_.send(std::move(timings));
  }

  // False when it was cancelled.
  bool run_epoch(int64_t epoch, const std::vector<BatchIds>& batches) {
    protocol::Timings timings{.phase = protocol::Phase::kTrain, .epoch = epoch};
    PartTimer timed(session_, settings_.measure);
    session_.begin_epoch(batches);
    session_.synchronize();
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
    timings.total_ns = nanoseconds_since(begin);
    conversation_.send(std::move(timings));
    return true;
  }

  // False when it was cancelled.
  bool report_step(int64_t epoch, size_t step, const std::vector<BatchIds>& batches) {
    if (request_.evidence < 0 || static_cast<int64_t>(step) < request_.evidence) {
      protocol::Batch batch = session_.evidence();
      batch.epoch = epoch;
      batch.batch = static_cast<int64_t>(step);
      conversation_.send(std::move(batch));
    }
    if (const auto now = Clock::now(); now >= next_report_) {
      next_report_ = now + kProgressInterval;
      conversation_.send(protocol::Progress{.epoch = epoch,
                                            .step = static_cast<int64_t>(step),
                                            .steps = static_cast<int64_t>(batches.size())});
    }
    return !conversation_.is_cancelled();
  }

  void report_epoch(int64_t number, const EpochMetrics& metrics, bool is_last) {
    protocol::Epoch epoch{.epoch = number, .loss = metrics.loss};
    epoch.train_accuracy = settings_.training_accuracy == trial::TrainingAccuracy::kRunning
                               ? metrics.accuracy
                               : session_.training_accuracy();
    if (is_last || settings_.evaluate == trial::Evaluate::kEveryEpoch) {
      epoch.test_accuracy = session_.test_accuracy();
    }
    conversation_.send(epoch);
  }

  Session& session_;
  const trial::Settings& settings_;
  const protocol::Train& request_;
  Conversation& conversation_;
  Clock::time_point next_report_ = Clock::now() + kProgressInterval;
};

std::vector<BatchIds> cut(std::span<const int64_t> ids, int64_t batch_size) {
  std::vector<BatchIds> batches;
  const auto size = static_cast<size_t>(batch_size);
  for (size_t begin = 0; begin < ids.size(); begin += size) {
    const auto piece = ids.subspan(begin, std::min(size, ids.size() - begin));
    batches.emplace_back(piece.begin(), piece.end());
  }
  return batches;
}

}  // namespace

Result<std::vector<std::vector<BatchIds>>> read_order(const std::filesystem::path& path,
                                                      const trial::Settings& settings,
                                                      int64_t samples) {
  CB_ASSIGN(const auto file, tensor::SafetensorsFile::open(path));
  CB_ASSIGN(const auto ids, file.values<int64_t>("order"));
  if (static_cast<int64_t>(ids.size()) != settings.epochs * samples) {
    return fail(ErrorKind::kCorrupt,
                "{}: 'order' has {} ids, expected {} epochs of {} samples",
                path.string(),
                ids.size(),
                settings.epochs,
                samples);
  }
  if (std::ranges::any_of(ids, [&](int64_t id) { return id < 0 || id >= samples; })) {
    return fail(ErrorKind::kCorrupt, "{}: 'order' has an id outside of the data", path.string());
  }
  std::vector<std::vector<BatchIds>> order;
  for (int64_t epoch = 0; epoch < settings.epochs; ++epoch) {
    order.push_back(
        cut(ids.subspan(static_cast<size_t>(epoch * samples), static_cast<size_t>(samples)),
            settings.batch_size));
  }
  return order;
}

Result<Reply> run_training(Session& session,
                           const trial::Settings& settings,
                           std::span<const std::vector<BatchIds>> order,
                           const protocol::Train& request,
                           Conversation& conversation) {
  session.restore();
  return Training(session, settings, request, conversation).run(order);
}

Result<Reply> run_inference(Session& session,
                            const trial::Settings& settings,
                            int64_t samples,
                            const protocol::Infer& request,
                            Conversation& conversation) {
  std::vector<int64_t> ids(static_cast<size_t>(samples));
  std::iota(ids.begin(), ids.end(), int64_t{0});
  const std::vector<BatchIds> batches = cut(ids, settings.batch_size);
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
  const auto ended = session.end_inference(request.outputs);
  if (!ended) {
    return cannot_write(ended.error());
  }
  const Session::Answers& answers = *ended;
  if (!answers.finite) {
    return protocol::Failed{0, protocol::FailureCode::kNotFinite, "an output is not finite"};
  }
  return protocol::Done{
      .samples = answers.samples,
      .accuracy = static_cast<double>(answers.correct) / static_cast<double>(answers.samples)};
}

}  // namespace crossbind::worker
