// SPDX-License-Identifier: Apache-2.0
// What a source tells its listeners, and in which words.
#include <algorithm>
#include <utility>

#include "monitor/engine/watched.h"

namespace mpm::monitor {
namespace {

// A capture's word of something new, for people.
std::string sentence(const CaptureStatus& status) {
  switch (status.state) {
    case CaptureState::live:
      return "frames come";
    case CaptureState::stale:
      return "no new frame comes, although it is open";
    case CaptureState::waiting:
      return status.fault.empty() ? "it was lost" : status.fault;
    case CaptureState::ended:
      if (status.isCutShort && status.frames == 0) return status.fault;
      if (status.isCutShort) return "it ended early: " + status.fault;
      return status.fault.empty() ? "it is at its end" : "it is at its end: " + status.fault;
    case CaptureState::opening:
      break;
  }
  return "it is being opened";
}

// OpenCV's words end with a line's end, and may have more of them.
std::string inOneLine(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

void Watched::tellChanged() {
  std::vector<Series::Changed> changed;
  {
    const std::lock_guard lock(mutex_);
    changed = statistics_.series().takeChanged();
  }
  if (changed.empty()) return;
  for (std::size_t i = 0; i + 1 < listeners_.size(); ++i) listeners_[i]->onChanged(index_, changed);
  if (!listeners_.empty()) listeners_.back()->onChanged(index_, std::move(changed));
}

void Watched::tellView() {
  if (!watchCamera_ || replay_ || frames_ == 0) return;
  viewToldMs_ = clock_.now().steadyMs;
  const std::string view = camera_.view();
  for (EngineListener* listener : listeners_) listener->onView(index_, view);
}

void Watched::tellRules() const {
  for (EngineListener* listener : listeners_) listener->onRules(index_, rules_.rules());
}

void Watched::tell(const Event& event) const {
  for (EngineListener* listener : listeners_) listener->onEvent(index_, event);
}

void Watched::tellFirings(const std::vector<Rule>& rules, const std::vector<Firing>& firings,
                          const Moment& at) {
  const FrameResultPtr newest = latest();
  for (const Firing& firing : firings) {
    const Rule& rule = rules[firing.rule];
    tell({at, "rule", rule.name, firing.text, firing.value});
    for (EngineListener* listener : listeners_) listener->onFiring(index_, rule, firing, newest);
  }
}

void Watched::tellLight(const LightReading& light, const Moment& at) {
  if (lightKnown_ && light.state == light_) return;
  const std::string name(nameOf(light.state));
  const std::string text =
      lightKnown_ ? "the light is " + name + " now, it was " + std::string(nameOf(light_))
                  : "the light is " + name;
  lightKnown_ = true;
  light_ = light.state;
  tell({at, "light", name, text, light.luma});
}

// Before the frame itself is counted: what it counts into begins with it.
void Watched::tellWay(const FrameResult& result) {
  const auto words = [](const std::string& schedule) {
    return schedule == "none" ? "full tokens" : "merging before " + schedule;
  };
  const Way before =
      std::exchange(way_, {result.schedule.text(), result.filtered, result.remembers, way_.view});
  if (way_.schedule != before.schedule) {
    tell({result.frame.taken, kScheduleEvent, way_.schedule,
          words(way_.schedule) + " from now on, " + words(before.schedule) + " until now",
          std::nullopt});
  }
  if (way_.filtered != before.filtered) {
    tell({result.frame.taken, kFilterEvent, way_.filtered ? kOn : "off",
          way_.filtered ? "pictures are changed before they are measured, as for a simulated night"
                        : "pictures are measured as they come again",
          std::nullopt});
  }
  if (way_.memory != before.memory) {
    tell({result.frame.taken, kMemoryEvent, way_.memory ? kOn : "off",
          way_.memory ? "what did not change is remembered from now on"
                      : "every frame is computed in full from now on",
          std::nullopt});
  }
}

void Watched::tellCamera(const FrameResultPtr& result) {
  const Moment& at = result->frame.taken;
  for (const CameraChange& change : std::exchange(cameraChanges_, {})) {
    tell({at, "camera", std::string(nameOf(change.fault)), change.text, change.value});
    for (EngineListener* listener : listeners_) listener->onCamera(index_, change, result);
  }
}

void Watched::tellClock(const Moment& at) {
  if (eraKnown_ && at.era > era_) {
    tell({at, "clock", "set", "the wall clock was set", std::nullopt});
  }
  era_ = eraKnown_ ? std::max(era_, at.era) : at.era;
  eraKnown_ = true;
}

void Watched::tellCapture(const CaptureStatus& status, const Moment& at) {
  // A source that stays away is opened again and again; that it is away is told once.
  if (status.state == CaptureState::opening || status.state == captureState_) return;
  captureState_ = status.state;
  tell({at, "source", nameOf(status.state), sentence(status), std::nullopt});
}

void Watched::tellModelFails(const std::string& fault, const Moment& at) {
  tell({at, "model", "fails", "the model fails on its frames: " + inOneLine(fault), {}});
}

void Watched::tellModelWorks() {
  modelFails_ = false;
  tell({*std::exchange(worksSince_, std::nullopt),
        "model",
        "works",
        "the model labels its frames again",
        {}});
}

}  // namespace mpm::monitor
