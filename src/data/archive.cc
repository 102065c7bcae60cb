#include "data/archive.h"

#include <archive.h>
#include <archive_entry.h>

#include <memory>

#include "base/text.h"
#include "data/source.h"

namespace crossbind::data {
namespace {

constexpr size_t kBlock = size_t{1} << 18;

struct CloseArchive {
  void operator()(archive* handle) const { archive_read_free(handle); }
};
using Handle = std::unique_ptr<archive, CloseArchive>;

tl::unexpected<Error> bad_archive(const Handle& handle, const std::string& place) {
  const char* reason = archive_error_string(handle.get());
  const auto consumed = archive_filter_bytes(handle.get(), -1);
  return tl::unexpected(Error{ErrorKind::kCorrupt,
                              fmt::format("bad archive: {}", reason == nullptr ? "?" : reason),
                              at_byte(place, consumed < 0 ? 0 : static_cast<uint64_t>(consumed)),
                              "Get the file again; it may be truncated."});
}

// Appends the current member's content to `bytes`.
Status read_content(const Handle& handle,
                    const std::string& place,
                    size_t limit,
                    std::vector<std::byte>& bytes) {
  bytes.clear();
  while (true) {
    // The size in a member's header is a claim: grow with what is really there.
    const size_t used = bytes.size();
    bytes.resize(std::max(used + kBlock, std::min(used * 2, bytes.capacity())));
    const la_ssize_t count = archive_read_data(handle.get(), &bytes[used], bytes.size() - used);
    if (count < 0) {
      return bad_archive(handle, place);
    }
    bytes.resize(used + static_cast<size_t>(count));
    if (bytes.size() > limit) {
      return tl::unexpected(Error{ErrorKind::kCorrupt,
                                  fmt::format("larger than the limit of {}", human_bytes(limit)),
                                  at_byte(place, limit),
                                  {}});
    }
    if (count == 0) {
      return {};
    }
  }
}

Status visit_members(const Handle& handle,
                     const std::string& place,
                     size_t limit,
                     const ArchiveVisitor& visitor) {
  std::vector<std::byte> bytes;
  archive_entry* entry = nullptr;
  while (true) {
    const int code = archive_read_next_header(handle.get(), &entry);
    if (code == ARCHIVE_EOF) {
      return {};
    }
    if (code < ARCHIVE_WARN) {
      return bad_archive(handle, place);
    }
    const char* raw_name = archive_entry_pathname(entry);
    std::string name = raw_name == nullptr ? "" : raw_name;
    if (name.starts_with("./")) {
      name.erase(0, 2);
    }
    if (visitor.consumed) {
      visitor.consumed(static_cast<uint64_t>(archive_filter_bytes(handle.get(), -1)));
    }
    if (archive_entry_filetype(entry) != AE_IFREG || !visitor.wanted(name)) {
      continue;
    }
    CB_TRY(read_content(handle, fmt::format("{}: {}", place, name), limit, bytes));
    CB_TRY(visitor.visit(name, bytes));
  }
}

// All formats but xar and mtree: the one would bring libxml2 and 30 MB of ICU into a program that
// is linked statically, and the other only lists files.
Handle new_reader() {
  Handle handle(archive_read_new());
  archive_read_support_filter_all(handle.get());
  for (const auto support : {archive_read_support_format_7zip,
                             archive_read_support_format_ar,
                             archive_read_support_format_cab,
                             archive_read_support_format_cpio,
                             archive_read_support_format_empty,
                             archive_read_support_format_iso9660,
                             archive_read_support_format_lha,
                             archive_read_support_format_rar,
                             archive_read_support_format_rar5,
                             archive_read_support_format_tar,
                             archive_read_support_format_warc,
                             archive_read_support_format_zip}) {
    support(handle.get());
  }
  return handle;
}

}  // namespace

Status read_archive(const std::filesystem::path& path,
                    size_t limit,
                    const ArchiveVisitor& visitor) {
  const Handle handle = new_reader();
  if (archive_read_open_filename(handle.get(), path.c_str(), kBlock) != ARCHIVE_OK) {
    return bad_archive(handle, path.string());
  }
  return visit_members(handle, path.string(), limit, visitor);
}

Status read_archive(std::span<const std::byte> archive,
                    const std::string& place,
                    size_t limit,
                    const ArchiveVisitor& visitor) {
  const Handle handle = new_reader();
  if (archive_read_open_memory(handle.get(), archive.data(), archive.size()) != ARCHIVE_OK) {
    return bad_archive(handle, place);
  }
  return visit_members(handle, place, limit, visitor);
}

}  // namespace crossbind::data
