#include "conform/shrink.h"

#include <numeric>

#include "conform/reduction.h"

namespace crossbind::conform {
namespace {

int64_t elements_of(const tensor::TensorMap& tensors) {
  return std::accumulate(
      tensors.begin(), tensors.end(), int64_t{0}, [](int64_t sum, const auto& entry) {
        return sum + referee::count_of(entry.second.shape());
      });
}

// Fewer layers count for more than fewer numbers.
bool is_smaller(const Case& one, const Case& other) {
  const auto size = [](const Case& subject) {
    return std::pair(subject.model.nodes.size(),
                     elements_of(subject.state) + elements_of(subject.batch));
  };
  return size(one) < size(other);
}

class Search {
 public:
  Search(Case subject, const Diverges& diverges, const OnTry& on_attempt, int limit)
      : found_{std::move(subject)},
        diverges_(diverges),
        on_attempt_(on_attempt),
        limit_(limit) {}

  // Takes the first reduction that still diverges, until none does. Whether there was one.
  template <typename Reduce>
  Result<bool> exhaust(const Reduce& reduce) {
    bool any = false;
    for (bool again = true; again;) {
      CB_ASSIGN(again, take_first(reduce(found_.subject)));
      any = any || again;
    }
    return any;
  }

  [[nodiscard]] bool is_spent() const { return found_.attempts >= limit_; }

  Shrunk take() {
    found_.is_minimal = !is_spent();
    return std::move(found_);
  }

 private:
  Result<bool> take_first(const Reductions& reductions) {
    for (const auto& [words, make] : reductions) {
      auto smaller = make();
      if (!smaller || !is_smaller(*smaller, found_.subject)) {
        continue;
      }
      if (is_spent()) {
        return false;
      }
      CB_ASSIGN(const bool still, diverges_(*smaller));
      ++found_.attempts;
      if (on_attempt_) {
        on_attempt_({found_.attempts, words, still});
      }
      if (still) {
        found_.subject = std::move(*smaller);
        return true;
      }
    }
    return false;
  }

  Shrunk found_;
  const Diverges& diverges_;
  const OnTry& on_attempt_;
  int limit_;
};

}  // namespace

Result<Shrunk> shrink(Case subject,
                      const std::string& layer,
                      const Diverges& diverges,
                      const OnTry& on_attempt,
                      int attempts) {
  Search search(std::move(subject), diverges, on_attempt, attempts);
  for (bool again = true; again && !search.is_spent();) {
    CB_ASSIGN(const bool isolated,
              search.exhaust([&](const Case& now) { return isolations(now, layer); }));
    CB_ASSIGN(const bool dropped, search.exhaust(without_layers));
    CB_ASSIGN(const bool fewer, search.exhaust(smaller_batches));
    CB_ASSIGN(const bool narrower, search.exhaust(smaller_sizes));
    again = isolated || dropped || fewer || narrower;
  }
  return search.take();
}

}  // namespace crossbind::conform
