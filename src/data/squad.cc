#include "data/squad.h"

#include <nlohmann/json.hpp>

#include <map>

#include "base/digest.h"
#include "base/file.h"

namespace crossbind::data {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kTrainFile = "train-v1.1.json";
constexpr std::string_view kDevFile = "dev-v1.1.json";
constexpr std::string_view kVocabularyFile = "vocab.txt";

tl::unexpected<Error> bad(const std::string& place, std::string message) {
  return tl::unexpected(Error{ErrorKind::kCorrupt, std::move(message), place, {}});
}

// A value inside the document that knows its own place: "dev.json: $.data[0].paragraphs[3]".
struct Node {
  const Json* json;
  std::string place;

  [[nodiscard]] Result<Node> member(const char* key, Json::value_t type) const {
    const auto found = json->is_object() ? json->find(key) : json->end();
    if (!json->is_object() || found == json->end()) {
      return bad(place, fmt::format("has no '{}'", key));
    }
    const bool number = type == Json::value_t::number_unsigned;
    if (number ? !found->is_number_unsigned() : found->type() != type) {
      return bad(
          fmt::format("{}.{}", place, key),
          fmt::format("is of type {}, expected {}", found->type_name(), Json(type).type_name()));
    }
    return Node{&*found, fmt::format("{}.{}", place, key)};
  }

  [[nodiscard]] Result<Node> list(const char* key) const {
    return member(key, Json::value_t::array);
  }
  [[nodiscard]] Result<std::string_view> text(const char* key) const {
    CB_ASSIGN(const Node node, member(key, Json::value_t::string));
    return std::string_view(node.json->get_ref<const std::string&>());
  }
  [[nodiscard]] Node at(size_t i) const { return {&(*json)[i], fmt::format("{}[{}]", place, i)}; }
  [[nodiscard]] size_t size() const { return json->size(); }
};

struct Context {
  std::string_view text;
  std::vector<Piece> pieces;
  std::vector<size_t> characters;  // the byte at which each begins
};

struct Range {
  size_t begin = 0;
  size_t end = 0;
};

Result<Range> answer_range(const Node& question, const Context& context) {
  CB_ASSIGN(const Node answers, question.list("answers"));
  if (answers.size() == 0) {
    return bad(answers.place, "is empty");
  }
  const Node answer = answers.at(0);
  CB_ASSIGN(const std::string_view text, answer.text("text"));
  CB_ASSIGN(const Node start, answer.member("answer_start", Json::value_t::number_unsigned));
  const auto first = start.json->get<uint64_t>();
  const uint64_t length = code_points(text).size() - 1;
  const uint64_t present = context.characters.size() - 1;
  if (length == 0 || first >= present || length > present - first) {
    return bad(start.place,
               fmt::format("the answer, {} characters from {}, is not inside the context of {}",
                           length,
                           first,
                           present));
  }
  return Range{context.characters[first], context.characters[first + length]};
}

// The pieces that overlap the bytes of the answer; empty when there is none.
Range overlapping(const std::vector<Piece>& pieces, Range bytes) {
  size_t first = 0;
  while (first < pieces.size() && pieces[first].end <= bytes.begin) {
    ++first;
  }
  size_t last = first;
  while (last < pieces.size() && pieces[last].begin < bytes.end) {
    ++last;
  }
  return {first, last};
}

void add_sample(QuestionSamples& samples,
                const WordPiece& vocabulary,
                std::span<const Piece> question,
                std::span<const Piece> window,
                Range answer) {
  const size_t row = samples.tokens.size();
  samples.tokens.resize(row + kQuestionLength, vocabulary.padding());
  samples.segments.resize(row + kQuestionLength, 0);
  samples.mask.resize(row + kQuestionLength, 0);
  size_t next = row;
  const auto put = [&](int64_t token, int64_t segment) {
    samples.tokens[next] = token;
    samples.segments[next] = segment;
    samples.mask[next] = 1;
    ++next;
  };
  put(vocabulary.begin(), 0);
  for (const Piece& piece : question) {
    put(piece.id, 0);
  }
  put(vocabulary.separator(), 0);
  const auto first = static_cast<int64_t>(next - row);
  for (const Piece& piece : window) {
    put(piece.id, 1);
  }
  put(vocabulary.separator(), 1);
  samples.start.push_back(first + static_cast<int64_t>(answer.begin));
  samples.end.push_back(first + static_cast<int64_t>(answer.end) - 1);
}

Status add_question(QuestionSamples& samples,
                    const WordPiece& vocabulary,
                    const Node& node,
                    const Context& context) {
  CB_ASSIGN(const std::string_view text, node.text("question"));
  CB_ASSIGN(const Range bytes, answer_range(node, context));
  ++samples.questions;
  const auto all = vocabulary.split(text);
  const auto question = std::span(all).first(std::min(all.size(), kLongestQuestion));
  const Range answer = overlapping(context.pieces, bytes);
  const size_t room = kQuestionLength - question.size() - 3;
  for (size_t begin = 0; begin < context.pieces.size(); begin += kWindowStride) {
    const size_t end = std::min(begin + room, context.pieces.size());
    if (answer.begin < answer.end && answer.begin >= begin && answer.end <= end) {
      add_sample(samples,
                 vocabulary,
                 question,
                 std::span(context.pieces).subspan(begin, end - begin),
                 {answer.begin - begin, answer.end - begin});
    }
    if (end == context.pieces.size()) {
      break;
    }
  }
  return {};
}

Status add_paragraph(QuestionSamples& samples, const WordPiece& vocabulary, const Node& node) {
  Context context;
  CB_ASSIGN(context.text, node.text("context"));
  context.pieces = vocabulary.split(context.text);
  context.characters = code_points(context.text);
  CB_ASSIGN(const Node questions, node.list("qas"));
  for (size_t i = 0; i < questions.size(); ++i) {
    CB_TRY(add_question(samples, vocabulary, questions.at(i), context));
  }
  return {};
}

void add_split(Content& content, const std::string& split, QuestionSamples samples) {
  const auto count = static_cast<int64_t>(samples.start.size());
  const tensor::Shape rows = {count, kQuestionLength};
  content.metadata[split + ".questions"] = std::to_string(samples.questions);
  content.fields.push_back({split + ".tokens", rows, std::move(samples.tokens)});
  content.fields.push_back({split + ".segments", rows, std::move(samples.segments)});
  content.fields.push_back({split + ".mask", rows, std::move(samples.mask)});
  content.fields.push_back({split + ".start", {count}, std::move(samples.start)});
  content.fields.push_back({split + ".end", {count}, std::move(samples.end)});
}

}  // namespace

