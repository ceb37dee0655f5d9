// SPDX-License-Identifier: Apache-2.0
#include "files/unfinished.h"

namespace mpm::files {

void removeUnfinishedOfLibrary() noexcept { removeUnfinished(); }

}  // namespace mpm::files
