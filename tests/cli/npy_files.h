// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <fstream>
#include <ios>
#include <string>
#include <vector>

#include "cli/npy.h"

namespace mpm::test {

/// The header of an array of NumPy's type `type`; `shape` as Python writes it without parentheses.
inline std::string headerOf(const std::string& type, const std::string& shape,
                            bool fortranOrder = false) {
  return "{'descr': '" + type + "', 'fortran_order': " + (fortranOrder ? "True" : "False") +
         ", 'shape': (" + shape + "), }";
}

/// A .npy file of this header and these bytes of values.
inline std::string npyBytes(const std::string& header, const std::string& values, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    bytes += static_cast<char>(header.size() >> 8 * i & 255);
  }
  return bytes + header + values;
}

inline void writeNpyFile(const std::string& path, const std::vector<int>& shape,
                         const float* values) {
  std::ofstream file(path, std::ios::binary);
  cli::writeNpy(file, shape, values);
}

}  // namespace mpm::test
