#include "app/dataset_request.h"

namespace crossbind::app {

Result<data::GetRequest> get_request_of(const DatasetRequest& request) {
  const bool sized = request.glyphs != data::GlyphOptions{};
  if (sized && request.name != "glyphs") {
    return fail(ErrorKind::kInvalid, "--train, --test and --seed are for 'glyphs' only");
  }
  CB_ASSIGN(auto info, data::find_dataset(sized ? data::glyphs_id(request.glyphs) : request.name));
  if (!request.from.empty() && info.kind == data::Kind::kGlyphs) {
    return fail(ErrorKind::kInvalid, "--from: 'glyphs' is generated and reads nothing");
  }
  if (!request.vocabulary.empty() && info.kind != data::Kind::kQuestions) {
    return fail(ErrorKind::kInvalid, "--vocab is for 'squad' only");
  }
  return data::GetRequest{std::move(info), request.from, request.vocabulary, request.force};
}

}  // namespace crossbind::app
