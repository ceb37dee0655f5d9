// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/session.h"

#include <algorithm>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>
#include <utility>

#include "digest/sha256.h"
#include "dnn/model_files.h"
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

Session::Session(PreparedSession prepared, std::vector<EngineListener*> listeners, Clock& clock)
    : options_(prepared.options),
      clock_(clock),
      begunMs_(clock.now().steadyMs),
      listeners_(std::move(listeners)),
      lastTurnedMs_(begunMs_) {
  const std::vector<EngineListener*> programs = listeners_;
  if (!options_.record.empty()) openRecord();
  if (options_.mqtt) mqtt_.emplace(*options_.mqtt);
  if (record_) hearRecord(programs);
  std::vector<std::string> names;
  for (const NamedSource& source : options_.engine.sources) names.push_back(source.name);
  actions_.emplace(
      names, mqtt_ ? &*mqtt_ : nullptr,
      [this](std::size_t source, const Event& event) { tell(source, event); }, clock_);
  begin(std::move(prepared));
  if (options_.http) {
    http_.emplace(*options_.http,
                  PageContent{[this] { return state(); },
                              [this](const std::string& name) { return picture(name); }});
  }
}

Session::~Session() {
  http_.reset();
  if (engine_) stopEngine();
  actions_->end();
  endEngine();
}

// Stops the engine, which others may still hold: it must not report once its listeners are gone.
void Session::endEngine() {
  if (engine_) stopEngine();
  const std::unique_lock lock(replacing_);
  if (!engine_) return;
  lastSources_ = sourcesNow();
  lastTurnedMs_ = engine_->turnedMs();
  engine_.reset();
}

void Session::openRecord() {
  try {
    record_.emplace(options_.record, options_.recordOptions, clock_);
  } catch (const std::exception& fault) {
    if (options_.mustRecord) throw;
    recordFault_ = fault.what();
    return;
  }
  recorder_.emplace(*record_, options_.pictures);
  listeners_.push_back(&*recorder_);
}

// Runs in the record's thread, after the record has the events. The broker gets an event for each
// source that it concerns; others get it once.
void Session::hearRecord(std::vector<EngineListener*> listeners) {
  std::vector<std::string> names;
  for (const NamedSource& source : options_.engine.sources) names.push_back(source.name);
  const auto last = std::make_shared<Event>();
  record_->setTell([this, names, listeners = std::move(listeners), last](const std::string& source,
                                                                         const Event& event) {
    if (mqtt_) mqtt_->publish(source, event);
    if (event.at.steadyMs == last->at.steadyMs && event.text == last->text) return;
    *last = event;
    const auto place = std::find(names.begin(), names.end(), source);
    for (EngineListener* listener : listeners) {
      listener->onEvent(static_cast<std::size_t>(place - names.begin()), event);
    }
  });
}

// Recalls, after a restart of engine or program, what cameras showed, how bright their days were,
// and when they were last pictured. Views older than kRecallMs belong to another season.
void Session::recall() {
  if (options_.engine.capture.everyFrame) return;
  try {
    record_->flush(kRecallPatienceMs);
    const RecordReader reader(options_.record);
    const std::int64_t now = clock_.now().utcMs;
    for (NamedSource& source : options_.engine.sources) {
      for (const RecordedSnapshot& kept : reader.snapshots(source.name, now - kHourMs, now + 1)) {
        if (kept.reason == kDayPicture) pictured_[source.name] = kept.taken.utcMs;
      }
      source.dayLevel = dayLevelOf(reader, source.name, now);
      if (!options_.engine.watchCamera) continue;
      // Zones that follow were drawn for the camera's present view, whatever it was before.
      source.isNewView =
          !options_.knowsCameras || (source.book.followCamera && hasOtherPlaces(reader, source));
      source.view = source.isNewView ? std::string() : reader.view(source.name, now - kRecallMs);
    }
  } catch (const std::runtime_error&) {  // then they are learnt again
  }
  options_.knowsCameras = true;
}

void Session::begin(PreparedSession prepared) {
  endEngine();
  {
    const std::unique_lock lock(replacing_);
    options_ = prepared.options;
  }
  modelHash_ = prepared.modelHash;
  modelFiles_ = prepared.modelFiles;
  chosenFrom_.reset();
  if (options_.choosePrecision &&
      (!prepared.precisions.empty() || options_.chosenFor != modelHash_)) {
    chosenFrom_ = prepared.precisions;
  }
  if (recorder_) recall();
  facts_.clear();
  for (const NamedSource& source : options_.engine.sources)
    facts_.push_back(runFacts(prepared, source, clock_.now()));
  if (recorder_) {
    const std::lock_guard lock(telling_);
    for (std::size_t i = 0; i < options_.engine.sources.size(); ++i) {
      const NamedSource& source = options_.engine.sources[i];
      const auto pictured = pictured_.find(source.name);
      recorder_->begin(
          i, facts_[i], prepared.network->palette(),
          pictured == pictured_.end() ? std::nullopt : std::optional(pictured->second));
    }
  }
  std::vector<EngineListener*> listeners{&*actions_};
  listeners.insert(listeners.end(), listeners_.begin(), listeners_.end());
  auto engine = std::make_shared<Engine>(options_.engine, std::move(prepared.network),
                                         std::move(listeners), clock_);
  const std::unique_lock lock(replacing_);
  engine_ = std::move(engine);
}

void Session::tell(std::size_t source, const Event& event) {
  const std::lock_guard lock(telling_);
  for (EngineListener* listener : listeners_) listener->onEvent(source, event);
}

