#include "data/get.h"

#include "base/digest.h"
#include "data/glyphs.h"
#include "data/image_readers.h"
#include "data/imdb.h"
#include "data/manifest.h"
#include "data/squad.h"

namespace crossbind::data {
namespace {

Result<Converted> generate(const DatasetInfo& info, const Workshop& workshop) {
  const auto options = glyphs_from_id(info.id);
  if (!options) {
    return fail(ErrorKind::kInvalid, "'{}' names no glyphs", info.id);
  }
  const std::string recipe =
      fmt::format("train {} test {} seed {}", options->train, options->test, options->seed);
  return Converted{make_glyphs(*options, workshop.threads, workshop.progress),
                   sha256_hex(std::as_bytes(std::span(recipe)))};
}

Result<Converted> convert(const GetRequest& request, const Workshop& workshop) {
  const DatasetInfo& info = request.info;
  Progress& progress = workshop.progress;
  if (info.kind == Kind::kGlyphs) {
    return generate(info, workshop);
  }
  CB_ASSIGN(const Acquired acquired,
            acquire(info, request.from, workshop.cache, workshop.run, progress));
  switch (info.kind) {
    case Kind::kIdx:
      return read_idx(info, acquired.source(), progress);
    case Kind::kCifarBinary:
      return read_cifar_binary(info, acquired.source(), progress);
    case Kind::kImageTree:
      return read_image_tree(info, acquired.source(), progress);
    case Kind::kReviews:
      return read_imdb(info, acquired.source(), progress);
    case Kind::kQuestions:
      return read_squad(info, acquired.source(), request.vocabulary, progress);
    case Kind::kGlyphs:
      break;
  }
  return fail(ErrorKind::kUnsupported, "'{}' cannot be converted", info.id);
}

}  // namespace

Result<GetReport> get_dataset(const GetRequest& request, const Workshop& workshop) {
  const DatasetInfo& info = request.info;
  // What is replaced anyway need not be hashed first.
  const Depth depth = request.force ? Depth::kSizes : Depth::kChecksum;
  const Inspection before = inspect(info, workshop.cache, depth);
  GetReport report;
  report.path = dataset_path(info.id, workshop.cache);
  if (before.state == State::kReady && !request.force) {
    report.outcome = Outcome::kAlreadyThere;
    report.size = before.size;
    report.sha256 = before.sha256;
    return report;
  }
  if (before.state == State::kCorrupt) {
    report.outcome = Outcome::kRebuilt;
    report.corruption = before.reason;
  }
  CB_ASSIGN(Converted converted, convert(request, workshop));
  converted.content.metadata["source_sha256"] = converted.source_sha256;
  CB_ASSIGN(report.sha256, write_content(converted.content, report.path, workshop.progress));
  std::error_code ignored;
  report.size = std::filesystem::file_size(report.path, ignored);
  CB_TRY(write_manifest(
      {kManifestFormat, info.id, converted.source_sha256, report.sha256, report.size},
      manifest_path(info.id, workshop.cache)));
  return report;
}

}  // namespace crossbind::data
