// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/file_hash.h"

#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <vector>

namespace mpm::monitor {

std::string sha256Of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  if (!context || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("this machine's OpenSSL has no SHA-256");
  }
  std::vector<char> bytes(std::size_t{1} << 18);
  while (file) {
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    EVP_DigestUpdate(context.get(), bytes.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (!file.eof()) throw std::runtime_error("cannot read " + path);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_DigestFinal_ex(context.get(), digest.data(), &size);
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

}  // namespace mpm::monitor
