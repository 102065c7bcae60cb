#include "stats/fixtures.h"

#include "base/file.h"

namespace crossbind::stats {

nlohmann::json fixtures(const std::string& part) {
  const std::string folder = CROSSBIND_SOURCE_DIR "/src/stats/testdata/";
  return nlohmann::json::parse(read_file(folder + "fixtures.json").value()).at(part);
}

}  // namespace crossbind::stats
