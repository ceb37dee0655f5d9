// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace mpm::monitor {

/// How long to wait between tries: doubled each time up to the longest, and up to a fifth longer by
/// chance, so that the cameras of a network that comes back do not all ask at once.
class Backoff {
 public:
  /// std::invalid_argument where not 0 < first <= longest.
  Backoff(std::int64_t firstMs, std::int64_t longestMs, std::uint64_t seed);

  std::int64_t nextMs();
  std::int64_t lastMs() const { return lastMs_; }  ///< what nextMs() gave; 0: nothing since reset()
  void reset();

 private:
  std::int64_t firstMs_, longestMs_;
  std::uint64_t chance_;
  std::int64_t plainMs_ = 0;  // without the chance
  std::int64_t lastMs_ = 0;
};

/// A seed for who has a name: another one for nearly every name, the same on every machine.
std::uint64_t seedOfName(const std::string& name);

}  // namespace mpm::monitor
