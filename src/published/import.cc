#include "published/import.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/file.h"
#include "published/records.h"

namespace crossbind::published {
namespace {

namespace fs = std::filesystem;

using trial::Task;

constexpr std::array<std::string_view, 2> kFrameworks = {"tensorflow", "pytorch"};
constexpr std::array kAllLanguages = {
    Language::kPython, Language::kCsharp, Language::kRust, Language::kJavascript};
constexpr std::array<const char*, 2> kDevices = {"cpu", "cuda"};
constexpr std::array kInferenceTasks = {Task::kInferParameters, Task::kInferSerialization};

struct File {
  fs::path path;
  FileName name;

  // "Where several match, the one named scripted and not train."
  [[nodiscard]] int preference() const { return (name.scripted ? 1 : 0) - (name.train ? 2 : 0); }
};

Result<std::vector<fs::path>> sorted_entries(const fs::path& directory) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    entries.push_back(entry->path());
  }
  if (error) {
    return tl::unexpected(
        Error{ErrorKind::kIo, "cannot be listed: " + error.message(), directory.string(), {}});
  }
  std::ranges::sort(entries);
  return entries;
}

// The files of one cell, each read and put where it belongs.
class CellReader {
 public:
  CellReader(Cell cell, ImportReport& report, std::vector<store::TrialRecord>& trials)
      : cell_(std::move(cell)),
        report_(report),
        trials_(trials) {}

  Status read(const fs::path& directory) {
    CB_ASSIGN(const auto entries, sorted_entries(directory));
    for (const auto& path : entries) {
      const auto name = fs::is_regular_file(path)
                            ? parse_file_name(path.filename().string(), cell_.language)
                            : std::nullopt;
      if (!name) {
        report_.unknown.push_back(path.string());
        continue;
      }
      files_[key_of(*name)].push_back({path, *name});
    }
    for (auto& [key, files] : files_) {
      read_best(files);
    }
    return {};
  }

  // After all files: the trials they make up, and those that there is no file of.
  void finish() {
    for (const auto& [key, training] : trainings_) {
      if (!training.empty()) {
        trials_.push_back(training_record(cell_, key.first, key.second, training));
        ++report_.trainings;
      }
    }
    const bool trains = std::ranges::any_of(files_, [](const auto& entry) {
      return std::get<1>(entry.first) == trial::word_of(Task::kTrain).name;
    });
    if (!trains) {
      add_unsupported("cuda", Task::kTrain);
    }
    for (const auto* device : kDevices) {
      for (const Task task : kInferenceTasks) {
        if (!files_.contains(
                key_of({.kind = FileKind::kInference, .device = device, .task = task}))) {
          add_unsupported(device, task);
        }
      }
    }
  }

 private:
  using Key = std::tuple<std::string, std::string_view, FileKind, size_t>;

  static Key key_of(const FileName& name) {
    return {name.device, trial::word_of(name.task).name, name.kind, name.index};
  }

  void add_unsupported(const char* device, Task task) {
    trials_.push_back(unsupported_record(cell_, device, task));
    ++report_.unsupported;
  }

  void read_best(std::vector<File>& files) {
    std::ranges::stable_sort(files, std::ranges::greater(), &File::preference);
    for (size_t i = 1; i < files.size(); ++i) {
      report_.passed_over.push_back(files[i].path.string());
    }
    if (auto status = read_file_of(files.front()); !status) {
      Error error = std::move(status).error();
      // The path in front of the line, as editors take it.
      constexpr std::string_view kLine = "line ";
      const std::string path = files.front().path.string();
      error.where = error.where.starts_with(kLine)
                        ? fmt::format("{}:{}", path, error.where.substr(kLine.size()))
                        : path;
      report_.unreadable.push_back(error.to_string());
      return;
    }
    ++report_.files;
  }

  Status read_file_of(const File& file) {
    CB_ASSIGN(const std::string text, read_file(file.path));
    const auto& name = file.name;
    if (name.kind == FileKind::kInference) {
      CB_ASSIGN(const auto inference, read_inference(text, cell_.language));
      trials_.push_back(inference_record(cell_, name.device, name.task, inference));
      ++report_.inferences;
      return {};
    }
    auto& training = trainings_[{name.device, name.index}];
    switch (name.kind) {
      case FileKind::kTrainingCurve: {
        CB_ASSIGN(training.train_accuracy, read_curve(text, epochs_of(cell_.model)));
        break;
      }
      case FileKind::kTestingCurve: {
        CB_ASSIGN(training.test_accuracy, read_curve(text, epochs_of(cell_.model)));
        break;
      }
      case FileKind::kTimeCost: {
        CB_ASSIGN(training.cost, read_time_cost(text, cell_.language));
        break;
      }
      case FileKind::kRocAuc: {
        CB_ASSIGN(training.roc, read_roc_auc(text));
        break;
      }
      case FileKind::kInference:
        break;
    }
    return {};
  }

