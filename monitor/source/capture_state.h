// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mpm::monitor {

enum class CaptureState {
  opening,
  live,     ///< frames come
  stale,    ///< it is open, but nothing new came for staleMs
  waiting,  ///< it failed, and is tried again at nextTry
  ended     ///< a file is at its end, or the capture was stopped
};

const char* nameOf(CaptureState state);  ///< "opening", "live", ...

}  // namespace mpm::monitor
