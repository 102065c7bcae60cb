#include "tensor/safetensors.h"

#include <rapidcheck/gtest.h>

#include <cstring>

#include "testing/testing.h"

namespace crossbind::tensor {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

// A file with this header and `data` zero bytes after it.
std::string file_with(const std::string& header, size_t data) {
  std::string file(8, '\0');
  const uint64_t length = header.size();
  std::memcpy(file.data(), &length, 8);
  return file + header + std::string(data, '\0');
}

Result<SafetensorsHeader> parse_text(const std::string& file) {
  return parse_safetensors(std::as_bytes(std::span(file)), "hostile.safetensors");
}

class SafetensorsTest : public testing::ScratchTest {};

TEST_F(SafetensorsTest, WritesAndReadsBackEveryTypeItHolds) {
  TensorMap tensors;
  tensors.emplace("byte", Tensor({3}, std::vector<uint8_t>{1, 2, 3}));
  tensors.emplace("weight", Tensor({2, 2}, std::vector<float>{1, -2, 3.5, 4}));
  tensors.emplace("wide", Tensor({1}, std::vector<double>{0.1}));
  tensors.emplace("scalar", Tensor({}, std::vector<int64_t>{9}));
  tensors.emplace("empty", Tensor({0, 4}, std::vector<float>{}));
  ASSERT_THAT(save_safetensors(scratch("t"), tensors, {{"model", "lenet5"}}), is_ok());

  const auto file = SafetensorsFile::open(scratch("t"));
  ASSERT_THAT(file, is_ok());
  EXPECT_EQ(file->metadata().at("model"), "lenet5");
  EXPECT_THAT(file->values<float>("weight").value(), ElementsAre(1, -2, 3.5, 4));
  EXPECT_THAT(file->values<double>("wide").value(), ElementsAre(0.1));
  EXPECT_EQ(file->find("scalar").value().shape, Shape{});
  EXPECT_EQ(load_safetensors(scratch("t")).value().size(), 5U);
}

TEST_F(SafetensorsTest, NamesFileAndTensorInErrors) {
  ASSERT_THAT(save_safetensors(scratch("t"), {{"a", Tensor({1}, std::vector<float>{1})}}, {}),
              is_ok());
  const auto file = SafetensorsFile::open(scratch("t"));
  ASSERT_THAT(file, is_ok());
  EXPECT_THAT(file->find("b"), fails_with(AllOf(HasSubstr("no tensor 'b'"), HasSubstr("/t:"))));
  EXPECT_THAT(file->values<double>("a"),
              fails_with(AllOf(HasSubstr("tensor 'a'"), HasSubstr("holds F32"))));
}

TEST_F(SafetensorsTest, ReadsAnUnalignedForeignFile) {
  // 68-byte header: the data starts at byte 76, and F64 begins at an odd place after one U8.
  std::string text = R"({"u":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                     R"("d":{"dtype":"F64","shape":[1],"data_offsets":[1,9]}})";
  std::string file = file_with(text, 1);
  const double value = 0.1;
  file.append(reinterpret_cast<const char*>(&value), sizeof value);
  ASSERT_THAT(write_file(scratch("odd"), file), is_ok());
  EXPECT_THAT(SafetensorsFile::open(scratch("odd")).value().values<double>("d").value(),
              ElementsAre(0.1));
}

TEST_F(SafetensorsTest, WriterRefusesTooFewBytesAndDuplicateNames) {
  auto writer = SafetensorsWriter::create(scratch("w"), {{"a", DType::kF32, {2}}}, {});
  ASSERT_THAT(writer, is_ok());
  const std::vector<float> one = {1};
  ASSERT_THAT(writer->append(std::span<const float>(one)), is_ok());
  EXPECT_THAT(writer->finish(), fails_with(HasSubstr("4 data bytes were written, 8 declared")));
  EXPECT_FALSE(std::filesystem::exists(scratch("w")));
  EXPECT_THAT(
      SafetensorsWriter::create(scratch("w"), {{"a", DType::kF32, {}}, {"a", DType::kF32, {}}}, {}),
      fails_with(HasSubstr("declared twice")));
}

struct Hostile {
  const char* name;
  std::string file;
  const char* message;
};

