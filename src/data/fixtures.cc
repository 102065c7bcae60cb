#include "data/fixtures.h"

#include <archive.h>
#include <archive_entry.h>
#include <jpeglib.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "base/file.h"

namespace crossbind::data::fixtures {
namespace {

// A fixture that cannot be made is a broken test: throw, and gtest fails it.
void expect(bool condition, const char* what) {
  if (!condition) {
    throw std::runtime_error(what);
  }
}

std::string big_endian(uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) {
    text += static_cast<char>(value >> shift & 0xFF);
  }
  return text;
}

struct FreeWriter {
  void operator()(::archive* handle) const { archive_write_free(handle); }
};
using Writer = std::unique_ptr<::archive, FreeWriter>;

la_ssize_t append_to_string(::archive*, void* target, const void* data, size_t size) {
  static_cast<std::string*>(target)->append(static_cast<const char*>(data), size);
  return static_cast<la_ssize_t>(size);
}

void add_entry(const Writer& writer, const std::string& name, const std::string& content) {
  const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(),
                                                                            archive_entry_free);
  archive_entry_set_pathname(entry.get(), name.c_str());
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  expect(archive_write_header(writer.get(), entry.get()) == ARCHIVE_OK, "archive header");
  expect(archive_write_data(writer.get(), content.data(), content.size()) ==
             static_cast<la_ssize_t>(content.size()),
         "archive data");
}

void set_format(const Writer& writer, Packing packing) {
  switch (packing) {
    case Packing::kGzip:
      archive_write_set_format_raw(writer.get());
      archive_write_add_filter_gzip(writer.get());
      return;
    case Packing::kZip:
      archive_write_set_format_zip(writer.get());
      return;
    case Packing::kDebian:
      archive_write_set_format_ar_bsd(writer.get());
      return;
    case Packing::kTarGz:
      archive_write_add_filter_gzip(writer.get());
      break;
    case Packing::kTarXz:
      archive_write_add_filter_xz(writer.get());
      break;
    case Packing::kTar:
      break;
  }
  archive_write_set_format_ustar(writer.get());
}

Writer open_writer(std::string& target, Packing packing) {
  Writer writer(archive_write_new());
  set_format(writer, packing);
  archive_write_set_bytes_in_last_block(writer.get(), 1);  // no padding
  expect(
      archive_write_open(writer.get(), &target, nullptr, append_to_string, nullptr) == ARCHIVE_OK,
      "cannot open an archive in memory");
  return writer;
}

}  // namespace

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string idx_images(uint32_t count, uint32_t rows, uint32_t columns) {
  std::string file = big_endian(0x803) + big_endian(count) + big_endian(rows) + big_endian(columns);
  for (uint32_t i = 0; i < count * rows * columns; ++i) {
    file += static_cast<char>(i & 0xFF);
  }
  return file;
}

std::string idx_labels(const std::vector<uint8_t>& labels) {
  return big_endian(0x801) + big_endian(static_cast<uint32_t>(labels.size())) +
         std::string(labels.begin(), labels.end());
}

std::string cifar_batch(const std::vector<uint8_t>& labels) {
  std::string file;
  for (size_t i = 0; i < labels.size(); ++i) {
    file += static_cast<char>(labels[i]);
    for (size_t pixel = 0; pixel < 3072; ++pixel) {
      file += static_cast<char>((i + pixel) & 0xFF);
    }
  }
  return file;
}

std::string jpeg(int width, int height, uint8_t red, uint8_t green, uint8_t blue) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* buffer = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &buffer, &size);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  jpeg_start_compress(&info, TRUE);
  std::vector<uint8_t> row;
  for (int x = 0; x < width; ++x) {
    row.insert(row.end(), {red, green, blue});
  }
  JSAMPROW pointer = row.data();
  while (info.next_scanline < info.image_height) {
    jpeg_write_scanlines(&info, &pointer, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string file(reinterpret_cast<const char*>(buffer), size);
  std::free(buffer);
  return file;
}

std::string gzipped(const std::string& content) {
  std::string result;
  const Writer writer = open_writer(result, Packing::kGzip);
  add_entry(writer, "content", content);
  archive_write_close(writer.get());
  return result;
}

std::string archive(const Files& files, Packing packing) {
  std::string result;
  const Writer writer = open_writer(result, packing);
  if (packing == Packing::kDebian) {
    add_entry(writer, "debian-binary", "2.0\n");
    add_entry(writer, "data.tar.xz", archive(files, Packing::kTarXz));
  } else {
    for (const auto& [name, content] : files) {
      add_entry(writer, name, content);
    }
  }
  archive_write_close(writer.get());
  return result;
}

void write_tree(const std::filesystem::path& root, const Files& files) {
  std::filesystem::create_directories(root);
  for (const auto& [name, content] : files) {
    expect(write_file(root / name, content).has_value(), "cannot write a fixture");
  }
}

DatasetInfo tiny_mnist() {
  DatasetInfo info = find_dataset("mnist").value();
  info.train = 4;
  info.test = 2;
  return info;
}

Files tiny_mnist_files() {
  return {{"train-images-idx3-ubyte", idx_images(4, 28, 28)},
          {"train-labels-idx1-ubyte", idx_labels({5, 0, 4, 1})},
          {"t10k-images-idx3-ubyte", idx_images(2, 28, 28)},
          {"t10k-labels-idx1-ubyte", idx_labels({7, 2})}};
}

}  // namespace crossbind::data::fixtures
