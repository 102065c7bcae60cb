#include "cli/curves_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "cli/text_table.h"
#include "stats/summary.h"
#include "tasks/measured.h"

namespace crossbind::cli {
namespace {

constexpr size_t kMostEpochs = 5;

struct Point {
  std::vector<double> losses;
  std::vector<double> accuracies;
};
using Curve = std::map<int, Point>;  // by epoch

// What the referee said of all seeds of a binding, model and device.
struct Ruled {
  size_t judged = 0;
  double largest = 0;  // error in units of the bound
  std::string diverges;
};

// In the order of the columns, without the loader's and the variant's words: steps are judged once
// for all of them.
using RuledKey = std::tuple<std::string, std::string, std::string, std::string>;
using Key = std::tuple<std::string, std::string, std::string, std::string, std::string>;

class Curves {
 public:
  void add(const store::Axes& axes, const tasks::Trained& trained) {
    Curve& curve = curves_[{axes.model, axes.dataset, axes.device, axes.binding, how(axes)}];
    for (const auto& point : trained.curve) {
      Point& points = curve[point.epoch];
      if (point.loss) {
        points.losses.push_back(*point.loss);
      }
      if (point.test_accuracy) {
        points.accuracies.push_back(*point.test_accuracy);
      }
      epochs_.insert(point.epoch);
    }
  }

  void add(const store::Axes& axes, const tasks::Judged& judged) {
    Ruled& ruled = ruled_[{axes.model, axes.dataset, axes.device, axes.binding}];
    ++ruled.judged;
    ruled.largest = std::max(ruled.largest, tasks::largest_ratio(judged).value_or(0));
    if (tasks::diverges(judged) && ruled.diverges.empty()) {
      ruled.diverges = judged.where.empty() ? "where is not known" : judged.where;
    }
  }

  // Inferences and verdicts of conform have no curves.
  void add(const store::Axes&, const tasks::Inferred&) {}
  void add(const store::Axes&, const tasks::Conformed&) {}

  [[nodiscard]] std::string to_string() {
    for (const auto& [key, ruled] : ruled_) {
      const auto& [model, dataset, device, binding] = key;
      const auto place = curves_.lower_bound({model, dataset, device, binding, ""});
      if (place == curves_.end() || !is_of(place->first, key)) {
        curves_[{model, dataset, device, binding, "-"}];  // judged, and not trained
      }
    }
    if (curves_.empty()) {
      return {};
    }
    const std::vector<int> shown = shown_epochs();
    std::vector<TextTable::Column> columns = {
        {"MODEL"}, {"DATA SET"}, {"DEVICE"}, {"BINDING"}, {"HOW"}, {"REFEREE"}};
    for (const int epoch : shown) {
      columns.push_back({fmt::format("EPOCH {}", epoch), Align::kRight});
    }
    TextTable table(std::move(columns));
    for (const auto& [key, curve] : curves_) {
      const auto& [model, dataset, device, binding, how] = key;
      std::vector<std::string> cells = {
          model, dataset, device, binding, how, ruling_of({model, dataset, device, binding})};
      for (const int epoch : shown) {
        const auto point = curve.find(epoch);
        cells.push_back(point == curve.end() ? "-" : text_of(point->second));
      }
      table.add(std::move(cells));
    }
    return table.to_string();
  }

 private:
  static std::string how(const store::Axes& axes) {
    return fmt::format("{}, {}, {}", axes.variant, axes.loader, axes.measure);
  }

  static bool is_of(const Key& key, const RuledKey& judged) {
    const auto& [model, dataset, device, binding, how] = key;
    return RuledKey{model, dataset, device, binding} == judged;
  }

  static std::string text_of(const Point& point) {
    std::vector<double> losses = point.losses;
    std::vector<double> accuracies = point.accuracies;
    return fmt::format("{}, {}",
                       losses.empty() ? "-" : fmt::format("{:.4f}", stats::median_in_place(losses)),
                       accuracies.empty()
                           ? "-"
                           : fmt::format("{:.2f} %", stats::median_in_place(accuracies) * 100));
  }

  [[nodiscard]] std::string ruling_of(const RuledKey& key) const {
    const auto found = ruled_.find(key);
    if (found == ruled_.end()) {
      return "not judged";
    }
    const Ruled& ruled = found->second;
    return ruled.diverges.empty() ? fmt::format("rounding ({:.2f} of the bound)", ruled.largest)
                                  : "diverges: " + ruled.diverges;
  }

  // The first, the last, and what lies evenly between.
  [[nodiscard]] std::vector<int> shown_epochs() const {
    std::vector<int> all(epochs_.begin(), epochs_.end());
    if (all.size() <= kMostEpochs) {
      return all;
    }
    std::vector<int> shown;
    shown.reserve(kMostEpochs);
    for (size_t i = 0; i < kMostEpochs; ++i) {
      shown.push_back(all[i * (all.size() - 1) / (kMostEpochs - 1)]);
    }
    return shown;
  }

  std::map<Key, Curve> curves_;
  std::map<RuledKey, Ruled> ruled_;
  std::set<int> epochs_;
};

}  // namespace

Result<std::string> curves_table(const store::StoreReader& store,
                                 const store::StudyId& study,
                                 const std::unordered_set<std::string>& identities) {
  Curves curves;
  CB_TRY(store.for_each_trial(study, [&](const store::TrialRecord& trial) -> Status {
    if (identities.contains(trial.identity) && trial.outcome == store::Outcome::kDone) {
      CB_ASSIGN(const auto measured, tasks::read(trial));
      std::visit([&](const auto& one) { curves.add(trial.axes, one); }, measured);
    }
    return {};
  }));
  return curves.to_string();
}

}  // namespace crossbind::cli
