#include "data/image_readers.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>

#include "base/text.h"
#include "data/cifar.h"
#include "data/idx.h"
#include "data/jpeg.h"
#include "tensor/philox.h"

namespace crossbind::data {
namespace {

constexpr std::array<std::string_view, 10> kCifarNames = {
    "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
constexpr int64_t kTrainBatches = 5;

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

tl::unexpected<Error> missing(const Source& source,
                              const std::string& what,
                              const DatasetInfo& info) {
  return tl::unexpected(Error{ErrorKind::kNotFound,
                              fmt::format("holds no {}", what),
                              source.path().string(),
                              "Expected: " + info.expects + "."});
}

Status check_count(const std::string& place,
                   const std::string& what,
                   int64_t actual,
                   int64_t expected) {
  if (expected != 0 && actual != expected) {
    return tl::unexpected(Error{
        ErrorKind::kCorrupt,
        fmt::format(
            "holds {} {}, expected {}", with_thousands(actual), what, with_thousands(expected)),
        place,
        {}});
  }
  return {};
}

Status expect_size(const DatasetInfo& info, const Images& images, const std::string& place) {
  const tensor::Shape actual = {images.channels, images.height, images.width};
  if (actual != info.input) {
    return tl::unexpected(Error{
        ErrorKind::kCorrupt,
        fmt::format(
            "images are {}, expected {}", tensor::to_string(actual), tensor::to_string(info.input)),
        place,
        {}});
  }
  return {};
}

void append(Pixels& pixels, std::span<const std::byte> bytes) {
  const auto* first = reinterpret_cast<const uint8_t*>(bytes.data());
  pixels.insert(pixels.end(), first, first + bytes.size());
}

// The two files of a split, filled as the source gives them.
struct IdxSplit {
  std::string name;
  std::string prefix;  // of the file names
  int64_t expected = 0;
  Images images;
  std::string image_place;
  std::string label_place;

  [[nodiscard]] std::string image_file() const { return prefix + "-images-idx3-ubyte"; }
  [[nodiscard]] std::string label_file() const { return prefix + "-labels-idx1-ubyte"; }

  Status take(const DatasetInfo& info, const Member& member) {
    if (file_name(member.name) == image_file()) {
      CB_ASSIGN(const IdxImages parsed, parse_idx_images(member.bytes, member.place));
      CB_TRY(check_count(at_byte(member.place, 4), "images", parsed.count, expected));
      images.channels = 1;
      images.height = parsed.rows;
      images.width = parsed.columns;
      CB_TRY(expect_size(info, images, at_byte(member.place, 8)));
      images.pixels.clear();
      append(images.pixels, parsed.pixels);
      image_place = member.place;
    } else if (file_name(member.name) == label_file()) {
      CB_ASSIGN(const auto labels, parse_idx_labels(member.bytes, info.classes, member.place));
      images.labels.clear();
      for (const std::byte label : labels) {
        images.labels.push_back(std::to_integer<int64_t>(label));
      }
      label_place = member.place;
    }
    return {};
  }

  Status check(const DatasetInfo& info, const Source& source) const {
    if (image_place.empty()) {
      return missing(source, image_file(), info);
    }
    if (label_place.empty()) {
      return missing(source, label_file(), info);
    }
    const auto count = static_cast<int64_t>(images.pixels.size()) / (images.height * images.width);
    return check_count(
        at_byte(label_place, 4), "labels", static_cast<int64_t>(images.labels.size()), count);
  }
};

tensor::Metadata metadata_of(const DatasetInfo& info) {
  return {{"name", info.id}, {"classes", std::to_string(info.classes)}, {"scale", "0..1"}};
}

// "cifar/train/bird/0001.jpg" -> split, class, file; nothing when the name has another form.
struct TreeName {
  std::string split;
  int64_t label = 0;
  std::string file;
};

std::optional<TreeName> parse_tree_name(std::string_view name) {
  const size_t file = name.rfind('/');
  if (file == std::string_view::npos || file == 0 || !name.ends_with(".jpg")) {
    return std::nullopt;
  }
  const size_t folder = name.rfind('/', file - 1);
  if (folder == std::string_view::npos) {
    return std::nullopt;
  }
  const auto class_name = name.substr(folder + 1, file - folder - 1);
  const auto found = std::ranges::find(kCifarNames, class_name);
  const std::string_view split = file_name(name.substr(0, folder));
  if (found == kCifarNames.end() || (split != "train" && split != "test")) {
    return std::nullopt;
  }
  return TreeName{
      std::string(split), found - kCifarNames.begin(), std::string(name.substr(file + 1))};
}

// The decoded images of a split, by class and name: a map sorts them whatever the archive's order.
using Tree = std::map<std::pair<int64_t, std::string>, Pixels>;

Images in_fixed_order(const Tree& tree, const std::string& split, const DatasetInfo& info) {
  std::vector<const Tree::value_type*> samples;
  for (const auto& sample : tree) {
    samples.push_back(&sample);
  }
  Images images{info.input[0], info.input[1], info.input[2], {}, {}};
  for (const int64_t i : fixed_order(split, samples.size())) {
    const auto& [key, pixels] = *samples[static_cast<size_t>(i)];
    images.labels.push_back(key.first);
    images.pixels.insert(images.pixels.end(), pixels.begin(), pixels.end());
  }
  return images;
}

}  // namespace

std::vector<int64_t> fixed_order(const std::string& split, size_t samples) {
  std::vector<int64_t> order(samples);
  std::iota(order.begin(), order.end(), int64_t{0});
  // Any fixed stream does, as long as it stays the same for ever.
  tensor::PhiloxStream stream(0, tensor::Purpose::kSampleOrder, split == "train" ? 0 : 1);
  tensor::shuffle(order, stream);
  return order;
}

Result<Converted> read_idx(const DatasetInfo& info, const Source& source, Progress& progress) {
  IdxSplit train{"train", "train", info.train, {}, {}, {}};
  IdxSplit test{"test", "t10k", info.test, {}, {}, {}};
  const auto wanted = [&](std::string_view name) {
    const auto file = file_name(name);
    return file == train.image_file() || file == train.label_file() || file == test.image_file() ||
           file == test.label_file();
  };
  const auto take = [&](const Member& member) -> Status {
    CB_TRY(train.take(info, member));
    return test.take(info, member);
  };
  Converted result;
  CB_ASSIGN(result.source_sha256, source.read(wanted, take, progress));
  result.content.metadata = metadata_of(info);
  for (IdxSplit* split : {&train, &test}) {
    CB_TRY(split->check(info, source));
    add_images(result.content, split->name, std::move(split->images));
  }
  return result;
}

Result<Converted> read_cifar_binary(const DatasetInfo& info,
                                    const Source& source,
                                    Progress& progress) {
  std::map<std::string, Images> batches;
  for (int64_t i = 1; i <= kTrainBatches; ++i) {
    batches[fmt::format("data_batch_{}.bin", i)];
  }
  batches["test_batch.bin"];
  const auto wanted = [&](std::string_view name) {
    return batches.contains(std::string(file_name(name)));
  };
  const auto take = [&](const Member& member) -> Status {
    const std::string name(file_name(member.name));
    CB_ASSIGN(const auto batch, CifarBatch::parse(member.bytes, member.place));
    const int64_t expected = name.starts_with("test") ? info.test : info.train / kTrainBatches;
    CB_TRY(check_count(at_byte(member.place, member.bytes.size()),
                       "records",
                       static_cast<int64_t>(batch.size()),
                       expected));
    Images& images = batches[name];
    images = {};
    for (size_t i = 0; i < batch.size(); ++i) {
      images.labels.push_back(batch.label(i));
      append(images.pixels, batch.pixels(i));
    }
    return {};
  };
  Converted result;
  CB_ASSIGN(result.source_sha256, source.read(wanted, take, progress));
  Images train{3, kCifarSide, kCifarSide, {}, {}};
  Images test = train;
  for (auto& [name, images] : batches) {  // a map: the training batches come in their order
    if (images.labels.empty()) {
      return missing(source, name, info);
    }
    Images& split = name.starts_with("test") ? test : train;
    split.pixels.insert(split.pixels.end(), images.pixels.begin(), images.pixels.end());
    split.labels.insert(split.labels.end(), images.labels.begin(), images.labels.end());
  }
  result.content.metadata = metadata_of(info);
  result.content.metadata["class_names"] = fmt::format("{}", fmt::join(kCifarNames, " "));
  add_images(result.content, "train", std::move(train));
  add_images(result.content, "test", std::move(test));
  return result;
}

Result<Converted> read_image_tree(const DatasetInfo& info,
                                  const Source& source,
                                  Progress& progress) {
  std::map<std::string, Tree> splits;
  const auto wanted = [](std::string_view name) { return parse_tree_name(name).has_value(); };
  const auto take = [&](const Member& member) -> Status {
    const auto name = parse_tree_name(member.name);
    if (!name) {
      return {};
    }
    Pixels pixels(kCifarPixels);
    CB_TRY(decode_jpeg(member.bytes, kCifarSide, kCifarSide, pixels, member.place));
    const bool fresh =
        splits[name->split].emplace(std::pair(name->label, name->file), std::move(pixels)).second;
    if (!fresh) {
      return tl::unexpected(
          Error{ErrorKind::kCorrupt, "the image is there twice", member.place, {}});
    }
    return {};
  };
  Converted result;
  CB_ASSIGN(result.source_sha256, source.read(wanted, take, progress));
  result.content.metadata = metadata_of(info);
  result.content.metadata["class_names"] = fmt::format("{}", fmt::join(kCifarNames, " "));
  result.content.metadata["order"] = "by class and file name, then a fixed Philox shuffle";
  for (const auto& [split, expected] : {std::pair("train", info.train), {"test", info.test}}) {
    const Tree& tree = splits[split];
    if (tree.empty()) {
      return missing(source, fmt::format("JPEG under {}/CLASS/", split), info);
    }
    CB_TRY(check_count(fmt::format("{}: {}/", source.path().string(), split),
                       "images",
                       static_cast<int64_t>(tree.size()),
                       expected));
    add_images(result.content, split, in_fixed_order(tree, split, info));
  }
  return result;
}

}  // namespace crossbind::data
