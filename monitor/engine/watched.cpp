// SPDX-License-Identifier: Apache-2.0
#include "monitor/engine/watched.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "monitor/engine/following.h"
#include "mpm/tune.h"

namespace mpm::monitor {
namespace {

constexpr std::int64_t kTellEveryMs = 1000, kTellViewEveryMs = 600000;
constexpr std::int64_t kWorksMs = 10000;  // without a failure, until that is told

std::vector<std::string> namesOf(const std::vector<Rule>& rules) {
  std::vector<std::string> names;
  for (const Rule& rule : rules) names.push_back(rule.name);
  return names;
}

}  // namespace

std::unique_ptr<Capture> makeCapture(const NamedSource& source, const EngineOptions& options,
                                     Clock& clock) {
  if (!options.makeReader) return std::make_unique<Capture>(source.address, options.capture, clock);
  return std::make_unique<Capture>(
      source.address.shown, [make = options.makeReader, source] { return make(source); },
      options.capture, clock);
}

Watched::Watched(std::size_t index, const NamedSource& source, const EngineOptions& options,
                 Network& network, std::size_t merges,
                 const std::vector<EngineListener*>& listeners, Clock& clock)
    : index_(index),
      source_(source),
      listeners_(listeners),
      clock_(clock),
      replay_(options.capture.everyFrame),
      leastMs_(options.mostFps > 0 && !replay_ ? 1000 / options.mostFps : 0),
      lightOptions_(options.light),
      meter_(options.light),
      watchCamera_(options.watchCamera),
      frameMetrics_(network.classes(), source.book, merges, network.specialRows(), !replay_,
                    network.memoryFault().empty()),
      rules_(source.book.rules, frameMetrics_.metrics()),
      statistics_(frameMetrics_.metrics(), options.series),
      ruleNames_(namesOf(source.book.rules)),
      holding_(source.book.rules.size(), false),
      way_{network.schedule().text(), false, options.memory && network.memoryFault().empty()},
      begunMs_(clock.now().steadyMs),
      viewToldMs_(begunMs_),
      capture_(makeCapture(source, options, clock)) {
  if (watchCamera_ && !source.view.empty()) camera_.setView(source.view);
}

bool Watched::wantsFrame() const {
  return leastMs_ <= 0 || static_cast<double>(clock_.now().steadyMs - handledMs_) >= leastMs_;
}

// With what is remembered, which is of no use where the picture is another one now.
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

void Watched::compare(Network& network, const Besides& besides, FrameResult& result) {
  if (!besides.full) return;
  const cv::Mat& picture = result.frame.picture;
  result.full = network.segmentFull(picture);
  if (!besides.floor) return;
  const auto labelsOf = [&](const cv::Mat& moved) {
    Segmentation found = network.segmentFull(moved);
    result.floorMs = found.times.prepareMs + found.times.networkMs + found.times.labelsMs;
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

// Before the frame is counted, as tellWay.
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

// The result's picture, and the light in it.
void Watched::change(FrameResult& result, const std::function<cv::Mat(const cv::Mat&)>& filter) {
  result.filtered = static_cast<bool>(filter);
  if (!filter) return filteredMeter_.reset();
  Frame& frame = result.frame;
  frame.picture = filter(frame.picture);
  if (!filteredMeter_) filteredMeter_.emplace(lightOptions_);
  result.light = filteredMeter_->update(frame.picture, frame.taken);
}

// Of a changed picture a rule says nothing: nobody is to be called for a night that is simulated.
std::vector<Firing> Watched::judge(const FrameResult& result) {
  if (!result.filtered) return rules_.update(result.known);
  rules_.miss();
  return {};
}

FrameResultPtr Watched::handle(Frame frame, Network& network, const Besides& besides,
                               bool remembers,
                               const std::function<cv::Mat(const cv::Mat&)>& filter) {
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
  compare(network, besides, *result);
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
    holding_ = rules_.holding();
    ++frames_;
  }
  for (EngineListener* listener : listeners_) listener->onResult(index_, result);
  tellCamera(result);
  tellFirings(rules_.rules(), firings, taken);
  // A replay's seconds are those of the file.
  const std::int64_t nowMs = replay_ ? taken.steadyMs : result->readyMs;
  if (nowMs - toldMs_ >= kTellEveryMs || nowMs < toldMs_) {
    toldMs_ = nowMs;
    tellChanged();
  }
  if (clock_.now().steadyMs - viewToldMs_ >= kTellViewEveryMs) tellView();
  return result;
}

// A replay's time is that of the file.
Moment Watched::moment() const {
  if (!replay_) return clock_.now();
  const FrameResultPtr newest = latest();
  return newest ? newest->frame.taken : Moment{};
}

void Watched::noteHolding() {
  const std::lock_guard lock(mutex_);
  holding_ = rules_.holding();
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
    for (EngineListener* listener : listeners_) listener->onSilence(index_, now);
  }
}

void Watched::setRules(std::vector<Rule> rules) {
  const Moment now = moment();
  std::vector<std::string> names = namesOf(rules);
  const Rules::Replaced replaced = rules_.replace(std::move(rules), now);
  {
    const std::lock_guard lock(mutex_);
    ruleNames_ = std::move(names);
    holding_ = rules_.holding();
  }
  tellFirings(replaced.before, replaced.firings, now);
  tellRules();
}

FrameResultPtr Watched::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

std::optional<Moment> Watched::filteredAt() const {
  const std::lock_guard lock(mutex_);
  return filteredAt_;
}

std::vector<std::pair<std::string, bool>> Watched::rules() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, bool>> rules;
  for (std::size_t i = 0; i < ruleNames_.size(); ++i)
    rules.emplace_back(ruleNames_[i], holding_[i]);
  return rules;
}

std::uint64_t Watched::frames() const {
  const std::lock_guard lock(mutex_);
  return frames_;
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
  tellModelFails(fault, taken);
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

std::string Watched::fault() const {
  const std::lock_guard lock(mutex_);
  return fault_;
}

void Watched::readStatistics(const std::function<void(const Statistics&)>& look) const {
  const std::lock_guard lock(mutex_);
  look(statistics_);
}

}  // namespace mpm::monitor
