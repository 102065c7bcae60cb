#include "stats/fixtures.h"

#include "base/file.h"

namespace crossbind::stats {

namespace {

nlohmann::json part_of(const std::string& file, const std::string& part) {
  const std::string folder = CROSSBIND_SOURCE_DIR "/src/stats/testdata/";
  return nlohmann::json::parse(read_file(folder + file).value()).at(part);
}

}  // namespace

nlohmann::json fixtures(const std::string& part) {
  return part_of("fixtures.json", part);
}

nlohmann::json r_fixtures(const std::string& part) {
  return part_of("r_fixtures.json", part);
}

}  // namespace crossbind::stats
