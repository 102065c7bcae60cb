// What the server answers: a pure function of a request and of what is known. Nothing here writes,
// and nothing here is a path of a file system.
#pragma once

#include <atomic>
#include <string_view>
#include <vector>

#include "serve/access.h"
#include "serve/assets.h"
#include "serve/live_store.h"
#include "serve/message.h"
#include "serve/reports.h"

namespace crossbind::serve {

inline constexpr int64_t kMostTrials = 500;  // of a page of a list

// How many may listen to events at a time.
class Seats {
 public:
  explicit Seats(size_t most) : most_(most) {}

  [[nodiscard]] bool take();
  void give_back() { --taken_; }

 private:
  size_t most_;
  std::atomic<size_t> taken_ = 0;
};

struct Site {
  const LiveStore& live;
  Reports& reports;
  const Access& access;
  const std::vector<File>& files;
  Seats& seats;
};

// Every request has an answer.
[[nodiscard]] Response answer(const Request& request, const Site& site);

// A route as openapi.json lists it: "/api/v1/trials/{identity}" and the names of its query
// parameters.
struct RouteEntry {
  std::string_view pattern;
  std::vector<std::string_view> parameters;
};
[[nodiscard]] std::vector<RouteEntry> api_routes();

// Server-sent events.
[[nodiscard]] std::string event_text(std::string_view name, uint64_t id, std::string_view json);
[[nodiscard]] std::string change_event(const Snapshot& snapshot);
[[nodiscard]] std::string report_event(const Reports::Made& made);

}  // namespace crossbind::serve
