// Where a command's workers run: a scratch folder, a place, and what launches workers in it. The
// one spot that chooses the place.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "app/resources.h"
#include "base/error.h"
#include "base/file.h"
#include "converse/launcher.h"
#include "place/local_place.h"
#include "store/record.h"

namespace crossbind::app {

class Workplace {
 public:
  // The scratch folder lies in the machine's cache, beside those of others with this purpose.
  [[nodiscard]] static Result<std::unique_ptr<Workplace>> open(
      const Machine& machine,
      const std::string& purpose,
      place::Reach reach = place::Reach::kUsual);

  [[nodiscard]] converse::Launcher& launcher() { return launcher_; }
  [[nodiscard]] const std::filesystem::path& scratch() const { return scratch_.path(); }
  // What trials that run here have in common.
  [[nodiscard]] store::Environment environment() const;

 private:
  Workplace(TemporaryDirectory scratch, const Machine& machine, place::Reach reach);

  TemporaryDirectory scratch_;
  place::LocalPlace place_;
  converse::Launcher launcher_;  // borrows the place: a workplace does not move
};

}  // namespace crossbind::app
