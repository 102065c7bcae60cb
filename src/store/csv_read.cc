#include <charconv>
#include <unordered_map>

#include "base/csv.h"
#include "base/file.h"
#include "store/csv_folder.h"
#include "store/csv_formats.h"

namespace crossbind::store {
namespace {

using std::chrono::microseconds;

// A row whose fields are read one after the other; the first that is wrong is the error.
class Fields {
 public:
  Fields(const CsvFormat& format, const CsvRow& row) : format_(format), row_(row) {}

  std::string text() { return row_.fields[next_++]; }

  template <typename T>
  T number() {
    const std::string& field = row_.fields[next_];
    T value{};
    const char* end = field.data() + field.size();
    const auto [stopped, error] = std::from_chars(field.data(), end, value);
    if (field.empty() || error != std::errc() || stopped != end) {
      note("is not a number, or none of its size");
    }
    ++next_;
    return value;
  }

  template <typename T>
  std::optional<T> optional_number() {
    if (row_.fields[next_].empty()) {
      ++next_;
      return std::nullopt;
    }
    return number<T>();
  }

  std::optional<microseconds> optional_time() {
    const auto count = optional_number<int64_t>();
    return count ? std::optional(microseconds(*count)) : std::nullopt;
  }

  // What the field names; nothing, which is an error, where it names nothing.
  template <typename Map>
  const typename Map::mapped_type* known(const Map& map) {
    const auto found = map.find(row_.fields[next_]);
    if (found == map.end()) {
      note("names nothing that is there");
    }
    ++next_;
    return found == map.end() ? nullptr : &found->second;
  }

  Outcome outcome() {
    const auto outcome = outcome_from(row_.fields[next_]);
    if (!outcome) {
      note("is not done, unsupported or failed");
    }
    ++next_;
    return outcome.value_or(Outcome::kFailed);
  }

  [[nodiscard]] Status status() const { return status_; }

 private:
  void note(std::string_view what) {
    if (status_) {
      status_ = fail(ErrorKind::kCorrupt,
                     "{}:{}: '{}' in column {} {}",
                     format_.file,
                     row_.line,
                     row_.fields[next_],
                     next_ + 1,
                     what);
    }
  }

  const CsvFormat& format_;
  const CsvRow& row_;
  size_t next_ = 0;
  Status status_;
};

class CsvReader {
 public:
  explicit CsvReader(const std::filesystem::path& folder) : folder_(folder) {}

  Result<MemoryStore> run() {
    CB_TRY(read_environments());
    CB_TRY(read_trials());
    CB_TRY(read_parts());
    CB_TRY(read_studies());
    CB_TRY(add_trials());
    return std::move(store_);
  }

 private:
  template <typename Take>
  Status each_row(const CsvFormat& format, const Take& take) {
    CB_ASSIGN(const auto text, read_file(folder_ / format.file));
    auto rows = parse_csv(text);
    if (!rows) {
      return tl::unexpected(std::move(rows.error()).at((folder_ / format.file).string()));
    }
    if (rows->empty() || fmt::format("{}", fmt::join(rows->front().fields, ",")) != format.header) {
      return fail(ErrorKind::kCorrupt, "{}:1: expected {}", format.file, format.header);
    }
    const size_t columns = rows->front().fields.size();
    for (auto row = rows->begin() + 1; row != rows->end(); ++row) {
      if (row->fields.size() != columns) {
        return fail(ErrorKind::kCorrupt,
                    "{}:{}: {} fields where {} were expected",
                    format.file,
                    row->line,
                    row->fields.size(),
                    columns);
      }
      Fields fields(format, *row);
      take(fields);
      CB_TRY(fields.status());
    }
    return {};
  }

  Status read_environments() {
    environments_[""] = {};  // one without entries
    return each_row(kEnvironmentsCsv, [&](Fields& fields) {
      Environment& environment = environments_[fields.text()];
      const std::string name = fields.text();
      environment[name] = fields.text();
    });
  }