Result<QuestionSamples> parse_squad(std::string_view json,
                                    const WordPiece& vocabulary,
                                    const std::string& place) {
  Json document;
  try {
    document = Json::parse(json);
  } catch (const Json::parse_error& error) {
    return bad(at_byte(place, error.byte), fmt::format("bad JSON: {}", error.what()));
  }
  QuestionSamples samples;
  CB_ASSIGN(const Node articles, (Node{&document, place + ": $"}.list("data")));
  for (size_t i = 0; i < articles.size(); ++i) {
    CB_ASSIGN(const Node paragraphs, articles.at(i).list("paragraphs"));
    for (size_t j = 0; j < paragraphs.size(); ++j) {
      CB_TRY(add_paragraph(samples, vocabulary, paragraphs.at(j)));
    }
  }
  return samples;
}

Result<Converted> read_squad(const DatasetInfo& info,
                             const Source& source,
                             const std::filesystem::path& vocabulary,
                             Progress& progress) {
  struct Text {
    std::string content;
    std::string place;
  };
  std::map<std::string, Text, std::less<>> files;
  const auto file_name = [](std::string_view path) { return path.substr(path.rfind('/') + 1); };
  const auto wanted = [&](std::string_view name) {
    const auto file = file_name(name);
    return file == kTrainFile || file == kDevFile || file == kVocabularyFile;
  };
  const auto take = [&](const Member& member) -> Status {
    files[std::string(file_name(member.name))] = {
        std::string(reinterpret_cast<const char*>(member.bytes.data()), member.bytes.size()),
        member.place};
    return {};
  };
  Converted result;
  CB_ASSIGN(result.source_sha256, source.read(wanted, take, progress));
  if (!vocabulary.empty()) {
    CB_ASSIGN(std::string text, read_file(vocabulary));
    // Another vocabulary is another source.
    const std::string both = result.source_sha256 + sha256_hex(std::as_bytes(std::span(text)));
    result.source_sha256 = sha256_hex(std::as_bytes(std::span(both)));
    files[std::string(kVocabularyFile)] = {std::move(text), vocabulary.string()};
  }
  for (const auto needed : {kTrainFile, kDevFile, kVocabularyFile}) {
    if (!files.contains(needed)) {
      return tl::unexpected(Error{ErrorKind::kNotFound,
                                  fmt::format("holds no {}", needed),
                                  source.path().string(),
                                  "Expected: " + info.expects + "."});
    }
  }
  const Text& words = files.find(kVocabularyFile)->second;
  CB_ASSIGN(const auto pieces, WordPiece::parse(words.content, words.place));
  result.content.metadata = {{"name", info.id},
                             {"vocabulary", std::to_string(pieces.size())},
                             {"length", std::to_string(kQuestionLength)}};
  for (const auto& [split, file] : {std::pair("train", kTrainFile), {"test", kDevFile}}) {
    const Text& text = files.find(file)->second;
    CB_ASSIGN(auto samples, parse_squad(text.content, pieces, text.place));
    add_split(result.content, split, std::move(samples));
  }
  return result;
}

}  // namespace crossbind::data
