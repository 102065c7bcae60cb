// Inference: what it writes, and which parameters it uses.
#include <cmath>

#include "checkup/inference.h"
#include "referee/loss.h"

namespace crossbind::checkup {
namespace {

Result<Inference> infer_prepared(Examination& examination) {
  CB_TRY(examination.need_inference());
  CB_ASSIGN(const auto* exercise, examination.exercise());
  CB_ASSIGN(auto* worker, examination.prepared());
  return infer(*worker, *exercise);
}

Status infers_the_whole_test_set(Examination& examination) {
  CB_ASSIGN(const Inference inference, infer_prepared(examination));
  const auto& done = inference.done;
  if (done.samples != kTestSamples) {
    return wrong("expected {} samples, came {}", kTestSamples, done.samples.value_or(0));
  }
  if (!done.accuracy) {
    return wrong("expected an 'accuracy' in done, came none");
  }
  return {};
}

Status gives_the_accuracy_of_its_outputs(Examination& examination) {
  CB_ASSIGN(const Inference inference, infer_prepared(examination));
  CB_ASSIGN(const auto* exercise, examination.exercise());
  const auto& model = exercise->model();
  CB_ASSIGN(const auto split, referee::Split::open(exercise->data(), "test", model, kTestSamples));
  std::vector<int64_t> ids(kTestSamples);
  for (size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<int64_t>(i);
  }
  tensor::Shape shape = {kTestSamples};
  const auto& output = model.nodes.back().output;
  shape.insert(shape.end(), output.begin(), output.end());
  referee::Array<double> outputs(shape);
  std::ranges::copy(inference.outputs, outputs.values.begin());
  const auto correct =
      referee::count_correct(model.loss, outputs, split.gather<double>(ids).targets);
  const double expected = static_cast<double>(correct) / static_cast<double>(kTestSamples);
  // Either side may divide in another precision.
  if (!(std::abs(inference.done.accuracy.value_or(-1) - expected) < 1e-6)) {
    return wrong("expected the accuracy {:.4f} of the outputs that it wrote, came {:.4f}",
                 expected,
                 inference.done.accuracy.value_or(-1));
  }
  return {};
}

Status times_inference(Examination& examination) {
  CB_TRY(examination.need_inference());
  CB_ASSIGN(const auto* exercise, examination.exercise());
  auto settings = exercise->settings();
  settings.warmup_steps = 1;
  for (const auto measure : examination.able().measures) {
    settings.measure = measure;
    CB_ASSIGN(auto* worker, examination.prepared(exercise->prepare(settings)));
    CB_ASSIGN(const Answer answer, worker->ask(protocol::Infer{}));
    CB_TRY(expect_done(answer));
    const auto timings = answer.all<protocol::Timings>();
    if (timings.size() != 2 || timings[0].phase != protocol::Phase::kWarmup ||
        timings[1].phase != protocol::Phase::kInfer || timings[0].steps_ns.size() != 1 ||
        !timings[1].total_ns) {
      return wrong(
          "with warmup_steps = 1, expected timings of one warm-up step, then of the "
          "inference with 'total_ns', came {} timings",
          timings.size());
    }
    const bool is_parts = measure == trial::Measure::kParts;
    const auto expected = static_cast<size_t>(is_parts ? kTestSteps : 0);
    if (timings[1].load_ns.size() != expected || timings[1].forward_ns.size() != expected) {
      return wrong(
          "with measure = {}, expected {} numbers in 'load_ns' and 'forward_ns', came {} "
          "and {}",
          name_in(trial::kMeasures, measure),
          expected,
          timings[1].load_ns.size(),
          timings[1].forward_ns.size());
    }
  }
  return {};
}

Status infers_with_the_weights_that_it_was_given(Examination& examination) {
  CB_ASSIGN(const Inference inference, infer_prepared(examination));
  CB_ASSIGN(const auto* expected, examination.expectation());
  return near(inference.outputs, expected->outputs);
}

Status infers_with_what_it_has_trained(Examination& examination) {
  CB_TRY(examination.need(trial::Task::kInferParameters));
  CB_TRY(examination.need(trial::Task::kTrain));
  CB_TRY(examination.need_saving());
  CB_ASSIGN(const auto* exercise, examination.exercise());
  CB_ASSIGN(auto* worker, examination.prepared());
  const auto saved = exercise->file("for-inference.safetensors");
  CB_ASSIGN(const Answer answer, worker->ask(protocol::Train{.save = saved}));
  CB_TRY(expect_done(answer));
  CB_ASSIGN(const Inference trained, infer(*worker, *exercise));
  protocol::Prepare prepare = exercise->prepare();
  prepare.weights = saved;
  CB_ASSIGN(worker, examination.prepared(prepare));
  CB_ASSIGN(const Inference loaded, infer(*worker, *exercise));
  const auto compared =
      near(trained.outputs, std::vector<double>(loaded.outputs.begin(), loaded.outputs.end()));
  if (!compared) {
    return wrong("after train, compared with the parameters that it saved: {}",
                 compared.error().message);
  }
  return {};
}

// By its own file, or, when it cannot read that, only whether there is one.
Status writes_what_it_was_given(Examination& examination, trial::Format format) {
  CB_ASSIGN(const auto* exercise, examination.exercise());
  CB_ASSIGN(auto* worker, examination.prepared());
  const auto path = exercise->file(fmt::format("model.{}", name_in(trial::kFormats, format)));
  CB_ASSIGN(const Answer answer, worker->ask(protocol::Serialize{.path = path, .format = format}));
  CB_TRY(expect_done(answer));
  if (!std::filesystem::exists(path)) {  // some frameworks write a folder
    return wrong("expected the file or folder that 'path' names, there is none");
  }
  if (std::ranges::find(examination.able().reads, format) == examination.able().reads.end()) {
    return {};
  }
  protocol::Prepare prepare = exercise->prepare();
  prepare.weights.reset();
  prepare.serialized = path;
  prepare.format = format;
  CB_ASSIGN(worker, examination.prepared(prepare));
  CB_ASSIGN(const Inference inference, infer(*worker, *exercise));
  CB_ASSIGN(const auto* expected, examination.expectation());
  return near(inference.outputs, expected->outputs);
}

Status serializes_what_it_was_given(Examination& examination) {
  const auto& formats = examination.able().writes;
  if (formats.empty()) {
    return skip("it does not claim to write models");
  }
  for (const auto format : formats) {
    if (const auto written = writes_what_it_was_given(examination, format); !written) {
      return wrong("as {}: {}", name_in(trial::kFormats, format), written.error().message);
    }
  }
  return {};
}

Status refuses_formats_that_it_does_not_write(Examination& examination) {
  const auto& able = examination.able();
  const auto is_unknown = [&](const auto& format) {
    return std::ranges::find(able.writes, format.value) == able.writes.end();
  };
  const auto other = std::ranges::find_if(trial::kFormats, is_unknown);
  if (other == trial::kFormats.end()) {
    return skip("it writes every format");
  }
  CB_ASSIGN(const auto* exercise, examination.exercise());
  CB_ASSIGN(auto* worker, examination.prepared());
  const auto path = exercise->file("model.other");
  CB_ASSIGN(const Answer answer,
            worker->ask(protocol::Serialize{.path = path, .format = other->value}));
  if (!std::holds_alternative<protocol::Unsupported>(answer.reply)) {
    return wrong("to a format that it does not claim: expected unsupported, came {}",
                 describe(answer.reply));
  }
  if (std::filesystem::exists(path)) {
    return wrong("it has refused the format, and written a file");
  }
  return examination.is_alive();
}

}  // namespace

std::vector<Check> inference_checks() {
  return {
      {"infer", "infers the whole test set", "infer", infers_the_whole_test_set, Stops::kGroup},
      {"infer", "gives the accuracy of its outputs", "Settings", gives_the_accuracy_of_its_outputs},
      {"infer", "times inference", "Events", times_inference},
      {"infer",
       "infers with the weights that it was given",
       "prepare",
       infers_with_the_weights_that_it_was_given},
      {"infer", "infers with what it has trained", "infer", infers_with_what_it_has_trained},
      {"infer", "serializes what it was given", "serialize", serializes_what_it_was_given},
      {"infer",
       "refuses formats that it does not write",
       "serialize",
       refuses_formats_that_it_does_not_write},
  };
}

}  // namespace crossbind::checkup
