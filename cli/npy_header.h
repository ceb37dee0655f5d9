// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mpm::cli {

struct NpyHeader {
  std::string type;  ///< NumPy's descr, as "<f4"
  bool fortranOrder = false;
  std::vector<std::int64_t> shape;
};

/// The text of a .npy file's header: a Python dictionary of descr, fortran_order and shape, each
/// once, and nothing else. std::runtime_error, without the file's name, on anything else.
NpyHeader parseNpyHeader(std::string_view text);

}  // namespace mpm::cli
