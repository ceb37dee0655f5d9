// SPDX-License-Identifier: Apache-2.0
#include "monitor/engine/watched.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "files/text.h"
#include "monitor/camera/camera_fault.h"
#include "monitor/statistics/comparison.h"
#include "mpm/tune.h"

namespace mpm::monitor {
namespace {

// Moves a place, in shares of the sides; pixel centres are at half shares.
void move(cv::Point2d& place, const cv::Matx23d& transform, const cv::Size& size) {
  const cv::Vec3d pixel(place.x * size.width - 0.5, place.y * size.height - 0.5, 1);
  const cv::Vec2d there = transform * pixel;
  place = {(there[0] + 0.5) / size.width, (there[1] + 0.5) / size.height};
}

constexpr std::int64_t kTellEveryMs = 1000, kTellViewEveryMs = 600000;
constexpr std::int64_t kWorksMs = 10000;  // without a failure, until that is told

// Describes a new state of a capture for people.
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

// Joins OpenCV's messages, which end with a line break and may have more.
std::string inOneLine(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

RuleBook followed(RuleBook book, const Placement& placement, const cv::Size& size) {
  const cv::Matx23d transform = transformOf(placement, size);
  for (Zone& zone : book.zones) {
    for (cv::Point2d& corner : zone.corners) move(corner, transform, size);
  }
  if (book.ground) {
    for (cv::Point2d& point : book.ground->points) move(point, transform, size);
  }
  return book;
}

std::string viewName(const CameraChange& change) {
  if (!change.began) return kHomeView;
  if (!change.placement) return "other";
  return files::fixedText(change.placement->shift.x, 4) + "," +
         files::fixedText(change.placement->shift.y, 4) + "," +
         files::fixedText(change.placement->degrees, 2);
}

std::string viewText(const CameraChange& change, const RuleBook& book) {
  const bool hasPlaces = !book.zones.empty() || book.ground.has_value();
  if (!change.began) {
    return std::string("figures are of the first view again") +
           (book.followCamera && hasPlaces ? ", and zones are where they were drawn" : "");
  }
  const std::string began = "figures are of another view from now on";
  if (!hasPlaces) return began;
  if (!book.followCamera) return began + "; zones stay where they are in the picture";
  if (!change.placement) {
    return began +
           "; zones cannot follow, since the first view is not found in it, and stay where "
           "they were drawn";
  }
  return began + "; zones follow the camera, to " + placementText(*change.placement);
}

std::unique_ptr<Capture> makeCapture(const EngineOptions& options, Clock& clock) {
  const NamedSource& source = options.source;
  if (!options.makeReader) return std::make_unique<Capture>(source.address, options.capture, clock);
  return std::make_unique<Capture>(
      source.address.shown, [make = options.makeReader, source] { return make(source); },
      options.capture, clock);
}

Watched::Watched(const EngineOptions& options, Network& network, std::size_t merges,
                 const std::vector<EngineListener*>& listeners, Clock& clock)
    : source_(options.source),
      listeners_(listeners),
      clock_(clock),
      replay_(options.capture.everyFrame),
      leastMs_(options.mostFps > 0 && !replay_ ? 1000 / options.mostFps : 0),
      lightOptions_(options.light),
      meter_(options.light, source_.dayLevel),
      watchCamera_(options.watchCamera),
      frameMetrics_(network.classes(), source_.book, merges, network.specialRows(), !replay_,
                    network.memoryFault().empty()),
      rules_(source_.book.rules, frameMetrics_.metrics()),
      statistics_(frameMetrics_.metrics(), options.series),
      way_{options.schedule->text(), false, options.memory && network.memoryFault().empty()},
      begunMs_(clock.now().steadyMs),
      viewToldMs_(begunMs_),
      capture_(makeCapture(options, clock)) {
  if (watchCamera_ && !source_.view.empty()) camera_.setView(source_.view);
  noteHolding();
}

std::int64_t Watched::msToFrame() const {
  if (leastMs_ <= 0) return 0;
  const auto passed = static_cast<double>(clock_.now().steadyMs - handledMs_);
  return passed < leastMs_ ? static_cast<std::int64_t>(std::ceil(leastMs_ - passed)) : 0;
}

// Segments with the memory, unless the picture has become another one.
void Watched::segment(Network& network, bool remembers, FrameResult& result) {
  const Frame& frame = result.frame;
  if (!remembers) memory_.reset();
  if (remembers && !memory_) memory_ = network.makeMemory();
  if (result.filtered != way_.filtered) {
    forgets_ = true;
    tokenCount_ = {};
    known_ = {};
  }
  const bool forgets = std::exchange(forgets_, false);
  result.remembers = memory_ != nullptr;
  if (!memory_) {
    result.segmentation = network.segment(frame.picture);
    return;
  }
  if (forgets) memory_->forget();
  result.counted = tokenCount_.isDue(frame.taken, result.schedule);
  if (result.counted) memory_->audit();
  result.segmentation = memory_->segment(frame.picture);
}

void Watched::compare(Network& network, Compare compare, FrameResult& result) {
  if (!compareBudget_.isDue(compare, result.schedule, result.remembers, result.filtered)) return;
  const cv::Mat& picture = result.frame.picture;
  result.full = network.segmentFull(picture);
  if (!compareBudget_.isFloorDue(compare)) return;
  const auto labelsOf = [&](const cv::Mat& moved) {
    Segmentation found = network.segmentFull(moved);
    result.floorMs = found.times.wholeMs();
    return found.labels;
  };
  result.floor = noiseFloor(picture, result.full->labels, network.input(), labelsOf);
}

void Watched::measure(const CaptureStatus& status, FrameResult& result) {
  const FrameMetrics::Since since{static_cast<double>(status.drops - drops_),
                                  static_cast<double>(status.reconnects - reconnects_)};
  drops_ = status.drops;
  reconnects_ = status.reconnects;
  result.figures = frameMetrics_.measure(result, since);
  result.readyMs = clock_.now().steadyMs;
  frameMetrics_.setFrameAge(result.figures,
                            static_cast<double>(result.readyMs - result.frame.taken.steadyMs));
  result.known = result.remembers ? frameMetrics_.knownOf(result, known_) : result.figures;
  known_ = result.known;
}

void Watched::watchCamera(FrameResult& result) {
  if (!watchCamera_) return;
  std::vector<CameraChange> changes =
      camera_.update(result.frame.picture, result.frame.taken, result.light);
  for (const CameraChange& change : changes) {
    if (change.fault != CameraFault::moved) continue;
    forgets_ = true;
    follow(change, result);
  }
  std::move(changes.begin(), changes.end(), std::back_inserter(cameraChanges_));
  result.camera = camera_.faults();
  result.placed = placed_;
}

// Called before the frame is counted, like tellWay.
void Watched::follow(const CameraChange& change, const FrameResult& result) {
  const RuleBook& book = source_.book;
  if (book.followCamera) {
    const RuleBook now = change.began && change.placement
                             ? followed(book, *change.placement, result.frame.picture.size())
                             : book;
    frameMetrics_.place(now);
    placed_ = now == book ? nullptr : std::make_shared<const RuleBook>(now);
  }
  way_ = changed(way_, {result.frame.taken, kViewEvent, viewName(change), {}, std::nullopt});
  tell({result.frame.taken, kViewEvent, viewName(change), viewText(change, book), change.value});
}

// Filters the result's picture, and the light in it.
void Watched::change(FrameResult& result, const Filter& filter) {
  result.filtered = static_cast<bool>(filter);
  if (!filter) return filteredMeter_.reset();
  Frame& frame = result.frame;
  frame.picture = filter(frame.picture);
  if (!filteredMeter_) filteredMeter_.emplace(lightOptions_, meter_.dayLevel());
  result.light = filteredMeter_->update(frame.picture, frame.taken);
}

// Judges no changed picture: a simulated night must not alert anybody.
std::vector<Firing> Watched::judge(const FrameResult& result) {
  if (!result.filtered) return rules_.update(result.known);
  rules_.miss();
  return {};
}

void Watched::handle(Frame frame, Network& network, Compare compare, bool remembers,
                     const Filter& filter) {
  const Moment taken = frame.taken;
  std::string fault;
  try {
    segmentAndTell(std::move(frame), network, compare, remembers, filter);
  } catch (const std::exception& failure) {
    fault = failure.what();
  }
  noteFault(fault, taken);
}

void Watched::segmentAndTell(Frame frame, Network& network, Compare compare, bool remembers,
                             const Filter& filter) {
  handledMs_ = clock_.now().steadyMs;
  auto result = std::make_shared<FrameResult>();
  const Moment taken = frame.taken;
  const LightReading light = meter_.update(frame.picture, taken);
  result->light = light;
  result->frame = std::move(frame);
  watchCamera(*result);
  change(*result, filter);
  result->schedule = network.schedule();
  const CaptureStatus status = capture_->status();
  if (status.reconnects != reconnects_) forgets_ = true;
  segment(network, remembers, *result);
  this->compare(network, compare, *result);
  tellClock(taken);
  measure(status, *result);
  if (!result->remembers || !result->segmentation.mergeMap.empty()) {
    merged_ = result;
  } else if (merged_ && merged_->frame.picture.size() == result->frame.picture.size()) {
    result->merged = merged_;
  }
  tellLight(light, taken);
  tellWay(*result);
  const std::vector<Firing> firings = judge(*result);
  {
    const std::lock_guard lock(mutex_);
    statistics_.add(result->figures);
    latest_ = result;
    if (result->filtered) filteredAt_ = taken;
    ++frames_;
  }
  if (!firings.empty()) noteHolding();
  for (EngineListener* listener : listeners_) listener->onResult(source_.name, result);
  tellCamera(result);
  tellFirings(rules_.rules(), firings, taken);
  // A replay's seconds are those of the file.
  const std::int64_t nowMs = replay_ ? taken.steadyMs : result->readyMs;
  if (nowMs - toldMs_ >= kTellEveryMs || nowMs < toldMs_) {
    toldMs_ = nowMs;
    tellChanged();
  }
  if (clock_.now().steadyMs - viewToldMs_ >= kTellViewEveryMs) tellView();
  compareBudget_.took(*result);
}

// A replay's time is that of the file.
Moment Watched::moment() const {
  if (!replay_) return clock_.now();
  const FrameResultPtr newest = latest();
  return newest ? newest->frame.taken : Moment{};
}

void Watched::noteHolding() {
  const std::vector<bool> holding = rules_.holding();
  const std::lock_guard lock(mutex_);
  holding_.clear();
  for (std::size_t i = 0; i < holding.size(); ++i) {
    holding_.emplace_back(rules_.rules()[i].name, holding[i]);
  }
}

void Watched::look() {
  const CaptureStatus status = capture_->status();
  const Moment now = moment();
  tellCapture(status, now);
  if (worksSince_ && now.steadyMs - worksSince_->steadyMs >= kWorksMs) tellModelWorks();
  if (replay_) return;
  tellClock(now);
  if (status.state != CaptureState::ended) {
    // A camera that was away from the start has been silent since then.
    const std::int64_t silentMs =
        status.msSinceFrame >= 0 ? status.msSinceFrame : now.steadyMs - begunMs_;
    const std::vector<Firing> firings = rules_.silence(now, silentMs);
    if (!firings.empty()) noteHolding();
    tellFirings(rules_.rules(), firings, now);
  }
  if (now.steadyMs - toldMs_ >= kTellEveryMs) {
    toldMs_ = now.steadyMs;
    tellChanged();
    for (EngineListener* listener : listeners_) listener->onSilence(source_.name, now);
  }
}

void Watched::setRules(std::vector<Rule> rules) {
  const Moment now = moment();
  const Rules::Replaced replaced = rules_.replace(std::move(rules), now);
  noteHolding();
  tellFirings(replaced.before, replaced.firings, now);
  tellRules();
}

void Watched::noteFault(const std::string& fault, const Moment& taken) {
  {
    const std::lock_guard lock(mutex_);
    fault_ = fault;
  }
  if (fault.empty()) {
    if (modelFails_ && !worksSince_) worksSince_ = taken;
    return;
  }
  rules_.miss();
  worksSince_.reset();
  if (std::exchange(modelFails_, true)) return;
  tell({taken, "model", "fails", "the model fails on its frames: " + inOneLine(fault), {}});
}

void Watched::tellEnd() {
  if (worksSince_) tellModelWorks();
  const Moment now = moment();
  const std::vector<Firing> firings = rules_.end(now);
  noteHolding();
  tellFirings(rules_.rules(), firings, now);
  tellChanged();
  tellView();
}

void Watched::tellChanged() {
  std::vector<Series::Changed> changed;
  {
    const std::lock_guard lock(mutex_);
    changed = statistics_.series().takeChanged();
  }
  if (changed.empty()) return;
  for (std::size_t i = 0; i + 1 < listeners_.size(); ++i)
    listeners_[i]->onChanged(source_.name, changed);
  if (!listeners_.empty()) listeners_.back()->onChanged(source_.name, std::move(changed));
}

void Watched::tellView() {
  if (!watchCamera_ || replay_ || frames_ == 0) return;
  viewToldMs_ = clock_.now().steadyMs;
  const std::string view = camera_.view();
  for (EngineListener* listener : listeners_) listener->onView(source_.name, view);
}

void Watched::tellRules() const {
  for (EngineListener* listener : listeners_) listener->onRules(source_.name, rules_.rules());
}

void Watched::tell(const Event& event) const {
  for (EngineListener* listener : listeners_) listener->onEvent(source_.name, event);
}

void Watched::tellFirings(const std::vector<Rule>& rules, const std::vector<Firing>& firings,
                          const Moment& at) {
  const FrameResultPtr newest = latest();
  for (const Firing& firing : firings) {
    const Rule& rule = rules[firing.rule];
    tell({at, "rule", rule.name, firing.text, firing.value});
    for (EngineListener* listener : listeners_)
      listener->onFiring(source_.name, rule, firing, newest);
  }
}

void Watched::tellLight(const LightReading& light, const Moment& at) {
  if (light.state == light_) return;
  const std::string name(nameOf(light.state));
  const std::string text =
      light_ ? "the light is " + name + " now, it was " + std::string(nameOf(*light_))
             : "the light is " + name;
  light_ = light.state;
  tell({at, "light", name, text, light.luma});
}

// Called before the frame is counted: a new count begins with it.
void Watched::tellWay(const FrameResult& result) {
  const auto words = [](const std::string& schedule) {
    return schedule == "none" ? "unmerged" : "merging before " + schedule;
  };
  const Way before =
      std::exchange(way_, {result.schedule.text(), result.filtered, result.remembers, way_.view});
  const auto tellChange = [&](bool isChanged, const char* kind, const std::string& name,
                              const std::string& text) {
    if (isChanged) tell({result.frame.taken, kind, name, text, std::nullopt});
  };
  tellChange(way_.schedule != before.schedule, kScheduleEvent, way_.schedule,
             words(way_.schedule) + " from now on, " + words(before.schedule) + " until now");
  tellChange(way_.filtered != before.filtered, kFilterEvent, way_.filtered ? kOn : "off",
             way_.filtered
                 ? "pictures are changed before they are measured, as for a simulated night"
                 : "pictures are measured as they come again");
  tellChange(way_.memory != before.memory, kMemoryEvent, way_.memory ? kOn : "off",
             way_.memory ? "what did not change is remembered from now on"
                         : "every frame is computed in full from now on");
}

void Watched::tellCamera(const FrameResultPtr& result) {
  const Moment& at = result->frame.taken;
  for (const CameraChange& change : std::exchange(cameraChanges_, {})) {
    tell({at, "camera", std::string(nameOf(change.fault)), change.text, change.value});
    for (EngineListener* listener : listeners_) listener->onCamera(source_.name, change, result);
  }
}

void Watched::tellClock(const Moment& at) {
  if (era_ && at.era > *era_) tell({at, "clock", "set", "the wall clock was set", std::nullopt});
  era_ = std::max(era_.value_or(at.era), at.era);
}

void Watched::tellCapture(const CaptureStatus& status, const Moment& at) {
  // A source that stays away is reopened again and again, but reported once.
  if (status.state == CaptureState::opening || status.state == captureState_) return;
  captureState_ = status.state;
  tell({at, "source", nameOf(status.state), sentence(status), std::nullopt});
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
