#include "data/acquire.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "data/stage.h"

namespace crossbind::data {
namespace {

// curl: the server refuses, cannot resume, or has nothing beyond what is there already.
constexpr std::array kRefusals = {22, 33, 36};

bool is_url(const std::string& from) {
  return from.starts_with("http://") || from.starts_with("https://");
}

std::string last_line(const std::string& text) {
  const size_t end = text.find_last_not_of(" \r\n");
  if (end == std::string::npos) {
    return "it printed nothing";
  }
  const size_t begin = text.rfind('\n', end);
  return text.substr(begin + 1, end - begin);
}

tl::unexpected<Error> unavailable(const DatasetInfo& info, std::string message) {
  return tl::unexpected(Error{
      ErrorKind::kUnavailable,
      std::move(message),
      info.id,
      fmt::format("Pass it yourself: crossbind dataset get {} --from PATH_OR_URL\n  Expected: {}.",
                  info.id,
                  info.expects)});
}

// Which URL it was is part of the name: a resumed download never mixes two.
std::filesystem::path download_path(const std::string& url, const std::filesystem::path& cache) {
  std::string name = url.substr(0, url.find_first_of("?#"));
  name = name.substr(name.rfind('/') + 1);
  std::ranges::replace_if(
      name,
      [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-';
      },
      '_');
  const std::string digest = sha256_hex(std::as_bytes(std::span(url))).substr(0, 12);
  return cache / "downloads" / fmt::format("{}-{}", digest, name);
}

Result<Acquired> download(const DatasetInfo& info,
                          const std::string& url,
                          const std::filesystem::path& cache,
                          const Runner& run,
                          Progress& progress) {
  const auto target = download_path(url, cache);
  const std::filesystem::path part = target.string() + ".part";
  std::error_code code;
  std::filesystem::create_directories(target.parent_path(), code);
  if (code) {
    return tl::unexpected(Error{ErrorKind::kIo,
                                "cannot create the directory: " + code.message(),
                                target.parent_path().string(),
                                {}});
  }
  process::Command command;
  command.arguments = {"curl",
                       "--fail",
                       "--location",
                       "--continue-at",
                       "-",
                       "--silent",
                       "--show-error",
                       "--proto",
                       "=http,https",
                       "--output",
                       part.string(),
                       "--url",
                       url};
  Stage stage(progress, "downloading " + target.filename().string(), 0, "B");
  const auto report = [&] {
    std::error_code absent;
    const uint64_t size = std::filesystem::file_size(part, absent);
    stage.advance(absent ? 0 : size);
  };
  command.while_running = report;
  auto outcome = run(command);
  if (!outcome) {
    return unavailable(info, "cannot run curl: " + outcome.error().to_string());
  }
  if (outcome->exit_code != 0) {
    if (std::ranges::find(kRefusals, outcome->exit_code) != kRefusals.end()) {
      std::filesystem::remove(part, code);
    }
    return unavailable(info, fmt::format("cannot download {}: {}", url, last_line(outcome->error)));
  }
  report();
  std::filesystem::rename(part, target, code);
  if (code) {
    return tl::unexpected(
        Error{ErrorKind::kIo, "cannot rename: " + code.message(), part.string(), {}});
  }
  CB_ASSIGN(Source source, Source::open(target));
  return Acquired::downloaded(std::move(source));
}

// Runs the catalogue's command in an empty directory and takes the one file it leaves.
Result<Acquired> fetch(const DatasetInfo& info,
                       const std::filesystem::path& cache,
                       const Runner& run,
                       Progress& progress) {
  const std::string& program = info.fetch.front();
  CB_ASSIGN(TemporaryDirectory directory, TemporaryDirectory::create_in(cache / "downloads"));
  process::Command command;
  command.arguments = info.fetch;
  command.directory = directory.path();
  Stage stage(progress, fmt::format("running {}", fmt::join(info.fetch, " ")), 0, "B");
  command.while_running = [&] { stage.advance(0); };
  const auto outcome = run(command);
  if (!outcome) {
    return unavailable(info, fmt::format("{} is needed: {}", program, outcome.error().to_string()));
  }
  if (outcome->exit_code != 0) {
    return unavailable(info,
                       fmt::format("{} failed with exit code {}: {}",
                                   fmt::join(info.fetch, " "),
                                   outcome->exit_code,
                                   last_line(outcome->error)));
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  if (files.size() != 1) {
    return unavailable(info, fmt::format("{} left {} files, not one", program, files.size()));
  }
  std::error_code ignored;
  stage.advance(std::filesystem::file_size(files[0], ignored));
  CB_ASSIGN(Source source, Source::open(files[0]));
  return Acquired(std::move(source), std::move(directory));
}

}  // namespace

Acquired Acquired::downloaded(Source source) {
  Acquired acquired(std::move(source), std::nullopt);
  acquired.download_ = acquired.source_.path();
  return acquired;
}

Acquired::Acquired(Acquired&& other) noexcept
    : source_(std::move(other.source_)),
      directory_(std::move(other.directory_)),
      download_(std::exchange(other.download_, {})) {}

Acquired::~Acquired() {
  if (!download_.empty()) {
    std::error_code ignored;
    std::filesystem::remove(download_, ignored);
  }
}

Result<Acquired> acquire(const DatasetInfo& info,
                         const std::string& from,
                         const std::filesystem::path& cache,
                         const Runner& run,
                         Progress& progress) {
  if (is_url(from)) {
    return download(info, from, cache, run, progress);
  }
  std::error_code ignored;
  const bool installed =
      !info.installed.empty() && std::filesystem::is_directory(info.installed, ignored);
  if (!from.empty() || installed) {
    CB_ASSIGN(Source source, Source::open(from.empty() ? info.installed : from));
    return Acquired(std::move(source), std::nullopt);
  }
  if (info.fetch.empty()) {
    return unavailable(info, "nothing here can fetch it");
  }
  return fetch(info, cache, run, progress);
}

}  // namespace crossbind::data
