// SPDX-License-Identifier: Apache-2.0
// Implements FIPS 180-4, plainly and with the instructions that most x86 processors since 2019 have
// for it, which take a sixth of the time.
#include "digest/sha256.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace mpm::digest {
namespace {

namespace fs = std::filesystem;

using State = std::array<std::uint32_t, 8>;

constexpr std::size_t kBlock = 64, kRead = 1 << 18;
constexpr State kStart = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
constexpr std::array<std::uint32_t, 64> kRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t turned(std::uint32_t x, int a, int b, int c) {
  return std::rotr(x, a) ^ std::rotr(x, b) ^ std::rotr(x, c);
}

void takePlainly(State& state, const unsigned char* bytes, std::size_t blocks) {
  for (; blocks > 0; --blocks, bytes += kBlock) {
    std::array<std::uint32_t, 64> words{};
    for (std::size_t i = 0; i < kBlock; ++i) words[i / 4] = words[i / 4] << 8 | bytes[i];
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t early = words[i - 15], late = words[i - 2];
      words[i] = words[i - 16] + (std::rotr(early, 7) ^ std::rotr(early, 18) ^ early >> 3) +
                 words[i - 7] + (std::rotr(late, 17) ^ std::rotr(late, 19) ^ late >> 10);
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t one =
          h + turned(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + kRounds[i] + words[i];
      const std::uint32_t two = turned(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + one;
      d = c, c = b, b = a, a = one + two;
    }
    const State more = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state.size(); ++i) state[i] += more[i];
  }
}

#if defined(__x86_64__) && defined(__GNUC__)
bool hasInstructions() {
  constexpr unsigned kSha = 1U << 29;  // of leaf 7's ebx
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kSha) != 0;
}

// Uses the state as the instructions want it: (a, b, e, f) and (c, d, g, h), highest lane first.
__attribute__((target("sha,sse4.1"))) void takeByInstructions(State& state,
                                                              const unsigned char* bytes,
                                                              std::size_t blocks) {
  const __m128i bigEndian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  auto* const stored = reinterpret_cast<__m128i*>(state.data());
  const __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(stored), 0xB1);
  const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(stored + 1), 0x1B);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
  for (; blocks > 0; --blocks, bytes += kBlock) {
    const __m128i abefBefore = abef, cdghBefore = cdgh;
    __m128i words[4];
    for (int i = 0; i < 4; ++i) {
      words[i] =
          _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes) + i), bigEndian);
    }
    for (int i = 0; i < 16; ++i) {  // four rounds each
      __m128i& now = words[i % 4];
      const __m128i last = words[(i + 3) % 4];
      const __m128i sum =
          _mm_add_epi32(now, _mm_loadu_si128(reinterpret_cast<const __m128i*>(kRounds.data()) + i));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
      // Prepares the words of 16 rounds later; nobody reads those after the last ones.
      now = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(now, words[(i + 1) % 4]),
                                               _mm_alignr_epi8(last, words[(i + 2) % 4], 4)),
                                 last);
    }
    abef = _mm_add_epi32(abef, abefBefore);
    cdgh = _mm_add_epi32(cdgh, cdghBefore);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128(stored, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(stored + 1, _mm_alignr_epi8(dchg, feba, 8));
}
#else
bool hasInstructions() { return false; }
void takeByInstructions(State& /*state*/, const unsigned char* /*bytes*/, std::size_t /*blocks*/) {}
#endif

class Sha256 {
 public:
  explicit Sha256(bool plainly) : plainly_(plainly || !hasInstructions()) {}

  /// Requires every piece but the last to hold whole blocks.
  void add(std::string_view bytes) {
    const auto* begin = reinterpret_cast<const unsigned char*>(bytes.data());
    take(begin, bytes.size() / kBlock);
    rest_.assign(begin + bytes.size() / kBlock * kBlock, begin + bytes.size());
    size_ += bytes.size();
  }

  std::string digits() {
    rest_.push_back(0x80);
    while (rest_.size() % kBlock != kBlock - 8) rest_.push_back(0);
    for (int shift = 56; shift >= 0; shift -= 8)
      rest_.push_back(static_cast<unsigned char>(size_ * 8 >> shift));
    take(rest_.data(), rest_.size() / kBlock);
    std::string text;
    for (const std::uint32_t word : state_) {
      char digits[9];
      std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(word));
      text += digits;
    }
    return text;
  }

 private:
  void take(const unsigned char* bytes, std::size_t blocks) {
    (plainly_ ? takePlainly : takeByInstructions)(state_, bytes, blocks);
  }

  bool plainly_;
  State state_ = kStart;
  std::uint64_t size_ = 0;
  std::vector<unsigned char> rest_;
};

}  // namespace

std::string sha256Of(std::string_view bytes, bool plainly) {
  Sha256 hash(plainly);
  hash.add(bytes);
  return hash.digits();
}

std::string fileSha256(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes(kRead);
  Sha256 hash(false);
  while (file) {
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    hash.add({bytes.data(), static_cast<std::size_t>(file.gcount())});
  }
  if (!file.eof())
    throw std::runtime_error("cannot read " + path + ": " + std::generic_category().message(errno));
  return hash.digits();
}

namespace {

// Returns the name under which modelSha256 lists a file's digest.
std::string endOf(const fs::path& model, const fs::path& file) {
  if (file == fs::path(model).replace_extension(".toml")) return ".toml";
  std::string name = file.string();
  const std::string folder = (model.parent_path() / "").string();
  if (name.starts_with(folder)) name.erase(0, folder.size());
  const std::string begin = model.filename().string();
  const bool isLonger = name.starts_with(begin) && name.size() > begin.size() &&
                        (name[begin.size()] == '.' || name[begin.size()] == '_');
  return isLonger ? name.substr(begin.size()) : ' ' + name;
}

}  // namespace

std::map<std::string, std::string> modelSha256(const std::string& path,
                                               const std::vector<std::string>& files) {
  std::map<std::string, std::string> all = {{"", fileSha256(path)}};
  std::error_code ignored;
  for (const std::string& file : files) {
    if (file != path && fs::is_regular_file(file, ignored))
      all[endOf(path, file)] = fileSha256(file);
  }
  return all;
}

}  // namespace mpm::digest
