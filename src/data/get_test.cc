#include "data/get.h"

#include <sys/mount.h>
#include <sys/resource.h>

#include <csignal>

#include "base/digest.h"
#include "data/fixtures.h"
#include "data/manifest.h"
#include "testing/testing.h"

namespace crossbind::data {
namespace {

using fixtures::tiny_mnist;
using fixtures::tiny_mnist_files;
using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;

class GetTest : public testing::ScratchTest {
 protected:
  GetTest() { fixtures::write_tree(scratch("source"), tiny_mnist_files()); }

  Result<GetReport> get(bool force = false) { return get_into(scratch("cache"), force); }
  Result<GetReport> get_into(const std::filesystem::path& cache, bool force = false) {
    const Workshop workshop{cache, process::run, progress_, 1};
    return get_dataset({tiny_mnist(), scratch("source").string(), {}, force}, workshop);
  }
  [[nodiscard]] Inspection check() const {
    return inspect(tiny_mnist(), scratch("cache"), Depth::kChecksum);
  }
  [[nodiscard]] std::filesystem::path data_file() const {
    return dataset_path("mnist", scratch("cache"));
  }
  [[nodiscard]] std::vector<std::string> cached_files() const {
    return files_under(scratch("cache"));
  }
  static std::vector<std::string> files_under(const std::filesystem::path& root) {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root, ignored)) {
      if (!entry.is_directory()) {
        names.push_back(entry.path().filename().string());
      }
    }
    std::ranges::sort(names);
    return names;
  }
  void change_byte(const std::filesystem::path& path, size_t offset) {
    std::string content = read_file(path).value();
    content.at(offset) = static_cast<char>(~content.at(offset));
    ASSERT_THAT(write_file(path, content), is_ok());
  }

  SilentProgress progress_;
};

TEST_F(GetTest, ConvertsOnceAndSaysSo) {
  const auto first = get();
  ASSERT_THAT(first, is_ok());
  EXPECT_EQ(first->outcome, Outcome::kMade);
  EXPECT_EQ(first->sha256, sha256_file(first->path).value());
  EXPECT_EQ(first->size, std::filesystem::file_size(first->path));
  EXPECT_EQ(check().state, State::kReady);
  EXPECT_THAT(cached_files(), ElementsAre("mnist.json", "mnist.safetensors"));
  EXPECT_EQ(get().value().outcome, Outcome::kAlreadyThere);
  EXPECT_EQ(get(true).value().outcome, Outcome::kMade);
}

TEST_F(GetTest, ScalesPixelsByOneRoundedDivision) {
  ASSERT_THAT(get(), is_ok());
  const auto file = tensor::SafetensorsFile::open(data_file()).value();
  const auto pixels = file.values<float>("train.image").value();
  ASSERT_EQ(pixels.size(), 4U * 784);
  for (size_t i = 0; i < pixels.size(); ++i) {
    ASSERT_EQ(pixels[i], static_cast<float>(i % 256) / 255.0F);
  }
  EXPECT_THAT(file.values<int64_t>("train.label").value(), ElementsAre(5, 0, 4, 1));
  EXPECT_EQ(file.metadata().at("name"), "mnist");
}

TEST_F(GetTest, TheSameSourceGivesTheSameBytes) {
  const std::string first = get().value().sha256;
  EXPECT_EQ(get_into(scratch("other")).value().sha256, first);
}

TEST_F(GetTest, AFailingSourceLeavesNothing) {
  fixtures::Files files = tiny_mnist_files();
  files["train-labels-idx1-ubyte"].pop_back();
  fixtures::write_tree(scratch("source"), files);
  EXPECT_THAT(get(), fails_with(HasSubstr("train-labels-idx1-ubyte at byte")));
  EXPECT_THAT(cached_files(), IsEmpty());
}

TEST_F(GetTest, AFailingSourceLeavesTheOldConversionAlone) {
  ASSERT_THAT(get(), is_ok());
  std::filesystem::remove(scratch("source/t10k-images-idx3-ubyte"));
  EXPECT_THAT(get(true), fails_with(HasSubstr("holds no t10k-images-idx3-ubyte")));
  EXPECT_EQ(check().state, State::kReady);
}

