#include "crossbind_worker/answer_file.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <fstream>
#include <system_error>

namespace crossbind::worker {
namespace {

// What stands before the numbers, which come in the order of the map.
std::string header_of(const tensor::TensorMap& tensors) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  uint64_t begin = 0;
  for (const auto& [name, tensor] : tensors) {
    const uint64_t end = begin + tensor.view().bytes.size();
    header[name] = {{"dtype", tensor::name_of(tensor.dtype())},
                    {"shape", tensor.shape()},
                    {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // keeps the numbers aligned
  const uint64_t length = text.size();
  text.insert(0, reinterpret_cast<const char*>(&length), sizeof length);
  return text;
}

bool write(const std::filesystem::path& path, const tensor::TensorMap& tensors) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << header_of(tensors);
  for (const auto& [name, tensor] : tensors) {
    const auto bytes = tensor.view().bytes;
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  file.close();
  return file.good();
}

}  // namespace

Status write_answer(const std::filesystem::path& path, const tensor::TensorMap& tensors) {
  // The worker is alone with its requests, and has one at a time: nobody else has this name.
  const std::filesystem::path unfinished =
      path.parent_path() / ("." + path.filename().string() + ".unfinished");
  std::error_code code;
  if (!write(unfinished, tensors)) {
    std::filesystem::remove(unfinished, code);
    return tl::unexpected(Error{ErrorKind::kIo, "cannot write", path.string(), {}});
  }
  std::filesystem::rename(unfinished, path, code);
  if (code) {
    const std::string reason = code.message();
    std::filesystem::remove(unfinished, code);
    return tl::unexpected(Error{ErrorKind::kIo, "cannot write: " + reason, path.string(), {}});
  }
  return {};
}

}  // namespace crossbind::worker
