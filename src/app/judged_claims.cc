#include "app/judged_claims.h"

#include <system_error>

#include "analysis/analysis.h"
#include "claims/analysis_cells.h"
#include "claims/cell_file.h"

namespace crossbind::app {

Result<std::vector<claims::JudgedList>> judge_by_store(std::vector<claims::NamedList> lists,
                                                       const store::StoreReader& store) {
  CB_ASSIGN(const auto analysis, analysis::analyze(store));
  CB_ASSIGN(const auto cells, claims::cells_of(analysis));
  std::vector<claims::JudgedList> judged;
  judged.reserve(lists.size());
  for (auto& list : lists) {
    CB_ASSIGN(auto one, claims::judge_all(std::move(list), cells));
    judged.push_back(std::move(one));
  }
  return judged;
}

Result<std::vector<claims::JudgedList>> judge_by_tables(std::vector<claims::NamedList> lists,
                                                        const std::filesystem::path& folder) {
  std::vector<claims::JudgedList> judged;
  judged.reserve(lists.size());
  for (auto& list : lists) {
    std::error_code ignored;
    const bool has_own = std::filesystem::is_directory(folder / list.name, ignored);
    CB_ASSIGN(const auto cells, claims::read_cell_folder(has_own ? folder / list.name : folder));
    CB_ASSIGN(auto one, claims::judge_all(std::move(list), cells));
    judged.push_back(std::move(one));
  }
  return judged;
}

}  // namespace crossbind::app
