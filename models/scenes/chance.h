// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace mpm::scenes {

/// Random numbers by look-up: a value follows from seed, stream and index only, on every machine
/// and in any order. Neighbouring streams and indices are as unlike as any (splitmix64's finaliser
/// on both).
class Chance {
 public:
  constexpr explicit Chance(std::uint64_t seed, std::uint64_t stream = 0)
      : key_(mix(mix(seed + kStep) ^ (stream + 1) * kStep)) {}

  constexpr std::uint64_t bits(std::uint64_t index) const {
    return mix(key_ + (index + 1) * kStep);
  }
  constexpr double uniform(std::uint64_t index) const {  ///< at least 0, below 1
    return static_cast<double>(bits(index) >> 11) * 0x1p-53;
  }
  constexpr double between(std::uint64_t index, double low, double high) const {
    return low + (high - low) * uniform(index);
  }
  constexpr int below(std::uint64_t index, int count) const {  ///< 0 to count - 1, each as often
    return static_cast<int>(uniform(index) * count);
  }
  constexpr bool happens(std::uint64_t index, double probability) const {
    return uniform(index) < probability;
  }
  constexpr Chance stream(std::uint64_t number) const { return Chance(key_, number); }

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15U;
  static constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
  }
  std::uint64_t key_;
};

/// Draws values of a Chance one after another, for code that decides once and in order.
class Draw {
 public:
  constexpr explicit Draw(Chance chance) : chance_(chance) {}
  constexpr double uniform() { return chance_.uniform(next_++); }
  constexpr double between(double low, double high) { return chance_.between(next_++, low, high); }
  constexpr int below(int count) { return chance_.below(next_++, count); }
  constexpr bool happens(double probability) { return chance_.happens(next_++, probability); }

 private:
  Chance chance_;
  std::uint64_t next_ = 0;
};

/// Interpolates from a to b as t goes from 0 to 1.
template <class T>
T mixed(const T& a, const T& b, double t) {
  return a * (1 - t) + b * t;
}

/// Returns 0 up to `low`, 1 from `high` on, with a smooth transition.
inline double smoothStep(double low, double high, double x) {
  const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

/// Interpolates smoothly between random values at integers.
inline double wave(const Chance& chance, double x) {
  const double whole = std::floor(x);
  const auto index = static_cast<std::uint64_t>(static_cast<std::int64_t>(whole));
  return mixed(chance.uniform(index), chance.uniform(index + 1), smoothStep(0, 1, x - whole));
}

}  // namespace mpm::scenes
