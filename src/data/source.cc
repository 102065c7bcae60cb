#include "data/source.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <future>
#include <vector>

#include "base/digest.h"
#include "base/file.h"
#include "data/archive.h"
#include "data/gzip.h"
#include "data/stage.h"

namespace crossbind::data {
namespace {

constexpr std::string_view kCompressed = ".gz";
constexpr size_t kLargeFile = size_t{1} << 20;  // mapped, and hashed while it is parsed

std::string_view without_gz(std::string_view name) {
  return name.ends_with(kCompressed) ? name.substr(0, name.size() - kCompressed.size()) : name;
}

// Hands a member on, decompressed when it is name.gz.
Status visit_member(std::string_view name,
                    const std::string& place,
                    std::span<const std::byte> bytes,
                    const Source::Visit& visit) {
  const std::string_view plain = without_gz(name);
  if (plain.size() == name.size()) {
    return visit(Member{std::string(name), place, bytes});
  }
  CB_ASSIGN(const auto content, gunzip(bytes, place, kMaximumMember));
  return visit(Member{std::string(plain), place, content});
}

// Reads into a buffer that is kept between files: cheaper than a map for tens of thousands.
// Fails on a file that has grown beyond kLargeFile since it was listed.
Result<std::span<const std::byte>> read_small(const std::filesystem::path& path,
                                              std::vector<std::byte>& buffer) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return fail_errno("cannot open", path.string());
  }
  buffer.resize(kLargeFile);
  size_t used = 0;
  ssize_t count = 1;
  while (count != 0 && used < buffer.size()) {
    count = ::read(fd, &buffer[used], buffer.size() - used);
    if (count < 0 && errno != EINTR) {
      auto error = fail_errno("cannot read", path.string());
      ::close(fd);
      return error;
    }
    used += static_cast<size_t>(std::max<ssize_t>(count, 0));
  }
  ::close(fd);
  if (used == kLargeFile) {
    return tl::unexpected(Error{
        ErrorKind::kIo, "the file is changing while it is read", at_byte(path.string(), used), {}});
  }
  return std::span(buffer).first(used);
}

struct Entry {
  std::string name;
  std::filesystem::path path;
  uint64_t size = 0;
};

Result<std::vector<Entry>> wanted_files(const std::filesystem::path& root,
                                        const Source::Wanted& wanted) {
  std::vector<Entry> entries;
  std::error_code code;
  auto walk = std::filesystem::recursive_directory_iterator(root, code);
  for (; !code && walk != std::filesystem::recursive_directory_iterator(); walk.increment(code)) {
    std::error_code kind;
    if (!walk->is_regular_file(kind)) {
      continue;
    }
    std::string name = walk->path().lexically_relative(root).generic_string();
    if (wanted(without_gz(name))) {
      entries.push_back({std::move(name), walk->path(), walk->file_size(kind)});
    }
  }
  if (code) {
    return tl::unexpected(
        Error{ErrorKind::kIo, "cannot list the directory: " + code.message(), root.string(), {}});
  }
  std::ranges::sort(entries, {}, &Entry::name);
  return entries;
}

// Hashes a file's name and content and hands it on.
Status read_entry(const Entry& entry,
                  std::vector<std::byte>& buffer,
                  Sha256& digest,
                  const Source::Visit& visit) {
  const auto hash = [&](std::span<const std::byte> bytes) {
    const std::string header = fmt::format("{}\n{}\n", entry.name, bytes.size());
    digest.update(std::as_bytes(std::span(header)));
    digest.update(bytes);
  };
  const std::string place = entry.path.string();
  if (entry.size > kMaximumMember) {
    return tl::unexpected(Error{ErrorKind::kCorrupt,
                                "larger than any file of a data set",
                                at_byte(place, kMaximumMember),
                                {}});
  }
  if (entry.size < kLargeFile) {
    CB_ASSIGN(const auto bytes, read_small(entry.path, buffer));
    hash(bytes);
    return visit_member(entry.name, place, bytes, visit);
  }
  CB_ASSIGN(const MappedFile file, MappedFile::open(entry.path));
  const auto hashing = std::async(std::launch::async, hash, file.bytes());
  return visit_member(entry.name, place, file.bytes(), visit);
}

}  // namespace

std::string at_byte(const std::string& place, uint64_t offset) {
  return fmt::format("{} at byte {}", place, offset);
}

Result<Source> Source::open(const std::filesystem::path& path) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (std::filesystem::is_directory(status)) {
    return Source(path, true);
  }
  if (std::filesystem::is_regular_file(status)) {
    CB_TRY(MappedFile::open(path));  // says why, where it cannot be read
    return Source(path, false);
  }
  if (status.type() == std::filesystem::file_type::not_found) {
    return tl::unexpected(
        Error{ErrorKind::kNotFound, "no such file or directory", path.string(), {}});
  }
  return tl::unexpected(
      Error{ErrorKind::kInvalid, "neither a directory nor an archive", path.string(), {}});
}

Result<std::string> Source::read(const Wanted& wanted,
                                 const Visit& visit,
                                 Progress& progress) const {
  if (directory_) {
    return read_directory(wanted, visit, progress);
  }
  std::error_code ignored;
  const uint64_t size = std::filesystem::file_size(path_, ignored);
  Stage stage(progress, "reading " + path_.filename().string(), size, "B");
  ArchiveVisitor members;
  members.wanted = [&](std::string_view name) { return wanted(without_gz(name)); };
  members.visit = [&](const std::string& name, std::vector<std::byte>& bytes) {
    return visit_member(name, path_.string() + ": " + name, bytes, visit);
  };
  ArchiveVisitor outer = members;
  outer.consumed = [&](uint64_t consumed) { stage.advance(consumed); };
  // A Debian package is an ar archive whose data.tar.* holds the files.
  const bool debian = path_.extension() == ".deb";
  if (debian) {
    outer.wanted = [](std::string_view name) { return name.starts_with("data.tar"); };
    outer.visit = [&](const std::string& name, std::vector<std::byte>& bytes) {
      return read_archive(bytes, path_.string() + ": " + name, kMaximumMember, members);
    };
  }
  CB_TRY(read_archive(path_, kMaximumMember, outer));
  stage.advance(size);
  return sha256_file(path_);
}

Result<std::string> Source::read_directory(const Wanted& wanted,
                                           const Visit& visit,
                                           Progress& progress) const {
  CB_ASSIGN(const auto entries, wanted_files(path_, wanted));
  uint64_t total = 0;
  for (const auto& entry : entries) {
    total += entry.size;
  }
  Stage stage(progress, "reading " + path_.filename().string(), total, "B");
  Sha256 digest;
  std::vector<std::byte> buffer;
  uint64_t done = 0;
  for (const auto& entry : entries) {
    CB_TRY(read_entry(entry, buffer, digest, visit));
    stage.advance(done += entry.size);
  }
  return digest.hex();
}

}  // namespace crossbind::data
