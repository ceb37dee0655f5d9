// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace mpm::processor {

/// Asks the system for large pages (2 MiB) behind memory that nobody has written to yet, where it
/// gives them to who asks: touching it for the first time then costs a fraction. Nothing else
/// changes, and where there are none nothing does.
void preferLargePages(void* begin, std::size_t bytes);

}  // namespace mpm::processor