class HostileFile : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileFile, IsRefusedByName) {
  const auto header = parse_text(GetParam().file);
  EXPECT_THAT(header,
              fails_with(AllOf(HasSubstr("hostile.safetensors"), HasSubstr(GetParam().message))));
  EXPECT_EQ(header.error().kind, ErrorKind::kCorrupt);
}

std::string one_tensor(const std::string& dtype,
                       const std::string& shape,
                       const std::string& offsets) {
  return R"({"a":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}}";
}

INSTANTIATE_TEST_SUITE_P(
    Safetensors,
    HostileFile,
    ::testing::Values(
        Hostile{"Empty", "", "too short"},
        Hostile{"HugeHeader",
                std::string("\xff\xff\xff\xff\xff\xff\xff\x7f", 8) + "{}",
                "not a safetensors file: header claims 9223372036854775807"},
        Hostile{
            "HeaderPastTheEnd",
            std::string("\x40\0\0\0\0\0\0\0", 8) + "{}",
            "cut short, or not a safetensors file: header claims 64 bytes, the file has 2 left"},
        Hostile{"NotJson", file_with("{nonsense", 0), "not a JSON object"},
        Hostile{"NotAnObject", file_with("[1,2]", 0), "not a JSON object"},
        Hostile{"DeepNesting", file_with(std::string(100000, '['), 0), "nested too deeply"},
        Hostile{"DuplicateTensor",
                file_with(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
                          R"("a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
                          0),
                "duplicate key 'a'"},
        Hostile{"WrongType",
                file_with(one_tensor("F31", "[1]", "[0,4]"), 4),
                "unknown element type 'F31'"},
        Hostile{"ShapeAgainstOffsets",
                file_with(one_tensor("F32", "[3]", "[0,8]"), 8),
                "needs 12 bytes, data_offsets give 8"},
        Hostile{"ShapeOverflow",
                file_with(one_tensor("F32", "[4294967296,4294967296]", "[0,0]"), 0),
                "more elements"},
        Hostile{"ByteOverflow",
                file_with(one_tensor("F64", "[4611686018427387904]", "[0,0]"), 0),
                "more bytes than 2^64"},
        Hostile{"NegativeDimension",
                file_with(one_tensor("F32", "[-1]", "[0,4]"), 4),
                "not a non-negative whole number"},
        Hostile{"FractionalOffset",
                file_with(one_tensor("F32", "[1]", "[0,4.5]"), 4),
                "not a non-negative whole number"},
        Hostile{"BackwardOffsets", file_with(one_tensor("F32", "[1]", "[4,0]"), 4), "begin <= end"},
        Hostile{"OutOfRange",
                file_with(one_tensor("F32", "[2]", "[0,8]"), 4),
                "ends at data byte 8, the file has 4"},
        Hostile{
            "TrailingBytes", file_with(one_tensor("F32", "[1]", "[0,4]"), 6), "2 trailing bytes"},
        Hostile{"Overlap",
                file_with(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                          R"("b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})",
                          6),
                "'b' overlaps"},
        Hostile{"Gap",
                file_with(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                          R"("b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}})",
                          6),
                "2 bytes before tensor 'b'"},
        Hostile{"ExtraKey",
                file_with(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"x":1}})", 0),
                "exactly the keys"},
        Hostile{
            "MetadataNotText", file_with(R"({"__metadata__":{"n":1}})", 0), "'n' is not a string"}),
    [](const auto& hostile) { return hostile.param.name; });

RC_GTEST_PROP(Safetensors, NoMutationOfAGoodFileCrashesTheParser, ()) {
  std::string file = file_with(one_tensor("F32", "[2,3]", "[0,24]"), 24);
  const auto edits = *rc::gen::container<std::vector<std::pair<size_t, char>>>(
      rc::gen::pair(rc::gen::inRange<size_t>(0, file.size()), rc::gen::arbitrary<char>()));
  for (const auto& [position, value] : edits) {
    file[position] = value;
  }
  const auto header = parse_text(file);
  if (header) {
    for (const auto& info : header->tensors) {
      RC_ASSERT(header->data_offset + info.end <= file.size());
    }
  }
}

}  // namespace
}  // namespace crossbind::tensor
