// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/session.h"

#include <algorithm>
#include <map>
#include <opencv2/imgcodecs.hpp>
#include <set>
#include <stdexcept>
#include <utility>

#include "monitor/record/record_reader.h"
#include "segment/pictures.h"

namespace mpm::monitor {
namespace {

constexpr std::int64_t kRecallMs = std::int64_t{7} * 86400000, kRecallPatienceMs = 2000;
constexpr std::int64_t kHourMs = 3600000;

// Skips rules that are gone: the engine may still have some until the next frame.
std::vector<PublishedRule> rulesOf(const std::vector<std::pair<std::string, bool>>& holding,
                                   const RuleBook& book) {
  std::vector<PublishedRule> rules;
  for (const auto& [name, holds] : holding) {
    const auto rule = std::find_if(book.rules.begin(), book.rules.end(),
                                   [&of = name](const Rule& one) { return one.name == of; });
    if (rule != book.rules.end()) rules.push_back({name, holds, rule->publish, rule->stale});
  }
  return rules;
}

// Returns the recent brightness of daytime hours; 0 if there was none.
double dayLevelOf(const RecordReader& reader, const std::string& source, std::int64_t nowUtcMs) {
  Tally luma;
  for (const Bucket& hour :
       reader.buckets(source, Resolution::hour, nowUtcMs - kRecallMs, nowUtcMs + 1, {"luma"})) {
    if (hour.light() == LightState::day) luma.add(hour.tallies[0]);
  }
  return luma.count > 0 ? luma.mean() : 0;
}

}  // namespace

Session::Session(SessionOptions options, std::vector<PreparedCamera> cameras,
                 std::vector<EngineListener*> listeners, Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      begunMs_(clock.now().steadyMs),
      listeners_(std::move(listeners)) {
  if (!options_.record.empty()) openRecord();
  if (options_.mqtt) mqtt_.emplace(*options_.mqtt);
  if (record_) hearRecord(listeners_);
  actions_.emplace(
      mqtt_ ? &*mqtt_ : nullptr,
      [this](const std::string& source, const Event& event) { tell(source, event); }, clock_);
  begin(std::move(cameras));
  if (options_.http) {
    http_.emplace(*options_.http,
                  PageContent{[this] { return state(); },
                              [this](const std::string& name) { return picture(name); }});
  }
}

Session::~Session() {
  http_.reset();
  stop();
  for (const auto& camera : cameras_) endEngine(*camera);
}

Session::Camera* Session::find(const std::string& source) const {
  const auto found = std::find_if(cameras_.begin(), cameras_.end(), [&](const auto& camera) {
    return camera->prepared.engine.source.name == source;
  });
  return found == cameras_.end() ? nullptr : found->get();
}

Session::Camera& Session::camera(const std::string& source) const {
  if (Camera* found = find(source)) return *found;
  throw std::out_of_range("nothing named " + source + " is watched");
}

Engines Session::engines() const {
  Engines engines;
  for (const auto& camera : cameras_) engines.push_back(camera->engine);
  return engines;
}

std::shared_ptr<Engine> Session::engine(const std::string& source) const {
  const Camera* camera = find(source);
  return camera == nullptr ? nullptr : camera->engine;
}

void Session::openRecord() {
  try {
    record_.emplace(options_.record, options_.recordOptions, clock_);
  } catch (const std::exception& fault) {
    if (options_.mustRecord) throw;
    recordFault_ = fault.what();
  }
}

// Runs in the record's thread, after the record has the events. The broker gets an event for each
// source that it concerns; others get it once.
void Session::hearRecord(std::vector<EngineListener*> listeners) {
  const auto last = std::make_shared<Event>();
  record_->setTell([this, listeners = std::move(listeners), last](const std::string& source,
                                                                  const Event& event) {
    if (mqtt_) mqtt_->publish(source, event);
    if (event.at.steadyMs == last->at.steadyMs && event.text == last->text) return;
    *last = event;
    for (EngineListener* listener : listeners) listener->onEvent(source, event);
  });
}

// Recalls, after a restart of engine or program, what a camera showed, how bright its days were,
// and when it was last pictured. Views older than kRecallMs belong to another season.
void Session::recall(EngineOptions& engine, std::optional<std::int64_t>& pictured) {
  NamedSource& source = engine.source;
  try {
    record_->flush(kRecallPatienceMs);
    const RecordReader reader(options_.record);
    const std::int64_t now = clock_.now().utcMs;
    for (const RecordedSnapshot& kept : reader.snapshots(source.name, now - kHourMs, now + 1)) {
      if (kept.reason == kDayPicture) pictured = kept.taken.utcMs;
    }
    source.dayLevel = dayLevelOf(reader, source.name, now);
    if (!engine.watchCamera) return;
    // Zones that follow were drawn for the camera's present view, whatever it was before.
    source.isNewView =
        !options_.knowsCameras || (source.book.followCamera && hasOtherPlaces(reader, source));
    source.view = source.isNewView ? std::string() : reader.view(source.name, now - kRecallMs);
  } catch (const std::runtime_error&) {  // then they are learnt again
  }
}

void Session::begin(std::vector<PreparedCamera> cameras) {
  std::set<std::string> names;
  for (const PreparedCamera& camera : cameras) {
    if (!names.insert(camera.engine.source.name).second)
      throw std::invalid_argument("two sources are named " + camera.engine.source.name);
  }
  for (PreparedCamera& camera : cameras) beginOne(std::move(camera));
  options_.knowsCameras = true;
}

void Session::beginOne(PreparedCamera prepared) {
  if (Camera* before = find(prepared.engine.source.name)) endEngine(*before);
  std::optional<std::int64_t> pictured;
  if (record_ && !prepared.engine.capture.everyFrame) recall(prepared.engine, pictured);
  prepared.engine.turns = turns_;
  prepared.engine.schedule = prepared.schedule();
  auto next = std::make_unique<Camera>();
  next->facts = runFacts(prepared, options_.version, clock_.now());
  next->prepared = std::move(prepared);
  const LoadedNetwork& loaded = *next->prepared.loaded;
  std::vector<EngineListener*> listeners{&*actions_};
  listeners.insert(listeners.end(), listeners_.begin(), listeners_.end());
  if (record_) {
    next->recorder = std::make_unique<Recorder>(*record_, options_.pictures, next->facts,
                                                loaded.network->palette(), pictured);
    listeners.push_back(next->recorder.get());
  }
  next->engine =
      std::make_shared<Engine>(next->prepared.engine, loaded.network, std::move(listeners), clock_);
  const std::unique_lock lock(replacing_);
  const auto place = std::find_if(cameras_.begin(), cameras_.end(), [&](const auto& camera) {
    return camera->facts.source == next->facts.source;
  });
  if (place == cameras_.end()) {
    cameras_.push_back(std::move(next));
  } else {
    std::swap(*place, next);  // and the one before goes when the lock is released
  }
}

void Session::end(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (const Camera* camera = find(name); camera != nullptr && camera->engine)
      camera->engine->askToStop();
  }
  for (const std::string& name : names) {
    if (Camera* camera = find(name)) endEngine(*camera);
  }
  const std::unique_lock lock(replacing_);
  std::erase_if(cameras_, [&](const auto& camera) {
    return std::find(names.begin(), names.end(), camera->facts.source) != names.end();
  });
}

// Stops the engine, which others may still hold: it must not report once its listeners are gone.
void Session::endEngine(Camera& camera) {
  if (!camera.engine) return;
  camera.engine->stop();
  if (camera.recorder) camera.recorder->endClips();
  const std::unique_lock lock(replacing_);
  camera.last = sourceNow(camera);
  camera.lastTurnedMs = camera.engine->turnedMs();
  camera.engine.reset();
}

void Session::tell(const std::string& source, const Event& event) {
  const std::shared_lock lock(replacing_);
  for (EngineListener* listener : listeners_) listener->onEvent(source, event);
  const Camera* camera = find(source);
  if (camera != nullptr && camera->recorder) camera->recorder->onEvent(source, event);
}

std::vector<cv::Mat> Session::newestPictures() const {
  std::vector<cv::Mat> pictures;
  for (const auto& camera : cameras_) {
    const FrameResultPtr newest = camera->engine ? camera->engine->latest() : nullptr;
    if (newest) pictures.push_back(newest->frame.picture);
  }
  return pictures;
}

// Zones are metrics, and an engine's metrics are fixed.
bool Session::setBooks(std::vector<RuleBook> books) {
  std::map<LoadedNetworkPtr, LoadedNetworkPtr> models;  // before and now: cameras may share one
  for (const auto& camera : cameras_) {
    const LoadedNetworkPtr& before = camera->prepared.loaded;
    const auto [model, isFirst] = models.try_emplace(before, before);
    if (isFirst && before->isReplaced())
      model->second = loadNetwork(before->options, [this] { return newestPictures(); });
  }
  std::vector<PreparedCamera> others;
  for (std::size_t i = 0; i < books.size(); ++i) {
    const Camera& camera = *cameras_.at(i);
    EngineOptions engine = camera.prepared.engine;
    const LoadedNetworkPtr& loaded = models.at(camera.prepared.loaded);
    const bool isOther = !camera.engine || loaded != camera.prepared.loaded ||
                         !measuresAlike(books[i], engine.source.book);
    engine.source.book = books[i];
    PreparedCamera prepared = prepareCamera(std::move(engine), loaded);
    if (isOther) others.push_back(std::move(prepared));
  }
  for (std::size_t i = 0; i < books.size(); ++i) {
    Camera& camera = *cameras_[i];
    const bool isOther = std::any_of(others.begin(), others.end(), [&](const auto& other) {
      return other.engine.source.name == camera.facts.source;
    });
    if (isOther) continue;
    camera.engine->setRules(books[i].rules);
    const std::unique_lock lock(replacing_);
    camera.prepared.engine.source.book = std::move(books[i]);
  }
  const bool begins = !others.empty();
  begin(std::move(others));
  return begins;
}

PublishedState Session::state() {
  const std::shared_lock lock(replacing_);
  PublishedState state;
  state.version = options_.version;
  const std::int64_t nowMs = clock_.now().steadyMs;
  state.upMs = nowMs - begunMs_;
  if (record_) state.record = record_->status();
  if (mqtt_) state.mqtt = mqtt_->status();
  state.commands = actions_->commands();
  for (const auto& camera : cameras_) {
    if (state.model.empty()) state.model = camera->facts.model;
    const std::int64_t turnedMs =
        camera->engine ? camera->engine->turnedMs() : camera->lastTurnedMs;
    state.netStillMs = std::max(state.netStillMs, nowMs - std::max(begunMs_, turnedMs));
    state.sources.push_back(camera->engine ? sourceNow(*camera) : camera->last);
  }
  return state;
}

PublishedSource Session::sourceNow(const Camera& camera) const {
  const Engine& engine = *camera.engine;
  const EngineOptions& options = camera.prepared.engine;
  const auto turnMs = options.mostFps > 0 ? static_cast<std::int64_t>(1000 / options.mostFps) : 0;
  PublishedSource source;
  source.name = options.source.name;
  source.shown = options.source.address.shown;
  source.metrics = engine.metrics().parsed();
  if (const FrameResultPtr newest = engine.latest()) {
    source.latest = newest->known;
    source.latestAgeMs = clock_.now().steadyMs - newest->readyMs - turnMs;
  }
  source.capture = engine.capture();
  source.netFault = engine.fault();
  source.rules = rulesOf(engine.rules(), options.source.book);
  engine.readStatistics([&](const Statistics& statistics) {
    for (std::size_t light = 0; light < kLightStates; ++light) {
      source.lightFrames[light] = statistics.frames(kAllLightStates[light]);
      source.frames += source.lightFrames[light];
    }
  });
  return source;
}

std::vector<unsigned char> Session::picture(const std::string& source) {
  const std::shared_lock lock(replacing_);
  Camera* camera = find(source);
  const FrameResultPtr newest =
      camera != nullptr && camera->engine ? camera->engine->latest() : nullptr;
  if (!newest) return {};
  const std::lock_guard encoding(encoding_);
  if (camera->encodedOf != newest) {
    cv::imencode(
        ".jpg",
        drawOverlay(newest->frame.picture, newest->segmentation.labels, camera->engine->palette()),
        camera->encoded, {cv::IMWRITE_JPEG_QUALITY, 85});
    camera->encodedOf = newest;
  }
  return camera->encoded;
}

void Session::publish() {
  if (mqtt_) mqtt_->publish(state());
}

void Session::stop() {
  for (const auto& camera : cameras_) {
    if (camera->engine) camera->engine->askToStop();
  }
  for (const auto& camera : cameras_) {
    if (!camera->engine) continue;
    camera->engine->stop();
    if (camera->recorder) camera->recorder->endClips();
  }
  actions_->end();
}

std::optional<RecordStatus> Session::endRecord(std::int64_t patienceMs) {
  if (!record_) return {};
  return record_->end(patienceMs);
}

bool Session::snapshot(const std::string& source, const std::string& reason) {
  const Camera& camera = this->camera(source);
  const FrameResultPtr newest = camera.engine ? camera.engine->latest() : nullptr;
  if (!camera.recorder || !newest) return false;
  camera.recorder->snapshot(*newest, reason);
  return true;
}

void Session::setPicturesPerHour(int perHour) {
  options_.pictures.perHour = perHour;
  for (const auto& camera : cameras_) {
    if (camera->recorder) camera->recorder->setPicturesPerHour(perHour);
  }
}

std::string Session::recordFault() const {
  return record_ ? record_->status().fault : recordFault_;
}

std::string Session::backupFault() const {
  return record_ ? record_->status().backupFault : std::string();
}

std::string Session::mqttFault() const { return mqtt_ ? mqtt_->status().fault : std::string(); }

}  // namespace mpm::monitor
