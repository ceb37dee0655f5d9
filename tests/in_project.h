// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mpm::test {

/// The path of a file or folder of the project, such as "tests/models". One source knows where the
/// project is, so that a compiler cache serves the tests of every clone.
std::string inProject(const std::string& path);

}  // namespace mpm::test