  Status read_trials() {
    return each_row(kTrialsCsv, [&](Fields& fields) {
      trial_of_.emplace(fields.text(), trials_.size());
      TrialRecord& trial = trials_.emplace_back();
      trial.identity = fields.text();
      for (const auto& axis : kTextAxes) {
        trial.axes.*axis.field = fields.text();
      }
      trial.axes.seed = fields.number<uint32_t>();
      trial.axes.repeat = fields.number<int>();
      trial.outcome = fields.outcome();
      trial.reason = fields.text();
      trial.started = Time(microseconds(fields.number<int64_t>()));
      trial.wall = fields.optional_time();
      trial.user = fields.optional_time();
      trial.system = fields.optional_time();
      trial.peak_memory = fields.optional_number<uint64_t>();
      trial.host = environment_at(fields);
      trial.worker = environment_at(fields);
    });
  }

  // What belongs to trials, of which each row names one first. A row that names none is an error
  // and goes to a trial that nobody looks at.
  Status read_parts() {
    CB_TRY(each_row(kSettingsCsv, [&](Fields& fields) {
      auto& settings = trial_at(fields).settings;
      auto& setting = settings.emplace_back();
      setting.name = fields.text();
      setting.requested = fields.text();
      setting.effective = fields.text();
    }));
    CB_TRY(each_row(kFactsCsv, [&](Fields& fields) {
      auto& facts = trial_at(fields).facts;
      const std::string name = fields.text();
      facts[name] = fields.text();
    }));
    CB_TRY(each_row(kCurvesCsv, [&](Fields& fields) {
      auto& point = trial_at(fields).curve.emplace_back();
      point.epoch = fields.number<int>();
      point.loss = fields.optional_number<double>();
      point.train_accuracy = fields.optional_number<double>();
      point.test_accuracy = fields.optional_number<double>();
    }));
    return each_row(kSamplesCsv, [&](Fields& fields) { sample(fields); });
  }

  // Steps are written in their order.
  void sample(Fields& fields) {
    auto& all = trial_at(fields).series;
    const std::string metric = fields.text();
    const int epoch = fields.number<int>();
    fields.number<size_t>();
    if (all.empty() || all.back().metric != metric || all.back().epoch != epoch) {
      all.push_back({metric, epoch, {}});
    }
    all.back().values.push_back(fields.number<double>());
  }

  TrialRecord& trial_at(Fields& fields) {
    const size_t* place = fields.known(trial_of_);
    return place != nullptr ? trials_[*place] : nobody_;
  }

  Environment environment_at(Fields& fields) {
    const Environment* environment = fields.known(environments_);
    return environment != nullptr ? *environment : Environment();
  }

  Status read_studies() {
    std::unordered_map<std::string, StudyId> studies;
    CB_TRY(each_row(kStudiesCsv, [&](Fields& fields) {
      const std::string number = fields.text();
      StudyRecord record;
      record.name = fields.text();
      record.text = fields.text();
      studies[number] = store_.add_study(record).value();
    }));
    studies_of_.resize(trials_.size());
    return each_row(kStudyTrialsCsv, [&](Fields& fields) {
      const StudyId* study = fields.known(studies);
      const size_t* place = fields.known(trial_of_);
      if (study != nullptr && place != nullptr) {
        studies_of_[*place].push_back(*study);
      }
    });
  }

  Status add_trials() {
    for (size_t i = 0; i < trials_.size(); ++i) {
      if (studies_of_[i].empty()) {
        return fail(ErrorKind::kCorrupt,
                    "trial {} is in no study by study_trials.csv",
                    trials_[i].identity);
      }
      CB_TRY(store_.add_trial(studies_of_[i].front(), trials_[i]));
      for (const auto& study : studies_of_[i]) {
        CB_TRY(store_.link_trial(study, trials_[i].identity));
      }
    }
    return {};
  }

  const std::filesystem::path& folder_;
  std::unordered_map<std::string, Environment> environments_;
  std::vector<TrialRecord> trials_;
  std::unordered_map<std::string, size_t> trial_of_;  // place in trials_, by number
  std::vector<std::vector<StudyId>> studies_of_;      // by place
  TrialRecord nobody_;
  MemoryStore store_;
};

}  // namespace

Result<MemoryStore> read_csv_folder(const std::filesystem::path& folder) {
  return CsvReader(folder).run();
}

}  // namespace crossbind::store
