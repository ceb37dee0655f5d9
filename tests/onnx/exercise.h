// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace mpm::test {

// Does with these bytes whatever a program does with a model: reads it, walks it, converts every
// constant, rewrites, writes and reads again. False where the bytes were refused with a ModelError;
// aborts where the library breaks a promise.
bool exerciseModel(const void* bytes, std::size_t size);

}  // namespace mpm::test
