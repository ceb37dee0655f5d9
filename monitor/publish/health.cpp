// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "monitor/publish/pages.h"

namespace mpm::monitor {
namespace {

std::string secondsText(std::int64_t ms) { return std::to_string((ms + 500) / 1000) + " s"; }

constexpr std::int64_t kLongestFrameMs = 30000;  // of the net

/// What is wrong with a source; empty: nothing.
std::string complaint(const PublishedSource& source) {
  const CaptureStatus& capture = source.capture;
  std::string text;
  switch (capture.state) {
    case CaptureState::live:
    case CaptureState::ended:
      return source.netFault.empty() ? "" : "the model fails on its frames: " + source.netFault;
    case CaptureState::opening:
      text = "opening";
      break;
    case CaptureState::stale:
      text = "no new frame for " + secondsText(capture.msSinceFrame);
      break;
    case CaptureState::waiting:
      text = "not available, next try in " + secondsText(capture.msToNextTry);
      break;
  }
  return capture.fault.empty() ? text : text + ": " + capture.fault;
}

}  // namespace

Health healthOf(const PublishedState& state) {
  Health health;
  const auto tell = [&](const std::string& name, std::string wrong) {
    for (char& c : wrong) c = c == '\n' || c == '\r' ? ' ' : c;
    if (!wrong.empty()) health.healthy = false;
    health.text += name + ": " + (wrong.empty() ? "ok" : wrong) + '\n';
  };
  for (const PublishedSource& source : state.sources) tell(source.name, complaint(source));
  tell("model", state.netStillMs > kLongestFrameMs
                    ? "has been working on one frame for " + secondsText(state.netStillMs)
                    : "");
  if (state.record) tell("record", state.record->fault);
  if (state.record && !state.record->backupFault.empty()) tell("backup", state.record->backupFault);
  return health;
}

}  // namespace mpm::monitor
