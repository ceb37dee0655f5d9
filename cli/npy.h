// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <iosfwd>
#include <ostream>
#include <string_view>
#include <vector>

/// Reads and writes NumPy's .npy files (format 1.0, 2.0, 3.0), as float32 in C order.
namespace mpm::cli {

struct Array {
  std::vector<int> shape;     ///< empty: one value
  std::vector<float> values;  ///< in C order, as many as the shape says
};

/// Reads float16, float32, float64, uint8, int32 and int64, little-endian, rounded to float32.
/// Transposes an array in Fortran order. Throws std::runtime_error, in one sentence with `path`,
/// for anything else, or if the file is shorter or longer than its header says.
Array readNpy(const std::filesystem::path& path);

/// Reads the same from a file's bytes; the sentence then starts with `name`.
Array parseNpy(std::string_view bytes, std::string_view name);

/// Writes `values`, as many as the shape has, as float32.
void writeNpy(std::ostream& file, const std::vector<int>& shape, const float* values);

}  // namespace mpm::cli