TEST_F(GetTest, ACorruptCacheIsNamedAndRebuilt) {
  const std::string good = get().value().sha256;
  change_byte(data_file(), std::filesystem::file_size(data_file()) - 1);
  EXPECT_EQ(check().state, State::kCorrupt);
  EXPECT_THAT(check().reason, AllOf(HasSubstr("mnist.safetensors"), HasSubstr("has SHA-256")));
  const auto report = get();
  ASSERT_THAT(report, is_ok());
  EXPECT_EQ(report->outcome, Outcome::kRebuilt);
  EXPECT_THAT(report->corruption, HasSubstr("has SHA-256"));
  EXPECT_EQ(report->sha256, good);
  EXPECT_EQ(check().state, State::kReady);
}

TEST_F(GetTest, EveryKindOfDamageIsFound) {
  const auto damaged = [&](const std::string& reason, const std::function<void()>& damage) {
    ASSERT_THAT(get(true), is_ok());
    damage();
    EXPECT_EQ(check().state, State::kCorrupt) << reason;
    EXPECT_THAT(check().reason, HasSubstr(reason));
  };
  const auto manifest = manifest_path("mnist", scratch("cache"));
  damaged("bytes, the manifest says", [&] { std::filesystem::resize_file(data_file(), 1000); });
  damaged("cannot be read", [&] { std::filesystem::remove(data_file()); });
  damaged("bad manifest", [&] { ASSERT_THAT(write_file(manifest, "{"), is_ok()); });
  damaged("bad manifest",
          [&] { ASSERT_THAT(write_file(manifest, "{\"format\": \"x\"}"), is_ok()); });
  const auto rewrite = [&](const std::function<void(Manifest&)>& change) {
    Manifest content = read_manifest(manifest).value();
    change(content);
    ASSERT_THAT(write_manifest(content, manifest), is_ok());
  };
  damaged("format 0, expected 'mnist', format 1",
          [&] { rewrite([](Manifest& content) { content.format = 0; }); });
  damaged("was not made from the source",
          [&] { rewrite([](Manifest& content) { content.source = "other"; }); });
}

TEST_F(GetTest, ADataFileWithoutManifestCountsAsAbsent) {
  ASSERT_THAT(get(), is_ok());
  std::filesystem::remove(manifest_path("mnist", scratch("cache")));
  EXPECT_EQ(check().state, State::kAbsent);
  EXPECT_EQ(get().value().outcome, Outcome::kMade);
}

// Files of this process may not grow beyond a size, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit old_{};
};

TEST_F(GetTest, AWriteThatFailsHalfWayNamesTheFileAndLeavesNothing) {
  {
    const FileSizeLimit limit(4096);
    EXPECT_THAT(get(),
                fails_with(AllOf(HasSubstr("mnist.safetensors"), HasSubstr("cannot write"))));
  }
  EXPECT_THAT(cached_files(), IsEmpty());
}

TEST_F(GetTest, AFullDiskSaysWhatToDoAndLeavesNothing) {
  const auto disk = scratch("disk");
  std::filesystem::create_directories(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=8k") != 0) {
    GTEST_SKIP() << "needs the right to mount a small tmpfs";
  }
  const auto result = get_into(disk);
  const auto left = files_under(disk);
  ::umount(disk.c_str());
  EXPECT_THAT(result, fails_with(AllOf(HasSubstr("No space left"), HasSubstr("CROSSBIND_CACHE"))));
  EXPECT_THAT(left, IsEmpty());
}

TEST_F(GetTest, MakesGlyphsWithoutAnySource) {
  const auto info = find_dataset("glyphs-30-10").value();
  const Workshop workshop{scratch("cache"), process::run, progress_, 1};
  ASSERT_THAT(get_dataset({info, {}, {}, false}, workshop), is_ok());
  const auto dataset = open_dataset("glyphs-30-10", scratch("cache"));
  ASSERT_THAT(dataset, is_ok());
  EXPECT_EQ(dataset->samples("train").value(), 30);
  EXPECT_EQ(dataset->samples("test").value(), 10);
  EXPECT_EQ(datasets_of(scratch("cache")).back().id, "glyphs-30-10");
}

}  // namespace
}  // namespace crossbind::data
