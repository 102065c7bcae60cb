#include "app/stores.h"

#include <memory>

#include "published/records.h"
#include "store/csv_folder.h"
#include "store/open.h"

namespace crossbind::app {

Result<std::vector<CountedStudy>> count_studies(const store::StoreReader& store) {
  CB_ASSIGN(auto studies, store.studies());
  std::vector<CountedStudy> counted;
  counted.reserve(studies.size());
  for (auto& study : studies) {
    CB_ASSIGN(const auto trials, store.trials(study.id));
    auto& line = counted.emplace_back(CountedStudy{std::move(study)});
    for (const auto& trial : trials) {
      switch (trial.outcome) {
        case store::Outcome::kDone:
          ++line.done;
          break;
        case store::Outcome::kFailed:
          ++line.failed;
          break;
        case store::Outcome::kUnsupported:
          ++line.unsupported;
          break;
      }
    }
  }
  return counted;
}

Status merge_stores(const std::string& into,
                    const std::vector<std::string>& from,
                    const OnMerged& on_merged) {
  std::vector<std::unique_ptr<store::StoreReader>> sources;
  sources.reserve(from.size());
  for (const auto& place : from) {
    CB_ASSIGN(auto source, store::open_for_reading(place));
    sources.push_back(std::move(source));
  }
  CB_ASSIGN(const auto target, store::open(into));
  for (size_t i = 0; i < sources.size(); ++i) {
    CB_ASSIGN(const auto counts, target->merge(*sources[i]));
    on_merged(from[i], counts);
  }
  return {};
}

Result<store::MergeCounts> import_csv_folder(const std::filesystem::path& folder,
                                             const std::string& into) {
  CB_ASSIGN(const auto from, store::read_csv_folder(folder));
  CB_ASSIGN(const auto target, store::open(into));
  return target->merge(from);
}

Result<PublishedImport> import_published(const std::filesystem::path& folder,
                                         const std::string& into) {
  CB_ASSIGN(auto publication, published::read_published(folder));
  CB_ASSIGN(const auto target, store::open(into));
  PublishedImport imported;
  CB_ASSIGN(imported.report, published::add_published(std::move(publication), *target));
  CB_ASSIGN(auto found, analysis::analyze(*target, store::id_of(published::published_study())));
  imported.contradictions = std::move(found.contradictions);
  return imported;
}

}  // namespace crossbind::app
