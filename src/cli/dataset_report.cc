#include "cli/dataset_report.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/json_text.h"

namespace crossbind::cli {
namespace {

using data::State;

std::string count(int64_t samples) {
  return samples == 0 ? "?" : with_thousands(samples);
}

size_t widest_id(const std::vector<DatasetLine>& lines) {
  size_t width = 0;
  for (const auto& line : lines) {
    width = std::max(width, line.info.id.size());
  }
  return width;
}

}  // namespace

std::string state_name(const DatasetLine& line) {
  switch (line.inspection.state) {
    case State::kReady:
      return "ready";
    case State::kCorrupt:
      return "corrupt";
    case State::kAbsent:
      break;
  }
  return line.info.is_obtainable() ? "absent" : "unavailable";
}

std::string list_table(const std::vector<DatasetLine>& lines) {
  const size_t width = widest_id(lines);
  std::string text = fmt::format("{:<{}}  {:<11}  {:>8}  {:>8}  {:>10}  {}\n",
                                 "NAME",
                                 width,
                                 "STATE",
                                 "TRAIN",
                                 "TEST",
                                 "SIZE",
                                 "WHAT");
  for (const auto& line : lines) {
    const bool ready = line.inspection.state == State::kReady;
    text += fmt::format("{:<{}}  {:<11}  {:>8}  {:>8}  {:>10}  {}\n",
                        line.info.id,
                        width,
                        state_name(line),
                        count(line.info.train),
                        count(line.info.test),
                        ready ? human_bytes(line.inspection.size) : "-",
                        line.info.title);
  }
  text += "\n";
  for (const auto& line : lines) {
    if (line.inspection.state != State::kReady) {
      text += fmt::format("  {}\n", data::get_command(line.info));
    }
  }
  return text;
}

std::string check_text(const std::vector<DatasetLine>& lines) {
  const size_t width = widest_id(lines);
  std::string text;
  for (const auto& line : lines) {
    std::string state = state_name(line);
    if (line.inspection.state == State::kReady) {
      state = "ok       sha256 " + line.inspection.sha256;
    } else if (line.inspection.state == State::kCorrupt) {
      state = fmt::format("corrupt  {}\n{:<{}}  rebuild it: {}",
                          line.inspection.reason,
                          "",
                          width,
                          data::get_command(line.info));
    }
    text += fmt::format("{:<{}}  {}\n", line.info.id, width, state);
  }
  return text;
}

std::string datasets_json(const std::vector<DatasetLine>& lines,
                          const std::filesystem::path& cache) {
  using Json = nlohmann::ordered_json;
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Json() : Json(text);
  };
  Json list = Json::array();
  for (const auto& line : lines) {
    list.push_back({{"name", line.info.id},
                    {"title", line.info.title},
                    {"state", state_name(line)},
                    {"classes", line.info.classes},
                    {"input", line.info.input},
                    {"train", line.info.train},
                    {"test", line.info.test},
                    {"path", data::dataset_path(line.info.id, cache).string()},
                    {"size", line.inspection.size},
                    {"sha256", text_or_null(line.inspection.sha256)},
                    {"reason", text_or_null(line.inspection.reason)},
                    {"get", data::get_command(line.info)}});
  }
  // A path may hold bytes that are not UTF-8: replaced, not thrown at the user.
  return json_text(list);
}

}  // namespace crossbind::cli
