// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mpm::cli {

/// A range of values that an axis shows.
struct Range {
  double low = 0, high = 1;
};

/// Round values within the range, in steps of 1, 2 or 5 times a power of ten; about `count` of
/// them. One where the range is empty.
std::vector<double> ticksOf(const Range& range, int count);

/// The values as words, all with as many digits behind the point as telling them apart takes.
std::vector<std::string> wordsOf(const std::vector<double>& ticks);

}  // namespace mpm::cli
