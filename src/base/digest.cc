#include "base/digest.h"

#include <openssl/evp.h>

#include "base/file.h"

namespace crossbind {

struct Sha256::Context {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> handle{EVP_MD_CTX_new(),
                                                                 &EVP_MD_CTX_free};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  EVP_DigestInit_ex(context_->handle.get(), EVP_sha256(), nullptr);
}
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::update(std::span<const std::byte> bytes) {
  EVP_DigestUpdate(context_->handle.get(), bytes.data(), bytes.size());
}

Digest Sha256::digest() {
  Digest digest{};
  EVP_DigestFinal_ex(
      context_->handle.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr);
  EVP_DigestInit_ex(context_->handle.get(), nullptr, nullptr);
  return digest;
}

std::string Sha256::hex() {
  std::string text;
  for (const std::byte byte : digest()) {
    text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  }
  return text;
}

std::string sha256_hex(std::span<const std::byte> bytes) {
  Sha256 sha;
  sha.update(bytes);
  return sha.hex();
}

Result<std::string> sha256_file(const std::filesystem::path& path) {
  CB_ASSIGN(const MappedFile file, MappedFile::open(path));
  return sha256_hex(file.bytes());
}

}  // namespace crossbind
