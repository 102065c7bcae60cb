// The refusals that every store words alike.
#pragma once

#include <string>

#include "store/record.h"

namespace crossbind::store {

[[nodiscard]] inline tl::unexpected<Error> no_such_study(const StudyId& study) {
  return fail(ErrorKind::kNotFound, "the store has no study {}", study.sha256);
}

[[nodiscard]] inline tl::unexpected<Error> no_such_trial(const std::string& identity) {
  return fail(ErrorKind::kNotFound, "the store has no trial {}", identity);
}

[[nodiscard]] inline tl::unexpected<Error> already_stored(const std::string& identity,
                                                          Outcome outcome) {
  return fail(ErrorKind::kInvalid,
              "trial {} is already stored as {}; only a failed one is replaced",
              identity,
              name_of(outcome));
}

}  // namespace crossbind::store
