// The bindings study's claims, held against its published measurements. They are not part of the
// repository: where they are neither beside it nor named by CROSSBIND_PUBLISHED, the test skips and
// says so.
#include <map>

#include "analysis/analysis.h"
#include "claims/analysis_cells.h"
#include "claims/claim_reader.h"
#include "claims/judge.h"
#include "claims/wording.h"
#include "published/import.h"
#include "published_archive.h"
#include "store/memory_store.h"
#include "testing/testing.h"

namespace crossbind::claims {
namespace {

using testing::is_ok;

Result<Cells> published_cells(const std::filesystem::path& directory) {
  CB_TRY(unpack_published(directory));
  store::MemoryStore store;
  CB_TRY(published::import_published(directory, store));
  CB_ASSIGN(const auto found, analysis::analyze(store));
  return cells_of(found);
}

class PublishedClaimsTest : public testing::ScratchTest {};

TEST_F(PublishedClaimsTest, AreDecidedByWhatWasMeasured) {
  if (!std::filesystem::exists(published_archive())) {
    CROSSBIND_SKIP("published", "there is no ../shared/published.tar.xz");
  }
  const auto cells = published_cells(scratch(""));
  ASSERT_THAT(cells, is_ok());
  const auto list = read_claims_file(testing::source_path("claims/bindings-2024.toml"));
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
    std::string verdict(to_string(judged->conclusion));
    if (judged->conclusion == Conclusion::kPartlyMeasured) {
      verdict += judged->holds_so_far ? ", holds" : ", does not hold";
    }
    const auto known = expected.find(claim.id);
    EXPECT_EQ(verdict, known == expected.end() ? "partly measured, holds" : known->second)
        << claim.id << ": " << words.figure << "; " << words.why;
  }
}

}  // namespace
}  // namespace crossbind::claims