// Zones are metrics, and an engine's metrics are fixed.
bool Session::hasZonesOf(const std::vector<RuleBook>& books) const {
  for (std::size_t i = 0; i < books.size(); ++i) {
    if (!measuresAlike(books[i], engine_->source(i).book)) return false;
  }
  return true;
}

// A model that cannot be read does not count as another one: the network continues.
bool Session::hasOtherModel() const {
  try {
    const std::string& model = options_.model;
    return !modelFiles_.empty() &&
           digest::modelSha256(model, dnn::filesOfModel(model)) != modelFiles_;
  } catch (const std::exception&) {
    return false;
  }
}

std::vector<cv::Mat> Session::newestPictures() const {
  std::vector<cv::Mat> pictures;
  for (std::size_t i = 0; engine_ && i < engine_->sources(); ++i) {
    const FrameResultPtr newest = engine_->latest(i);
    if (newest) pictures.push_back(newest->frame.picture);
  }
  return pictures;
}

bool Session::setBooks(std::vector<RuleBook> books) {
  SessionOptions options = options_;
  for (std::size_t i = 0; i < books.size(); ++i) options.engine.sources.at(i).book = books[i];
  if (!engine_ || !hasZonesOf(books) || hasOtherModel()) {
    begin(prepare(std::move(options), newestPictures()));
    return true;
  }
  for (std::size_t i = 0; i < books.size(); ++i) checkRules(books[i], engine_->metrics(i));
  for (std::size_t i = 0; i < books.size(); ++i) engine_->setRules(i, std::move(books[i].rules));
  const std::unique_lock lock(replacing_);
  options_ = std::move(options);
  return false;
}

PublishedState Session::state() {
  const std::shared_lock lock(replacing_);
  PublishedState state;
  state.version = options_.version;
  state.model = std::filesystem::path(options_.model).filename().string();
  const std::int64_t nowMs = clock_.now().steadyMs;
  state.upMs = nowMs - begunMs_;
  const std::int64_t turnedMs = engine_ ? engine_->turnedMs() : lastTurnedMs_;
  state.netStillMs = std::max<std::int64_t>(0, nowMs - std::max(begunMs_, turnedMs));
  if (record_) state.record = record_->status();
  if (mqtt_) state.mqtt = mqtt_->status();
  state.commands = actions_->commands();
  state.sources = engine_ ? sourcesNow() : lastSources_;
  return state;
}

std::vector<PublishedSource> Session::sourcesNow() const {
  std::vector<PublishedSource> sources;
  const double mostFps = options_.engine.mostFps;
  const auto turnMs = mostFps > 0 ? static_cast<std::int64_t>(1000 / mostFps) : 0;
  for (std::size_t i = 0; i < engine_->sources(); ++i) {
    PublishedSource source;
    source.name = engine_->source(i).name;
    source.shown = engine_->source(i).address.shown;
    source.metrics = engine_->metrics(i).parsed();
    if (const FrameResultPtr newest = engine_->latest(i)) {
      source.latest = newest->known;
      source.latestAgeMs = clock_.now().steadyMs - newest->readyMs - turnMs;
    }
    source.capture = engine_->capture(i);
    source.netFault = engine_->fault(i);
    source.rules = rulesOf(engine_->rules(i), options_.engine.sources.at(i).book);
    engine_->readStatistics(i, [&](const Statistics& statistics) {
      for (std::size_t light = 0; light < kLightStates; ++light) {
        source.lightFrames[light] = statistics.frames(kAllLightStates[light]);
        source.frames += source.lightFrames[light];
      }
    });
    sources.push_back(std::move(source));
  }
  return sources;
}

std::vector<unsigned char> Session::picture(const std::string& source) {
  const std::shared_lock lock(replacing_);
  for (std::size_t i = 0; engine_ && i < engine_->sources(); ++i) {
    if (engine_->source(i).name != source) continue;
    const FrameResultPtr newest = engine_->latest(i);
    if (!newest) return {};
    const std::lock_guard encoding(encoding_);
    Encoded& kept = encoded_[i];
    if (kept.of != newest) {
      cv::imencode(
          ".jpg",
          drawOverlay(newest->frame.picture, newest->segmentation.labels, engine_->palette()),
          kept.bytes, {cv::IMWRITE_JPEG_QUALITY, 85});
      kept.of = newest;
    }
    return kept.bytes;
  }
  return {};
}

void Session::publish() {
  if (mqtt_) mqtt_->publish(state());
}

void Session::stopEngine() {
  engine_->stop();
  if (recorder_) recorder_->endClips();
}

void Session::stop() {
  stopEngine();
  actions_->end();
}

std::optional<RecordStatus> Session::endRecord(std::int64_t patienceMs) {
  if (!record_) return {};
  return record_->end(patienceMs);
}

bool Session::snapshot(std::size_t source, const std::string& reason) {
  const FrameResultPtr newest = engine_->latest(source);
  if (!recorder_ || !newest) return false;
  recorder_->snapshot(source, *newest, reason);
  return true;
}

void Session::setPicturesPerHour(int perHour) {
  if (recorder_) recorder_->setPicturesPerHour(perHour);
  options_.pictures.perHour = perHour;
}

std::string Session::recordFault() const {
  return record_ ? record_->status().fault : recordFault_;
}

std::string Session::backupFault() const {
  return record_ ? record_->status().backupFault : std::string();
}

std::string Session::mqttFault() const { return mqtt_ ? mqtt_->status().fault : std::string(); }

}  // namespace mpm::monitor
