// SPDX-License-Identifier: Apache-2.0
// A file of its own: who only tells states loads none of the libraries that read videos.
#include "monitor/source/capture_state.h"

namespace mpm::monitor {

const char* nameOf(CaptureState state) {
  switch (state) {
    case CaptureState::opening:
      return "opening";
    case CaptureState::live:
      return "live";
    case CaptureState::stale:
      return "stale";
    case CaptureState::waiting:
      return "waiting";
    case CaptureState::ended:
      return "ended";
  }
  return "";
}

}  // namespace mpm::monitor
