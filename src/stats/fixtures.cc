#include "stats/fixtures.h"

#include "base/file.h"
#include "testing/testing.h"

namespace crossbind::stats {

namespace {

nlohmann::json part_of(const std::string& file, const std::string& part) {
  const auto path = testing::source_path("src/stats/testdata") / file;
  return nlohmann::json::parse(read_file(path).value()).at(part);
}

}  // namespace

nlohmann::json fixtures(const std::string& part) {
  return part_of("fixtures.json", part);
}

nlohmann::json r_fixtures(const std::string& part) {
  return part_of("r_fixtures.json", part);
}

}  // namespace crossbind::stats
