// Claims files: TOML in the language of docs/claims.md. Strict: a key that means nothing where it
// stands is an error, with file, line and key.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "claims/claim.h"

namespace crossbind::claims {

[[nodiscard]] Result<ClaimList> read_claims(std::string_view text, const std::string& place);
[[nodiscard]] Result<ClaimList> read_claims_file(const std::filesystem::path& path);

}  // namespace crossbind::claims
