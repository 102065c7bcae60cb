#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

#include "base/text.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/text_table.h"
#include "tensor/safetensors.h"

namespace crossbind::cli {
namespace {

std::string tensors_json(const tensor::SafetensorsFile& file) {
  nlohmann::ordered_json tensors = nlohmann::ordered_json::array();
  for (const auto& info : file.tensors()) {
    tensors.push_back({{"name", info.name},
                       {"type", tensor::name_of(info.dtype)},
                       {"shape", info.shape},
                       {"bytes", info.end - info.begin}});
  }
  const nlohmann::ordered_json json = {{"file", file.path().string()},
                                       {"metadata", nlohmann::json(file.metadata())},
                                       {"tensors", std::move(tensors)}};
  return json_text(json);
}

std::string tensors_text(const tensor::SafetensorsFile& file) {
  TextTable table({{"TENSOR"}, {"TYPE"}, {"SHAPE"}, {"BYTES", Align::kRight}});
  uint64_t total = 0;
  for (const auto& info : file.tensors()) {
    total += info.end - info.begin;
    table.add({info.name,
               std::string(tensor::name_of(info.dtype)),
               tensor::to_string(info.shape),
               with_thousands(static_cast<int64_t>(info.end - info.begin))});
  }
  std::string text = table.to_string();
  text += fmt::format("\n{} {}, {}\n",
                      file.tensors().size(),
                      plural(file.tensors().size(), "tensor", "tensors"),
                      human_bytes(total));
  if (!file.metadata().empty()) {
    TextTable metadata({{"METADATA"}, {"VALUE"}});
    for (const auto& [key, value] : file.metadata()) {
      metadata.add({key, value});
    }
    text += "\n" + metadata.to_string();
  }
  return text;
}

struct TensorsOptions {
  std::string file;
  bool json = false;
};

Result<int> list(const std::string& path, bool json) {
  CB_ASSIGN(const auto file, tensor::SafetensorsFile::open(path));
  std::fputs((json ? tensors_json(file) : tensors_text(file)).c_str(), stdout);
  return kSuccess;
}

}  // namespace

void add_tensors_command(Command& program) {
  const auto options = std::make_shared<TensorsOptions>();
  Command command = program.subcommand("tensors", "List what a safetensors file holds");
  command.option("FILE", options->file, "The safetensors file").required();
  command.flag("--json", options->json, "Print JSON");
  command.footer(
      "Example: crossbind tensors lenet5.safetensors\n"
      "Exit codes: 0 listed, 1 the file cannot be read or is corrupt, 2 wrong usage.");
  command.runs([options] { return list(options->file, options->json); });
}

}  // namespace crossbind::cli
