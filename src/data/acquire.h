// Finds or fetches the source of a data set: what the user named, a system package, or the output
// of the command the catalogue gives. Never downloads anything that `get` was not asked for.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "base/progress.h"
#include "data/dataset.h"
#include "data/source.h"
#include "process/command.h"

namespace crossbind::data {

// Runs a program; process::run, or a fake of it in tests.
using Runner = std::function<Result<process::Outcome>(const process::Command&)>;

// A source on this machine, with the temporary files behind it: they go when this goes.
class Acquired {
 public:
  Acquired(Source source, std::optional<TemporaryDirectory> directory)
      : source_(std::move(source)),
        directory_(std::move(directory)) {}
  [[nodiscard]] static Acquired downloaded(Source source);

  Acquired(Acquired&& other) noexcept;
  Acquired& operator=(Acquired&&) = delete;
  Acquired(const Acquired&) = delete;
  Acquired& operator=(const Acquired&) = delete;
  ~Acquired();

  [[nodiscard]] const Source& source() const { return source_; }

 private:
  Source source_;
  std::optional<TemporaryDirectory> directory_;
  std::filesystem::path download_;  // removed at the end
};

// `from` is a directory, an archive, an http(s) URL, or empty for the data set's usual source.
// A download that breaks off is kept under <cache>/downloads and taken up again by the next one.
[[nodiscard]] Result<Acquired> acquire(const DatasetInfo& info,
                                       const std::string& from,
                                       const std::filesystem::path& cache,
                                       const Runner& run,
                                       Progress& progress);

}  // namespace crossbind::data
