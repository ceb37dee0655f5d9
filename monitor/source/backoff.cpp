// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/backoff.h"

#include <algorithm>
#include <stdexcept>

namespace mpm::monitor {
namespace {

constexpr std::int64_t kShares = 5;  // a fifth

// SplitMix64: the same numbers with every standard library.
std::uint64_t nextBits(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15U;
  std::uint64_t bits = state;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
  return bits ^ (bits >> 31);
}

}  // namespace

Backoff::Backoff(std::int64_t firstMs, std::int64_t longestMs, std::uint64_t seed)
    : firstMs_(firstMs), longestMs_(longestMs), chance_(seed) {
  if (firstMs <= 0 || longestMs < firstMs) {
    throw std::invalid_argument(
        "the first wait between tries must be more than 0 ms, and the longest wait no shorter");
  }
}

std::int64_t Backoff::nextMs() {
  plainMs_ = plainMs_ == 0 ? firstMs_ : plainMs_ > longestMs_ / 2 ? longestMs_ : plainMs_ * 2;
  const auto most = static_cast<std::uint64_t>(plainMs_ / kShares) + 1;
  lastMs_ = plainMs_ + static_cast<std::int64_t>(nextBits(chance_) % most);
  return lastMs_;
}

void Backoff::reset() {
  plainMs_ = 0;
  lastMs_ = 0;
}

std::uint64_t seedOfName(const std::string& name) {
  std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
  for (const char letter : name) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3U;
  }
  return hash;
}

}  // namespace mpm::monitor
