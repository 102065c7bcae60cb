#include "published/file_name.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/named.h"
#include "published/seeds.h"

namespace crossbind::published {
namespace {

constexpr std::array kFolders = {Named<Language>{"py", Language::kPython},
                                 Named<Language>{"dotnet", Language::kCsharp},
                                 Named<Language>{"rs", Language::kRust},
                                 Named<Language>{"ts", Language::kJavascript}};
constexpr std::array kLanguages = {Named<Language>{"python", Language::kPython},
                                   Named<Language>{"csharp", Language::kCsharp},
                                   Named<Language>{"rust", Language::kRust},
                                   Named<Language>{"javascript", Language::kJavascript}};

using trial::Task;
using Words = std::vector<std::string>;

Words split(std::string_view text) {
  Words words;
  while (true) {
    const size_t end = text.find('_');
    words.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return words;
    }
    text.remove_prefix(end + 1);
  }
}

// Takes the prefix off the words, or says that it is not there.
bool take(Words& words, std::initializer_list<std::string_view> prefix) {
  if (words.size() < prefix.size() || !std::equal(prefix.begin(), prefix.end(), words.begin())) {
    return false;
  }
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(prefix.size()));
  return true;
}

std::optional<std::string> device_named(std::string word) {
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  if (word == "cpu") {
    return "cpu";
  }
  const bool numbered = word.starts_with("cuda(") && word.ends_with(")");
  return word == "gpu" || word == "cuda" || numbered ? std::optional("cuda") : std::nullopt;
}

std::optional<size_t> index_named(const std::string& word) {
  const bool is_index =
      word.size() == 1 && word[0] >= '0' && word[0] < static_cast<char>('0' + kSeeds.size());
  return is_index ? std::optional<size_t>(word[0] - '0') : std::nullopt;
}

void note_words(const Words& words, FileName& name) {
  name.scripted = std::ranges::find(words, "scripted") != words.end();
  name.train = std::ranges::find(words, "train") != words.end();
}

std::optional<FileName> indexed(FileKind kind, const Words& words) {
  const auto index = words.size() == 1 ? index_named(words[0]) : std::nullopt;
  return index ? std::optional(FileName{
                     .kind = kind, .index = *index, .device = "cuda", .task = Task::kTrain})
               : std::nullopt;
}

// DEVICE, where it is named; other words; the index.
std::optional<FileName> time_cost(Words words) {
  const auto index = words.empty() ? std::nullopt : index_named(words.back());
  if (!index) {
    return std::nullopt;
  }
  words.pop_back();
  FileName name{
      .kind = FileKind::kTimeCost, .index = *index, .device = "cuda", .task = Task::kTrain};
  if (const auto device = words.empty() ? std::nullopt : device_named(words[0])) {
    name.device = *device;
    words.erase(words.begin());
  }
  note_words(words, name);
  return name;
}

// DEVICE_MODE and other words.
std::optional<FileName> inference(Words words) {
  const auto device = words.size() < 2 ? std::nullopt : device_named(words[0]);
  if (!device || (words[1] != "states" && words[1] != "serialization")) {
    return std::nullopt;
  }
  FileName name{.kind = FileKind::kInference,
                .device = *device,
                .task = words[1] == "states" ? Task::kInferParameters : Task::kInferSerialization};
  note_words(words, name);
  return name;
}

std::optional<FileName> parse_stem(std::string_view stem) {
  Words words = split(stem);
  if (take(words, {"training", "errors"})) {
    return indexed(FileKind::kTrainingCurve, words);
  }
  if (take(words, {"testing", "errors"})) {
    return indexed(FileKind::kTestingCurve, words);
  }
  if (take(words, {"roc", "aucs"})) {
    return indexed(FileKind::kRocAuc, words);
  }
  if (take(words, {"time", "cost"})) {
    return time_cost(std::move(words));
  }
  return take(words, {"deploy", "eval"}) ? inference(std::move(words)) : std::nullopt;
}

std::string_view ending_of(FileKind kind, Language language) {
  const bool is_json =
      kind == FileKind::kRocAuc || (language == Language::kPython &&
                                    (kind == FileKind::kTimeCost || kind == FileKind::kInference));
  return is_json ? ".json" : ".txt";
}

}  // namespace

std::optional<Language> language_of_folder(std::string_view folder) {
  return value_in(kFolders, folder);
}

std::string_view name_of(Language language) {
  return name_in(kLanguages, language);
}

std::optional<FileName> parse_file_name(std::string_view name, Language language) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) {
    return std::nullopt;
  }
  auto parsed = parse_stem(name.substr(0, dot));
  return parsed && name.substr(dot) == ending_of(parsed->kind, language) ? parsed : std::nullopt;
}

}  // namespace crossbind::published
