// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

/// What the classes of public data sets are called, in the order of their numbers.
namespace mpm::evaluate {

std::vector<std::string> ade20kClasses();         ///< 150; label 1 is the first
std::vector<std::string> cityscapesClasses();     ///< 19, in the order of the train ids
std::vector<std::string> pascalContextClasses();  ///< 60; label 0, background, is the first

}  // namespace mpm::evaluate
