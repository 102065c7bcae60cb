// Writes the made-up store of the report's tests to a file, unless it is there, and adds a trial to
// it for each identity: made_up_store FILE [IDENTITY...]. Each trial appears by itself, as those of
// a study do while it runs.
#include <cstdio>
#include <span>

#include "report/made_up.h"
#include "store/open.h"

namespace {

using namespace crossbind;

Status write_store(const std::string& path, std::span<char*> identities) {
  const bool is_new = !std::filesystem::exists(path);
  CB_ASSIGN(auto store, store::open(path));
  if (is_new) {
    CB_TRY(store->transact([&] { return report::make_up(*store); }));
  }
  CB_ASSIGN(const auto studies, store->studies());
  for (const char* identity : identities) {
    store::TrialRecord trial;
    trial.identity = identity;
    trial.axes = {
        .binding = "pytorch/rust",
        .model = "lenet5",
        .dataset = "glyphs",
        .device = "cpu",
        .task = "train",
        .loader = "resident",
        .variant = "step",
        .measure = "total",
        .seed = static_cast<uint32_t>(1000 + std::hash<std::string_view>()(identity) % 1000)};
    trial.started = store::Time(std::chrono::microseconds(1'790'000'000'000'000));
    trial.series = {{"train.epoch", 1, {2.5}}};
    CB_TRY(store->add_trial(studies.front().id, trial));
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<size_t>(argc));
  const auto status =
      argc >= 2 ? write_store(arguments[1], arguments.subspan(2)) : crossbind::Status();
  if (argc < 2 || !status) {
    std::fprintf(stderr,
                 "made_up_store: %s\n",
                 argc >= 2 ? status.error().to_string().c_str() : "wants the name of a file");
    return 1;
  }
  return 0;
}