  Cell cell_;
  ImportReport& report_;
  std::vector<store::TrialRecord>& trials_;
  std::map<Key, std::vector<File>> files_;
  std::map<std::pair<std::string, size_t>, TrainingFiles> trainings_;  // by device and index
};

class Tree {
 public:
  Status read(const fs::path& root) {
    CB_ASSIGN(const auto entries, sorted_entries(root));
    bool known = false;
    for (const auto& path : entries) {
      if (fs::is_directory(path) && is_framework(path.filename().string())) {
        known = true;
        CB_TRY(read_framework(path));
      } else {
        report.unknown.push_back(path.string());
      }
    }
    if (!known) {
      return tl::unexpected(Error{ErrorKind::kNotFound,
                                  "has neither a folder tensorflow nor a folder pytorch",
                                  root.string(),
                                  "Name the folder 'published', or the one that it is in."});
    }
    return {};
  }

  ImportReport report;
  std::vector<store::TrialRecord> trials;

 private:
  static bool is_framework(const std::string& name) {
    return std::ranges::find(kFrameworks, name) != kFrameworks.end();
  }

  Status read_framework(const fs::path& framework) {
    CB_ASSIGN(const auto entries, sorted_entries(framework));
    for (const auto& path : entries) {
      if (!fs::is_directory(path)) {
        report.unknown.push_back(path.string());
        continue;
      }
      CB_TRY(read_model(framework.filename().string(), path));
    }
    return {};
  }

  // A folder is a model's when a language's folder is in it.
  Status read_model(const std::string& framework, const fs::path& model) {
    CB_ASSIGN(const auto entries, sorted_entries(model));
    std::map<Language, fs::path> folders;
    std::vector<std::string> others;
    for (const auto& path : entries) {
      const auto language =
          fs::is_directory(path) ? language_of_folder(path.filename().string()) : std::nullopt;
      if (language) {
        folders[*language] = path;
      } else {
        others.push_back(path.string());
      }
    }
    if (folders.empty()) {
      report.unknown.push_back(model.string());
      return {};
    }
    report.unknown.insert(report.unknown.end(), others.begin(), others.end());
    for (const auto language : kAllLanguages) {
      CellReader reader({framework, model.filename().string(), language}, report, trials);
      if (folders.contains(language)) {
        CB_TRY(reader.read(folders[language]));
      }
      reader.finish();
    }
    return {};
  }
};

Status add(const store::StudyId& study,
           const store::TrialRecord& trial,
           store::ResultStore& store,
           ImportReport& report) {
  CB_ASSIGN(const auto stored, store.find_trial(trial.identity));
  if (!stored) {
    ++report.added;
    return store.add_trial(study, trial);
  }
  ++report.already_there;
  store::TrialRecord sorted = trial;
  store::sort_parts(sorted);
  if (*stored != sorted) {
    report.different.push_back(fmt::format("{} {} {} {} seed {}",
                                           trial.axes.binding,
                                           trial.axes.model,
                                           trial.axes.device,
                                           trial.axes.task,
                                           trial.axes.seed));
  }
  return store.link_trial(study, trial.identity);
}

}  // namespace

Result<Publication> read_published(const fs::path& directory) {
  Tree tree;
  CB_TRY(
      tree.read(fs::is_directory(directory / "published") ? directory / "published" : directory));
  return Publication{std::move(tree.report), std::move(tree.trials)};
}

Result<ImportReport> add_published(Publication publication, store::ResultStore& store) {
  const auto add_all = [&]() -> Status {
    CB_ASSIGN(const auto study, store.add_study(published_study()));
    for (const auto& trial : publication.trials) {
      CB_TRY(add(study, trial, store, publication.report));
    }
    return {};
  };
  CB_TRY(store.transact(add_all));
  return std::move(publication.report);
}

Result<ImportReport> import_published(const fs::path& directory, store::ResultStore& store) {
  CB_ASSIGN(auto publication, read_published(directory));
  return add_published(std::move(publication), store);
}

}  // namespace crossbind::published
