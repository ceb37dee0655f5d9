// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "mpm/teach.h"

namespace mpm {

std::string Advice::sentence() const {
  switch (kind) {
    case Kind::oneFrame:
      return "One painted frame alone teaches, but cannot be judged; paint another one, of another "
             "light.";
    case Kind::unpainted:
      return name + " is painted nowhere, so it will not be found.";
    case Kind::once:
    case Kind::tooSeldom:
      return name + " is painted on " +
             (kind == Kind::once ? "one frame alone" : "too few frames") +
             ", so how well it is found cannot be told; paint it on another one.";
    case Kind::weak:
      return name + " is found badly; paint it on another frame.";
    case Kind::mixed:
      return std::to_string(std::lround(100 * share)) + " % of " + name + " is taken for " + other +
             "; are they apart on any frame, and painted the same way on all?";
  }
  return {};
}

}  // namespace mpm
