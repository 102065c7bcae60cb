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
  // A part of the measurements is published: what is not decided by it holds as far as it goes.
  const std::map<std::string, std::string> expected = {};
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
