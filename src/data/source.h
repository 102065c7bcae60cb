// Where a data set comes from: a directory, or an archive in any format and compression libarchive
// reads. Both look the same: members, each a name and its bytes. Nothing is unpacked to disk.
// A Debian package counts as the archive inside it, and a member that is itself a compressed file
// (name.gz) as its content (name).
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/progress.h"

namespace crossbind::data {

// The most a member may hold: far above any file of a known data set, far below what fills memory.
inline constexpr size_t kMaximumMember = size_t{1} << 30;

struct Member {
  std::string name;                  // relative, '/' between the parts, without ".gz"
  std::string place;                 // what an error calls it: "archive.tar.xz: train/pos/0_9.txt"
  std::span<const std::byte> bytes;  // valid during the visit only
};

// "place at byte N", the form of every error about the content of a file.
[[nodiscard]] std::string at_byte(const std::string& place, uint64_t offset);

class Source {
 public:
  using Wanted = std::function<bool(std::string_view name)>;
  using Visit = std::function<Status(const Member&)>;

  [[nodiscard]] static Result<Source> open(const std::filesystem::path& path);

  // Visits the wanted members once, in no particular order; unwanted ones are not read. Returns
  // the SHA-256 of the archive file or, for a directory, of the sorted names and contents of what
  // was visited. Stops at the first error.
  [[nodiscard]] Result<std::string> read(const Wanted& wanted,
                                         const Visit& visit,
                                         Progress& progress) const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit Source(std::filesystem::path path, bool directory)
      : path_(std::move(path)),
        directory_(directory) {}

  [[nodiscard]] Result<std::string> read_directory(const Wanted& wanted,
                                                   const Visit& visit,
                                                   Progress& progress) const;

  std::filesystem::path path_;
  bool directory_;
};

}  // namespace crossbind::data
