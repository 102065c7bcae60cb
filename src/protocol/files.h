// The files and folders that a request names, for whoever has to bring them to where the worker
// runs.
#pragma once

#include <filesystem>
#include <functional>

#include "base/error.h"
#include "protocol/messages.h"

namespace crossbind::protocol {

enum class FileUse {
  kRead,     // is there, for the worker to read
  kWritten,  // the worker writes it, and crossbind reads it after the reply
  kScratch,  // the worker's own
};

// May put another path in the place of each; the first error ends it.
using OnFile = std::function<Status(std::filesystem::path& path, FileUse use)>;
[[nodiscard]] Status for_each_file(Request& request, const OnFile& on_file);

}  // namespace crossbind::protocol
