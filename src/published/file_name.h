// What the name of a published file says: docs/analysis.md lists the forms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "trial/task.h"

namespace crossbind::published {

enum class Language { kPython, kCsharp, kRust, kJavascript };

[[nodiscard]] std::optional<Language> language_of_folder(std::string_view folder);  // "dotnet"
[[nodiscard]] std::string_view name_of(Language language);                          // "csharp"

enum class FileKind { kTrainingCurve, kTestingCurve, kTimeCost, kInference, kRocAuc };

struct FileName {
  FileKind kind = FileKind::kInference;
  size_t index = 0;    // of the seed; not of an inference, which has a model of every seed
  std::string device;  // "cpu" or "cuda"; of an inference or a time
  trial::Task task = trial::Task::kInferParameters;
  bool scripted = false;
  bool train = false;  // the word "train" is in the name
};

// None for a name that means nothing here, or that has the wrong ending for the language.
[[nodiscard]] std::optional<FileName> parse_file_name(std::string_view name, Language language);

}  // namespace crossbind::published
