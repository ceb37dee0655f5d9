// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

namespace mpm::files {

/// Call this first in a program. It opens descriptors 0, 1 and 2 if they were closed at the start.
/// Otherwise the next file or socket to be opened becomes one of them, and printed text goes into
/// it. Reading from 0 and writing to 1 still fail; text to 2 is dropped.
inline void keepStandardFiles() {
  const int modes[] = {O_WRONLY, O_RDONLY, O_RDWR};
  for (int file = 0; file < 3; ++file) {
    // Opening takes the lowest free number, and those below are not free.
    if (fcntl(file, F_GETFD) < 0 && open("/dev/null", modes[file]) != file) std::_Exit(1);
  }
}

}  // namespace mpm::files
