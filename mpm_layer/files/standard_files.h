// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

namespace mpm::files {

/// To be called first in a program. Descriptors 0, 1 and 2 that were closed when it started are
/// nobody's from here on: else the next file or socket to be opened becomes one of them, and what
/// is printed goes into it. Reading from 0 and writing to 1 fail as they did; what goes to 2 is
/// gone.
inline void keepStandardFiles() {
  const int modes[] = {O_WRONLY, O_RDONLY, O_RDWR};
  for (int file = 0; file < 3; ++file) {
    // The lowest free number is taken, and those below are not free.
    if (fcntl(file, F_GETFD) < 0 && open("/dev/null", modes[file]) != file) std::_Exit(1);
  }
}

}  // namespace mpm::files
