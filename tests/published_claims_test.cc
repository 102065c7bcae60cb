// The bindings study's claims, held against its published measurements. They are not part of the
// repository: where they are neither beside it nor named by CROSSBIND_PUBLISHED, the test skips and
// says so.
#include <cstdlib>
#include <map>

#include "analysis/analysis.h"
#include "claims/analysis_cells.h"
#include "claims/claim_reader.h"
#include "claims/judge.h"
#include "claims/wording.h"
#include "data/archive.h"
#include "published/import.h"
#include "store/memory_store.h"
#include "testing/testing.h"

namespace crossbind::claims {
namespace {

using testing::is_ok;

std::filesystem::path archive() {
  const char* named = std::getenv("CROSSBIND_PUBLISHED");
  return named != nullptr ? named : CROSSBIND_SOURCE_DIR "/../shared/published.tar.xz";
}

Result<Cells> published_cells(const std::filesystem::path& directory) {
  CB_TRY(data::read_archive(
      archive(),
      size_t{16} << 20,
      {.wanted = [](std::string_view) { return true; },
       .visit = [&](const std::string& name, std::vector<std::byte>& bytes) -> Status {
         std::filesystem::create_directories((directory / name).parent_path());
         return write_file(directory / name,
                           {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
       },
       .consumed = {}}));
  store::MemoryStore store;
  CB_TRY(published::import_published(directory, store));
  CB_ASSIGN(const auto found, analysis::analyze(store));
  return cells_of(found);
}

class PublishedClaimsTest : public testing::ScratchTest {};

TEST_F(PublishedClaimsTest, AreDecidedByWhatWasMeasured) {
  if (!std::filesystem::exists(archive())) {
    CROSSBIND_SKIP("published", "there is no ../shared/published.tar.xz");
  }
  const auto cells = published_cells(scratch(""));
  ASSERT_THAT(cells, is_ok());
  const auto list = read_claims_file(CROSSBIND_SOURCE_DIR "/claims/bindings-2024.toml");
  ASSERT_THAT(list, is_ok());
  // Not all of the measurements are published: what they do not decide holds as far as they go.
  const std::map<std::string, std::string> expected = {
      {"B1.1", "confirmed"},    {"B1.5", "refuted"},      {"B1.7", "refuted"},
      {"B1.8", "not measured"}, {"B1.9", "refuted"},      {"B1.13", "refuted"},
      {"B2.6", "refuted"},      {"B2.8", "not measured"}, {"B3.2", "refuted"},
      {"B3.7", "not measured"}, {"B3.8", "not measured"}, {"B3.9", "not measured"},
      {"B4.1", "refuted"},      {"B4.2", "confirmed"},    {"B4.4", "refuted"},
      {"B4.5", "refuted"},      {"B4.6", "not measured"}, {"B4.7", "not measured"},
      {"B4.8", "not measured"}, {"B4.9", "not measured"}, {"B4.16", "confirmed"},
      {"B5.2", "confirmed"},    {"B5.3", "not measured"}, {"B5.4", "confirmed"}};
  for (const auto& claim : list->claims) {
    const auto judged = judge(claim, *cells);
    ASSERT_THAT(judged, is_ok()) << claim.id;
    const auto words = wording(claim, *judged);
    std::string verdict(to_string(judged->verdict));
    if (judged->verdict == Verdict::kPartlyMeasured) {
      verdict += judged->holds_so_far ? ", holds" : ", does not hold";
    }
    const auto known = expected.find(claim.id);
    EXPECT_EQ(verdict, known == expected.end() ? "partly measured, holds" : known->second)
        << claim.id << ": " << words.figure << "; " << words.why;
  }
}

}  // namespace
}  // namespace crossbind::claims
