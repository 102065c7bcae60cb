#include "store/fixtures.h"

namespace crossbind::store {

using std::chrono::microseconds;

TrialRecord make_trial(int number, int samples) {
  TrialRecord trial;
  trial.identity = fmt::format("{:064x}", number);
  trial.axes.binding = "pytorch/rust";
  trial.axes.model = "lenet5";
  trial.axes.seed = static_cast<uint32_t>(number);
  trial.started = Time(microseconds(1'700'000'000'000'000 + number));
  for (const auto* metric : {"backward", "forward"}) {
    auto& series = trial.series.emplace_back();
    series.metric = metric;
    for (int step = 0; step < samples; ++step) {
      series.values.push_back(number + 0.001 * step);
    }
  }
  trial.facts = {{"number", fmt::format("{}", number)}};
  trial.host = {{"cpu", "two slow cores"}};
  trial.worker = {{"torch", "2.7.1"}};
  trial.log = fmt::format("log of {}\n", number);
  return trial;
}

TrialRecord failed(TrialRecord trial, const std::string& reason) {
  trial.outcome = Outcome::kFailed;
  trial.reason = reason;
  return trial;
}

TrialRecord full_trial() {
  TrialRecord trial;
  trial.identity = "0123456789abcdef";
  trial.axes = {.binding = "pytorch/python",
                .model = "resnet20",
                .dataset = "cifar10",
                .device = "cpu",
                .task = "infer",
                .loader = "idiomatic",
                .variant = "it's \"quoted\"; DROP TABLE trial",
                .measure = "parts",
                .weights = "pytorch/rust",
                .seed = UINT32_MAX,
                .repeat = 7};
  trial.outcome = Outcome::kUnsupported;
  trial.reason = "layer 'gru': reset_after, Übergröße\nsecond line";
  trial.started = Time(microseconds(1'700'000'000'123'456));
  trial.wall = microseconds(1'234'567);
  trial.user = microseconds(0);
  trial.system = microseconds(89);
  trial.peak_memory = uint64_t{5} << 40;
  trial.settings = {{"batch", "128", "128"}, {"epsilon_form", "outside", "hat"}};
  trial.curve = {
      {0, 2.3, std::nullopt, 0.1}, {1, 0.1 + 0.2, 0.5, std::nullopt}, {2, std::nullopt, 0.5, 0.5}};
  trial.series = {{"forward", -1, {0.1, -0.0, 1e-320, 1e308}},
                  {"forward", 0, {1}},
                  {"load", 0, std::vector<double>(1000, 1.0 / 3)}};
  trial.facts = {{"empty", ""}, {"parameters_sha256", "00ff"}};
  trial.host = {{"cpu", "a"}, {"kernel", "b"}};
  trial.worker = {{"python", "3.11"}};
  trial.log = std::string("any\0bytes\xff\n", 11);
  return trial;
}

}  // namespace crossbind::store
