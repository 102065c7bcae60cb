// SHA-256 of bytes and files, as lower-case hexadecimal.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"

namespace crossbind {

class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  ~Sha256();

  void update(std::span<const std::byte> bytes);
  [[nodiscard]] std::string hex();  // ends the computation

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

[[nodiscard]] std::string sha256_hex(std::span<const std::byte> bytes);
[[nodiscard]] Result<std::string> sha256_file(const std::filesystem::path& path);

}  // namespace crossbind
