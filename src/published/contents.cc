#include "published/contents.h"

#include "published/checked_numbers.h"
#include "published/json_contents.h"
#include "published/text_contents.h"

namespace crossbind::published {
namespace {

Status check(const TimeCost& cost) {
  CB_TRY(check_seconds(cost.training, "the training"));
  for (const auto& accuracy : {cost.test_accuracy, cost.train_accuracy}) {
    CB_TRY(check_share(accuracy.value_or(0), "an accuracy"));
  }
  return {};
}

}  // namespace

Result<TimeCost> read_time_cost(std::string_view text, Language language) {
  CB_ASSIGN(auto cost,
            language == Language::kPython ? read_time_cost_json(text)
                                          : read_time_cost_text(text, language));
  CB_TRY(check(cost).map_error([&](Error&& error) { return std::move(error).at("line 1"); }));
  return cost;
}

Result<Inference> read_inference(std::string_view text, Language language) {
  return language == Language::kPython ? read_inference_json(text)
                                       : read_inference_text(text, language);
}

}  // namespace crossbind::published
