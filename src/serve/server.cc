#include "serve/server.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "serve/live_store.h"
#include "serve/reports.h"
#include "serve/routes.h"
#include "store/open.h"

namespace crossbind::serve {
namespace {

constexpr auto kLook = std::chrono::milliseconds(500);  // between looks at the store

uint64_t milliseconds_since_epoch() {
  const auto time = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

// Something to wait for between two looks that can be ended at once.
class Bell {
 public:
  // Whether it has rung within the time.
  bool wait(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return news_.wait_for(lock, time, [this] { return has_rung_; });
  }
  void ring() {
    const std::lock_guard lock(mutex_);
    has_rung_ = true;
    news_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable news_;
  bool has_rung_ = false;
};

class Running {
 public:
  Running(const ServerSettings& settings,
          std::unique_ptr<store::ChangeNotice> notice,
          process::Listener listener)
      : notice_(std::move(notice)),
        live_([place = settings.store] { return store::open_for_reading(place); },
              settings.count_planned,
              milliseconds_since_epoch()),
        reports_(live_, settings.claims),
        access_(settings.access),
        files_(built_in_files()),
        seats_(settings.listeners),
        connections_(
            std::move(listener),
            settings.limits,
            [this](const Request& request) {
              return answer(request, {live_, reports_, access_, files_, seats_});
            },
            [this] { seats_.give_back(); }) {}

  Status serve(int stop_descriptor) {
    CB_TRY(notice_->has_changed());
    CB_TRY(live_.refresh());
    static_cast<void>(reports_.find(""));  // who comes first need not wait for it
    std::thread watching([this] { watch(); });
    std::thread making([this] {
      reports_.keep_making([this](const Reports::Made& made) {
        connections_.publish("report", report_event(made));
      });
    });
    auto ended = connections_.serve(stop_descriptor);
    over_.ring();
    reports_.stop();
    watching.join();
    making.join();
    return ended;
  }

 private:
  void watch() {
    live_.count_planned();
    tell();
    while (!over_.wait(kLook)) {
      const auto changed = notice_->has_changed();
      // A store that is being put in place of another is there at the next look.
      if (changed && *changed && live_.refresh()) {
        tell();
        reports_.look_again();
      }
    }
  }
  void tell() { connections_.publish("change", change_event(*live_.read())); }

  std::unique_ptr<store::ChangeNotice> notice_;
  LiveStore live_;
  Reports reports_;
  Access access_;
  std::vector<File> files_;
  Seats seats_;
  Bell over_;
  Connections connections_;
};

}  // namespace

Status serve_store(const ServerSettings& settings,
                   process::Listener listener,
                   int stop_descriptor) {
  CB_ASSIGN(auto notice, store::watch(settings.store));
  return Running(settings, std::move(notice), std::move(listener)).serve(stop_descriptor);
}

}  // namespace crossbind::serve
