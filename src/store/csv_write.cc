#include <map>
#include <unordered_map>

#include "base/csv.h"
#include "base/file.h"
#include "store/csv_folder.h"
#include "store/csv_formats.h"

namespace crossbind::store {
namespace {

std::string field(std::string_view text) {
  return csv_field(text);
}

// A number; a double in as few digits as give the same number back.
template <typename T>
requires std::is_arithmetic_v<T> std::string field(T number) {
  return fmt::format("{}", number);
}

std::string field(std::chrono::microseconds time) {
  return field(time.count());
}

template <typename T>
std::string field(const std::optional<T>& value) {
  return value ? field(*value) : "";
}

// All files of a folder, none of which is there before commit().
class CsvFolder {
 public:
  static Result<CsvFolder> create(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
      return fail(
          ErrorKind::kIo, "cannot make the folder {}: {}", folder.string(), error.message());
    }
    CsvFolder made;
    for (const CsvFormat* format : kCsvFormats) {
      CB_ASSIGN(auto file, AtomicFile::create(folder / format->file));
      CB_TRY(file.write(fmt::format("{}\n", format->header)));
      made.files_.emplace(format->file, std::move(file));
    }
    return made;
  }

  // Fields as they are to stand there.
  [[nodiscard]] Status row(const CsvFormat& format, const std::vector<std::string>& fields) {
    return files_.at(format.file).write(fmt::format("{}\n", fmt::join(fields, ",")));
  }

  [[nodiscard]] Status commit() {
    for (auto& [name, file] : files_) {
      CB_TRY(file.commit());
    }
    return {};
  }

 private:
  std::map<std::string_view, AtomicFile> files_;  // by name
};

class CsvWriter {
 public:
  explicit CsvWriter(CsvFolder& folder) : folder_(folder) {}

  [[nodiscard]] Status trial(const TrialRecord& trial) {
    const std::string number = field(numbers_.size() + 1);
    numbers_.emplace(trial.identity, number);
    CB_TRY(summary(number, trial));
    CB_TRY(conditions(number, trial));
    return results(number, trial);
  }

  [[nodiscard]] size_t trials() const { return numbers_.size(); }

  // After all trials. One that has come to the study since is left out.
  [[nodiscard]] Status studies(const StoreReader& store) {
    CB_ASSIGN(const auto studies, store.studies());
    int64_t count = 0;
    for (const auto& study : studies) {
      const std::string number = field(++count);
      CB_TRY(
          folder_.row(kStudiesCsv, {number, field(study.record.name), field(study.record.text)}));
      CB_ASSIGN(const auto trials, store.trials(study.id));
      for (const auto& trial : trials) {
        if (const auto found = numbers_.find(trial.identity); found != numbers_.end()) {
          CB_TRY(folder_.row(kStudyTrialsCsv, {number, found->second}));
        }
      }
    }
    return {};
  }

 private:
  Status summary(const std::string& number, const TrialRecord& trial) {
    std::vector<std::string> fields = {number, field(trial.identity)};
    for (const auto& axis : kTextAxes) {
      fields.push_back(field(trial.axes.*axis.field));
    }
    CB_ASSIGN(const std::string host, environment(trial.host));
    CB_ASSIGN(const std::string worker, environment(trial.worker));
    fields.insert(fields.end(),
                  {field(trial.axes.seed),
                   field(trial.axes.repeat),
                   field(name_of(trial.outcome)),
                   field(trial.reason),
                   field(trial.started.time_since_epoch()),
                   field(trial.wall),
                   field(trial.user),
                   field(trial.system),
                   field(trial.peak_memory),
                   host,
                   worker});
    return folder_.row(kTrialsCsv, fields);
  }

  Status conditions(const std::string& number, const TrialRecord& trial) {
    for (const auto& setting : trial.settings) {
      CB_TRY(folder_.row(
          kSettingsCsv,
          {number, field(setting.name), field(setting.requested), field(setting.effective)}));
    }
    for (const auto& [name, value] : trial.facts) {
      CB_TRY(folder_.row(kFactsCsv, {number, field(name), field(value)}));
    }
    return {};
  }

  Status results(const std::string& number, const TrialRecord& trial) {
    for (const auto& point : trial.curve) {
      CB_TRY(folder_.row(kCurvesCsv,
                         {number,
                          field(point.epoch),
                          field(point.loss),
                          field(point.train_accuracy),
                          field(point.test_accuracy)}));
    }
    for (const auto& series : trial.series) {
      CB_TRY(samples(number, series));
    }
    return {};
  }

  Status samples(const std::string& trial, const Series& series) {
    const std::string metric = field(series.metric);
    const std::string epoch = field(series.epoch);
    int64_t step = 0;
    for (const double value : series.values) {
      CB_TRY(folder_.row(kSamplesCsv, {trial, metric, epoch, field(step++), field(value)}));
    }
    return {};
  }

  // An environment's number; one without entries has none.
  Result<std::string> environment(const Environment& environment) {
    if (environment.empty()) {
      return std::string();
    }
    const auto [known, is_new] =
        environments_.try_emplace(sha256_of(environment), environments_.size() + 1);
    std::string number = field(known->second);
    if (is_new) {
      for (const auto& [name, value] : environment) {
        CB_TRY(folder_.row(kEnvironmentsCsv, {number, field(name), field(value)}));
      }
    }
    return number;
  }

  CsvFolder& folder_;
  std::unordered_map<std::string, std::string> numbers_;  // of trials, by identity
  std::unordered_map<std::string, size_t> environments_;  // by hash
};

}  // namespace

Result<size_t> write_csv_folder(const StoreReader& store, const std::filesystem::path& folder) {
  CB_ASSIGN(auto files, CsvFolder::create(folder));
  CsvWriter writer(files);
  CB_TRY(store.for_each_trial(std::nullopt,
                              [&](const TrialRecord& trial) { return writer.trial(trial); }));
  CB_TRY(writer.studies(store));
  CB_TRY(files.commit());
  return writer.trials();
}

}  // namespace crossbind::store
