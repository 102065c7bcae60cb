#include "tensor/safetensors.h"

#include <nlohmann/json.hpp>

#include <bit>
#include <cstring>

namespace crossbind::tensor {

static_assert(std::endian::native == std::endian::little, "safetensors data is little-endian");

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path) {
  CB_ASSIGN(MappedFile mapped, MappedFile::open(path));
  CB_ASSIGN(SafetensorsHeader header, parse_safetensors(mapped.bytes(), path.string()));
  SafetensorsFile file(path, std::move(mapped), std::move(header));
  for (size_t i = 0; i < file.header_.tensors.size(); ++i) {
    const auto& info = file.header_.tensors[i];
    file.index_.emplace(info.name, i);
    const uint64_t offset = file.header_.data_offset + info.begin;
    if (offset % size_of(info.dtype) != 0 && info.end > info.begin) {
      std::vector<uint64_t> copy((info.end - info.begin + 7) / 8);
      std::memcpy(copy.data(), file.file_.bytes().data() + offset, info.end - info.begin);
      file.realigned_.emplace(info.name, std::move(copy));
    }
  }
  return file;
}

Result<TensorView> SafetensorsFile::find(std::string_view name) const {
  const auto position = index_.find(name);
  if (position == index_.end()) {
    return tl::unexpected(
        Error{ErrorKind::kNotFound, fmt::format("no tensor '{}'", name), path_.string(), {}});
  }
  const auto& info = header_.tensors[position->second];
  const size_t size = info.end - info.begin;
  if (const auto copy = realigned_.find(name); copy != realigned_.end()) {
    return TensorView{
        info.dtype, info.shape, {reinterpret_cast<const std::byte*>(copy->second.data()), size}};
  }
  return TensorView{
      info.dtype, info.shape, file_.bytes().subspan(header_.data_offset + info.begin, size)};
}

Result<SafetensorsWriter> SafetensorsWriter::create(const std::filesystem::path& path,
                                                    const std::vector<Entry>& entries,
                                                    const Metadata& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) {
    header["__metadata__"] = metadata;
  }
  uint64_t offset = 0;
  for (const auto& entry : entries) {
    if (header.contains(entry.name)) {
      return fail(ErrorKind::kInvalid, "tensor '{}' is declared twice", entry.name);
    }
    CB_ASSIGN(const int64_t count, element_count(entry.shape));
    const uint64_t end = offset + static_cast<uint64_t>(count) * size_of(entry.dtype);
    header[entry.name] = {
        {"dtype", name_of(entry.dtype)}, {"shape", entry.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // keeps the data part aligned
  CB_ASSIGN(AtomicFile file, AtomicFile::create(path));
  const uint64_t length = text.size();
  text.insert(0, reinterpret_cast<const char*>(&length), sizeof length);
  CB_TRY(file.write(text));
  return SafetensorsWriter(std::move(file), std::move(text), offset);
}

Status SafetensorsWriter::append(std::span<const std::byte> bytes) {
  written_ += bytes.size();
  return file_.write(bytes);
}

Status SafetensorsWriter::finish() {
  if (written_ != expected_) {
    return fail(
        ErrorKind::kInvalid, "{} data bytes were written, {} declared", written_, expected_);
  }
  return file_.commit();
}

Status save_safetensors(const std::filesystem::path& path,
                        const TensorMap& tensors,
                        const Metadata& metadata) {
  // Wide elements first, so that every tensor stays aligned in the file.
  std::vector<std::pair<std::string_view, const Tensor*>> order;
  for (const auto& [name, tensor] : tensors) {
    order.emplace_back(name, &tensor);
  }
  std::ranges::stable_sort(
      order, std::greater{}, [](const auto& item) { return size_of(item.second->dtype()); });
  std::vector<SafetensorsWriter::Entry> entries;
  entries.reserve(order.size());
  for (const auto& [name, tensor] : order) {
    entries.push_back({std::string(name), tensor->dtype(), tensor->shape()});
  }
  CB_ASSIGN(auto writer, SafetensorsWriter::create(path, entries, metadata));
  for (const auto& [name, tensor] : order) {
    CB_TRY(writer.append(tensor->view().bytes));
  }
  return writer.finish();
}

Result<TensorMap> load_safetensors(const std::filesystem::path& path) {
  CB_ASSIGN(const auto file, SafetensorsFile::open(path));
  TensorMap tensors;
  for (const auto& info : file.tensors()) {
    CB_ASSIGN(const TensorView view, file.find(info.name));
    tensors.emplace(info.name, Tensor(view));
  }
  return tensors;
}

}  // namespace crossbind::tensor
