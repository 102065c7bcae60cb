// A site of the made-up store of the report's tests, for tests: everything but sockets and threads.
#pragma once

#include "report/made_up.h"
#include "serve/routes.h"
#include "store/memory_store.h"
#include "testing/testing.h"

namespace crossbind::serve {

class MadeUpSite : public ::testing::Test {
 protected:
  explicit MadeUpSite(Access::Rules rules = {}) : access_(std::move(rules)) {
    EXPECT_THAT(report::make_up(store_), testing::is_ok());
    EXPECT_THAT(live_.refresh(), testing::is_ok());
  }

  [[nodiscard]] Response get(const std::string& path, std::vector<Parameter> query = {}) {
    Request request;
    request.path = path;
    request.query = std::move(query);
    request.host = "127.0.0.1:1234";
    return ask(request);
  }
  [[nodiscard]] Response ask(const Request& request) {
    return answer(request, {live_, reports_, access_, files_, seats_});
  }
  // What the threads of a server do: makes the report that was asked for.
  void make_reports() {
    static_cast<void>(reports_.find(""));
    while (reports_.make_next()) {
    }
  }
  [[nodiscard]] std::string study() const { return store_.studies().value().front().id.sha256; }

  store::MemoryStore store_;
  LiveStore live_{[this]() -> Result<std::unique_ptr<store::StoreReader>> {
    return std::make_unique<store::MemoryStore>(store_);
  }};
  Reports reports_{live_, {}};

 private:
  Access access_;
  std::vector<File> files_ = built_in_files();
  Seats seats_{2};
};

}  // namespace crossbind::serve
