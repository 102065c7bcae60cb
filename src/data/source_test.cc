#include "data/source.h"

#include <map>

#include "base/digest.h"
#include "data/fixtures.h"
#include "testing/testing.h"

namespace crossbind::data {
namespace {

using fixtures::Files;
using fixtures::Packing;
using ::testing::AllOf;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

class SourceTest : public testing::ScratchTest {
 protected:
  // Reads everything wanted; what was visited lands in seen_.
  Result<std::string> read(const std::filesystem::path& path) {
    seen_.clear();
    CB_ASSIGN(const Source source, Source::open(path));
    SilentProgress progress;
    return source.read([](std::string_view name) { return !name.ends_with("unwanted"); },
                       [&](const Member& member) -> Status {
                         seen_[member.name] = {reinterpret_cast<const char*>(member.bytes.data()),
                                               member.bytes.size()};
                         return {};
                       },
                       progress);
  }

  std::filesystem::path file(const std::string& name, const std::string& content) {
    EXPECT_THAT(write_file(scratch(name), content), is_ok());
    return scratch(name);
  }

  Files seen_;
};

const Files kFiles = {{"a/one", "first"}, {"a/b/two", std::string(700'000, 'x')}, {"empty", ""}};

TEST_F(SourceTest, AnArchiveOfAnyKindAndADirectoryGiveTheSameMembers) {
  for (const auto& [name, packing] : {std::pair("x.tar", Packing::kTar),
                                      {"x.tar.gz", Packing::kTarGz},
                                      {"x.tar.xz", Packing::kTarXz},
                                      {"x.zip", Packing::kZip},
                                      {"x.deb", Packing::kDebian}}) {
    const std::string content = fixtures::archive(kFiles, packing);
    const auto digest = read(file(name, content));
    ASSERT_THAT(digest, is_ok()) << name;
    EXPECT_EQ(seen_, kFiles) << name;
    EXPECT_EQ(*digest, sha256_hex(fixtures::bytes_of(content))) << name;
  }
  fixtures::write_tree(scratch("tree"), kFiles);
  ASSERT_THAT(read(scratch("tree")), is_ok());
  EXPECT_EQ(seen_, kFiles);
}

TEST_F(SourceTest, SkipsWhatIsNotWanted) {
  fixtures::write_tree(scratch("tree"), {{"yes", "1"}, {"unwanted", "2"}});
  ASSERT_THAT(read(scratch("tree")), is_ok());
  EXPECT_EQ(seen_, (Files{{"yes", "1"}}));
}

TEST_F(SourceTest, DecompressesMembersThatAreCompressedFiles) {
  const Files files = {{"labels.gz", fixtures::gzipped("content")}};
  fixtures::write_tree(scratch("tree"), files);
  ASSERT_THAT(read(scratch("tree")), is_ok());
  EXPECT_EQ(seen_, (Files{{"labels", "content"}}));
  ASSERT_THAT(read(file("x.tar", fixtures::archive(files, Packing::kTar))), is_ok());
  EXPECT_EQ(seen_, (Files{{"labels", "content"}}));
}

TEST_F(SourceTest, ADirectorysChecksumCoversNamesAndContents) {
  fixtures::write_tree(scratch("a"), {{"x", "1"}, {"y", "2"}});
  fixtures::write_tree(scratch("b"), {{"x", "1"}, {"y", "2"}, {"unwanted", "3"}});
  fixtures::write_tree(scratch("c"), {{"x", "12"}, {"y", ""}});
  fixtures::write_tree(scratch("d"), {{"x", "1"}, {"z", "2"}});
  const std::string digest = read(scratch("a")).value();
  EXPECT_EQ(digest, read(scratch("b")).value());
  EXPECT_NE(digest, read(scratch("c")).value());
  EXPECT_NE(digest, read(scratch("d")).value());
}

TEST_F(SourceTest, NamesATruncatedArchiveAndTheOffset) {
  std::string random(500'000, ' ');
  uint32_t state = 1;
  for (char& c : random) {
    state = state * 1664525 + 1013904223;
    c = static_cast<char>(state >> 24);
  }
  for (const Packing packing : {Packing::kTar, Packing::kTarGz, Packing::kTarXz}) {
    const std::string whole = fixtures::archive({{"data", random}}, packing);
    const auto path = file("cut.tar", whole.substr(0, whole.size() / 2));
    EXPECT_THAT(
        read(path),
        fails_with(AllOf(HasSubstr("cut.tar"), HasSubstr("at byte"), HasSubstr("bad archive"))));
  }
}

TEST_F(SourceTest, NamesATruncatedCompressedMember) {
  const std::string whole = fixtures::gzipped("some text that is long enough to be cut");
  for (size_t size = 0; size < whole.size(); ++size) {
    fixtures::write_tree(scratch("tree"), {{"labels.gz", whole.substr(0, size)}});
    EXPECT_THAT(read(scratch("tree")),
                fails_with(HasSubstr(fmt::format("labels.gz at byte {}: bad gzip", size))));
  }
}

TEST_F(SourceTest, NoticesAWrongChecksumInACompressedMember) {
  std::string file = fixtures::gzipped("some text");
  file[file.size() - 8] = static_cast<char>(~file[file.size() - 8]);
  fixtures::write_tree(scratch("tree"), {{"labels.gz", file}});
  EXPECT_THAT(read(scratch("tree")),
              fails_with(AllOf(HasSubstr("labels.gz at byte"), HasSubstr("incorrect data check"))));
}

TEST_F(SourceTest, SaysWhatIsNoSource) {
  EXPECT_THAT(read(scratch("absent")), fails_with(HasSubstr("no such file or directory")));
  EXPECT_THAT(read(file("text", "just some text")),
              fails_with(AllOf(HasSubstr("text at byte"), HasSubstr("bad archive"))));
}

TEST_F(SourceTest, StopsAtTheVisitorsError) {
  fixtures::write_tree(scratch("tree"), kFiles);
  const auto source = Source::open(scratch("tree")).value();
  SilentProgress progress;
  int visits = 0;
  const auto status = source.read([](std::string_view) { return true; },
                                  [&](const Member&) -> Status {
                                    ++visits;
                                    return fail(ErrorKind::kCorrupt, "no more");
                                  },
                                  progress);
  EXPECT_THAT(status, fails_with("no more"));
  EXPECT_EQ(visits, 1);
}

}  // namespace
}  // namespace crossbind::data
