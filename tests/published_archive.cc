#include "published_archive.h"

#include <cstdlib>

#include "base/file.h"
#include "data/archive.h"
#include "testing/testing.h"

namespace crossbind {

std::filesystem::path published_archive() {
  const char* named = std::getenv("CROSSBIND_PUBLISHED");
  return named != nullptr ? named : testing::source_path("../shared/published.tar.xz");
}

Status unpack_published(const std::filesystem::path& directory) {
  return data::read_archive(
      published_archive(),
      size_t{16} << 20,
      {.wanted = [](std::string_view) { return true; },
       .visit = [&](const std::string& name, std::vector<std::byte>& bytes) -> Status {
         std::filesystem::create_directories((directory / name).parent_path());
         return write_file(directory / name,
                           {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
       },
       .consumed = {}});
}

}  // namespace crossbind
