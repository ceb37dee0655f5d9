// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mpm::cli {

/// Rows of words under a head, in columns of their own width, two spaces apart. The first row is
/// the head. `layout` has a letter for each column: 'l' or 'r', left or right.
std::string tableText(const std::vector<std::vector<std::string>>& rows, const std::string& layout);

/// A number with this many digits behind its point: numberText(1.25, 1) is "1.2".
std::string numberText(double number, int digits);

/// Milliseconds with as many digits as they are good for: "0.05 ms", "71.2 ms".
std::string msText(double ms);

}  // namespace mpm::cli
