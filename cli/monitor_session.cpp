// SPDX-License-Identifier: Apache-2.0
#include "cli/monitor_session.h"

#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/monitor_light.h"
#include "cli/read_options.h"
#include "monitor/service/file_hash.h"

namespace mpm::cli {

MonitorSession::MonitorSession(const MonitorPlan& plan, monitor::EngineListener* log)
    : plan_(plan), log_(log) {
  monitor::EngineOptions options = engineOptions();
  if (!plan_.record.empty()) {
    modelHash_ = monitor::sha256Of(plan_.model);
    record_.emplace(plan_.record, plan_.recordOptions);
  }
  if (plan_.mqtt) mqtt_.emplace(*plan_.mqtt);
  begin(std::move(options));
  if (plan_.http) startHttp();
}

MonitorSession::~MonitorSession() {
  http_.reset();
  const std::unique_lock lock(replacing_);
  engine_.reset();
}

monitor::EngineOptions MonitorSession::engineOptions() const {
  monitor::EngineOptions options = plan_.engine;
  for (monitor::NamedSource& source : options.sources) {
    const std::string& file = plan_.rules.of(source.name);
    if (!file.empty()) source.book = monitor::readRules(file);
  }
  return options;
}

monitor::RunFacts MonitorSession::runFacts(const monitor::NamedSource& source,
                                           monitor::Network& network) const {
  monitor::RunFacts facts;
  facts.source = source.name;
  facts.address = source.address.shown;
  facts.model = std::filesystem::path(plan_.model).filename().string();
  facts.modelHash = modelHash_;
  facts.settings = settingsJson(source, network.schedule());
  facts.version = MPM_VERSION;
  facts.metrics = monitor::engineMetrics(network, source.book.zones).names();
  facts.begun = monitor::systemClock().now();
  return facts;
}

// What may be refused is refused before the engine that runs is given up: a camera opens once.
void MonitorSession::begin(monitor::EngineOptions options) {
  auto network = monitor::makeNetwork(plan_.model, plan_.segmenter);
  std::vector<std::string> names;
  for (const monitor::NamedSource& source : options.sources) {
    monitor::checkRules(source.book, monitor::engineMetrics(*network, source.book.zones));
    names.push_back(source.name);
  }
  {
    const std::unique_lock lock(replacing_);
    engine_.reset();
  }
  const std::string model = std::filesystem::path(plan_.model).filename().string();
  publishing_ =
      std::make_unique<monitor::Publishing>(MPM_VERSION, model, record_ ? &*record_ : nullptr,
                                            mqtt_ ? &*mqtt_ : nullptr, monitor::systemClock());
  actions_ = std::make_unique<monitor::Actions>(names, commands_, mqtt_ ? &*mqtt_ : nullptr);
  std::vector<monitor::EngineListener*> listeners{publishing_.get(), actions_.get()};
  if (log_ != nullptr) listeners.push_back(log_);
  if (record_) {
    recorder_ = std::make_unique<monitor::Recorder>(*record_);
    for (std::size_t i = 0; i < options.sources.size(); ++i) {
      recorder_->begin(i, runFacts(options.sources[i], *network), network->palette());
    }
    listeners.push_back(recorder_.get());
  }
  auto engine = std::make_unique<monitor::Engine>(std::move(options), std::move(network),
                                                  std::move(listeners));
  const std::unique_lock lock(replacing_);
  engine_ = std::move(engine);
}

void MonitorSession::stop() { engine_->stop(); }

// Zones are metrics, and an engine's metrics stay.
bool MonitorSession::hasZonesOf(const monitor::EngineOptions& options) const {
  for (std::size_t i = 0; i < options.sources.size(); ++i) {
    if (options.sources[i].book.zones != engine_->source(i).book.zones) return false;
  }
  return true;
}

bool MonitorSession::reload() {
  monitor::EngineOptions options = engineOptions();
  if (engine_ == nullptr || !hasZonesOf(options)) {
    begin(std::move(options));
    return true;
  }
  for (std::size_t i = 0; i < options.sources.size(); ++i) {
    monitor::checkRules(options.sources[i].book, engine_->metrics(i));
  }
  for (std::size_t i = 0; i < options.sources.size(); ++i) {
    engine_->setRules(i, std::move(options.sources[i].book.rules));
  }
  return false;
}

void MonitorSession::startHttp() {
  monitor::HttpServer::Content content;
  content.state = [this] {
    const std::shared_lock lock(replacing_);
    return engine_ ? publishing_->state(*engine_) : monitor::PublishedState{};
  };
  content.picture = [this](const std::string& source) {
    const std::shared_lock lock(replacing_);
    return engine_ ? publishing_->picture(*engine_, source) : std::vector<unsigned char>{};
  };
  http_.emplace(*plan_.http, std::move(content));
}

void MonitorSession::publish() {
  if (mqtt_) mqtt_->publish(publishing_->state(*engine_));
}

std::string MonitorSession::recordFault() const {
  return record_ ? record_->status().fault : std::string();
}

std::string MonitorSession::mqttFault() const {
  return mqtt_ ? mqtt_->status().fault : std::string();
}

std::string MonitorSession::settingsJson(const monitor::NamedSource& source,
                                         const std::vector<int>& schedule) const {
  nlohmann::json settings;
  settings["merge_before"] = schedule;
  settings["precision"] = usedPrecision(plan_.segmenter.read);
  if (const std::string device = usedDeviceName(plan_.segmenter.read); !device.empty())
    settings["device"] = device;
  settings["max_fps"] = plan_.engine.mostFps;
  settings["light"] = lightText(plan_.engine.light);
  settings["replay"] = plan_.engine.capture.everyFrame;
  nlohmann::json zones = nlohmann::json::array();
  for (const monitor::Zone& zone : source.book.zones) {
    nlohmann::json corners = nlohmann::json::array();
    for (const cv::Point2d& corner : zone.corners) corners.push_back({corner.x, corner.y});
    zones.push_back({{"name", zone.name}, {"corners", corners}});
  }
  settings["zones"] = zones;
  return settings.dump();
}

}  // namespace mpm::cli
