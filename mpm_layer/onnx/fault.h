// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <istream>
#include <string>

namespace mpm::onnx {

// What is wrong with a file of this size that could not be read as ONNX or had no graph in it: text
// of some kind, cut off, or something else. Reads the start and the outermost field headers only.
std::string describeFault(std::istream& file, std::uintmax_t size);

}  // namespace mpm::onnx
