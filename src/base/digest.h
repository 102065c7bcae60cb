// SHA-256 of bytes and files; as text, in lower-case hexadecimal.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"

namespace crossbind {

using Digest = std::array<std::byte, 32>;

class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  ~Sha256();

  void update(std::span<const std::byte> bytes);
  // What was updated with, in bytes or as text. Either ends the computation; another can begin.
  [[nodiscard]] Digest digest();
  [[nodiscard]] std::string hex();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

[[nodiscard]] std::string sha256_hex(std::span<const std::byte> bytes);
[[nodiscard]] Result<std::string> sha256_file(const std::filesystem::path& path);

}  // namespace crossbind
