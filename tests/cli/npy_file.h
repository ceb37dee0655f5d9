// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <ios>
#include <string>
#include <vector>

#include "cli/npy.h"

namespace mpm::test {

inline void writeNpyFile(const std::string& path, const std::vector<int>& shape,
                         const float* values) {
  std::ofstream file(path, std::ios::binary);
  cli::writeNpy(file, shape, values);
}

}  // namespace mpm::test
