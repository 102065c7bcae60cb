#include "workers/build_digest.h"

#include <algorithm>
#include <array>

#include "base/digest.h"
#include "base/file.h"
#include "workers/home.h"

namespace crossbind::workers {
namespace {

constexpr std::array<std::string_view, 5> kLeftOut = {
    "tests", "__pycache__", "target", "node_modules", "README.md"};

bool is_left_out(const std::string& name) {
  return name.starts_with('.') || std::ranges::find(kLeftOut, name) != kLeftOut.end();
}

class SourceHash {
 public:
  // A file, a link or a folder with all that is in it, under this name.
  Status add(const std::string& name, const std::filesystem::path& path) {
    std::error_code code;
    const auto status = std::filesystem::symlink_status(path, code);
    if (std::filesystem::is_symlink(status)) {
      add_part("link", name, std::filesystem::read_symlink(path, code).string());
      return {};
    }
    if (!std::filesystem::is_directory(status)) {
      CB_ASSIGN(const MappedFile file, MappedFile::open(path));
      const auto bytes = file.bytes();
      add_part("file", name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      return {};
    }
    std::vector<std::string> entries;
    for (std::filesystem::directory_iterator entry(path, code), end; !code && entry != end;
         entry.increment(code)) {
      if (std::string own = entry->path().filename().string(); !is_left_out(own)) {
        entries.push_back(std::move(own));
      }
    }
    if (code) {
      return tl::unexpected(
          Error{ErrorKind::kIo, "cannot read the folder: " + code.message(), path.string(), {}});
    }
    std::ranges::sort(entries);
    for (const auto& entry : entries) {
      CB_TRY(add(fmt::format("{}/{}", name, entry), path / entry));
    }
    return {};
  }

  // With lengths, so that no two lists of parts read the same.
  void add_part(std::string_view kind, const std::string& name, std::string_view content) {
    update(fmt::format("{} {} {}\n{}", kind, name.size(), content.size(), name));
    update(content);
  }

  std::string hex() { return hash_.hex(); }

 private:
  void update(std::string_view text) { hash_.update(std::as_bytes(std::span(text))); }

  Sha256 hash_;
};

}  // namespace

Result<std::string> folder_digest(const std::filesystem::path& folder) {
  SourceHash hash;
  CB_TRY(hash.add("", folder));
  return hash.hex();
}

Result<std::string> build_digest(const Manifest& manifest, const Places& places) {
  SourceHash hash;
  CB_TRY(hash.add("", manifest.folder));
  for (const auto& source : manifest.sources) {
    CB_TRY(hash.add(source, manifest.folder / source));
  }
  for (const auto& share : manifest.shares) {
    CB_TRY(hash.add("shared/" + share, shared_folder(share, places)));
  }
  constexpr std::string_view kPrograms = "{programs}/";
  if (const std::string& program = manifest.start.front(); program.starts_with(kPrograms)) {
    // A program that is not built yet has no content; the worker is not ready then.
    const auto path = places.programs / program.substr(kPrograms.size());
    const auto content = sha256_file(path);
    hash.add_part("program", program, content ? *content : "");
  }
  return hash.hex();
}

}  // namespace crossbind::workers
