// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "cli/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    mpm::cli::parseNpy({reinterpret_cast<const char*>(bytes), size}, "a.npy");
  } catch (const std::runtime_error&) {
  }
  return 0;
}
