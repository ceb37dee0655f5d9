// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "monitor/engine/engine_case.h"
#include "monitor/record/sample_record.h"
#include "monitor/service/session.h"

namespace mpm::test {

inline monitor::Rule brightRule(const std::string& name = "bright") {
  return metricRule(name, "area.bright", 0.5);
}

/// A source named "gate" that gives `frames` pictures in a replay, ten a second, each a little
/// brighter than the one before: the 29th to the 37th are bright.
inline monitor::EngineOptions stubReplay(int frames, const std::vector<monitor::Rule>& rules = {}) {
  return watching({.frames = frames}, named("gate", rules));
}

/// A source as a camera, which never ends.
inline monitor::EngineOptions stubLive(const std::string& name = "gate",
                                       const std::vector<monitor::Rule>& rules = {}) {
  return watching(livePlan(), named(name, rules));
}

/// A network as if it were loaded from a file of this name, which there is not.
inline monitor::LoadedNetworkPtr stubLoaded(
    std::shared_ptr<monitor::Network> network = std::make_shared<StubNetwork>(),
    const std::string& model = "stub") {
  const auto loaded = std::make_shared<monitor::LoadedNetwork>();
  loaded->options.model = "folder/" + model + ".onnx";
  loaded->schedule = network->schedule();
  loaded->network = std::move(network);
  loaded->hash = "hash of " + model;
  return loaded;
}

inline monitor::PreparedCamera stubCamera(monitor::EngineOptions engine,
                                          monitor::LoadedNetworkPtr loaded = stubLoaded()) {
  return monitor::prepareCamera(std::move(engine), std::move(loaded));
}

inline monitor::SessionOptions stubOptions(const std::string& record = {}) {
  monitor::SessionOptions options;
  options.record = record;
  options.recordOptions.silentMs = 120000;  // whatever a busy disk takes
  options.version = "1.2";
  options.pictures.perHour = 0;
  return options;
}

/// Until all replays are over.
inline bool isDone(const monitor::Session& session) {
  return eventually([engines = session.engines()] {
    return std::all_of(engines.begin(), engines.end(),
                       [](const auto& engine) { return engine->done(); });
  });
}

/// Until so many frames more were labelled, by the engine that watches now.
inline bool goesOn(const monitor::Session& session, const std::string& source,
                   std::uint64_t frames = 2) {
  const std::uint64_t until = session.engine(source)->frames() + frames;
  return eventually([&] { return session.engine(source)->frames() >= until; });
}

/// A session's events, of all sources.
class HeardEvents : public monitor::EngineListener {
 public:
  void onEvent(const std::string& source, const monitor::Event& event) override {
    const std::lock_guard lock(mutex_);
    events_.emplace_back(source, event);
  }
  std::vector<monitor::Event> of(const std::string& kind, const std::string& source = "") const {
    const std::lock_guard lock(mutex_);
    std::vector<monitor::Event> found;
    for (const auto& [from, event] : events_)
      if (event.kind == kind && (source.empty() || from == source)) found.push_back(event);
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<std::string, monitor::Event>> events_;
};

/// Sessions whose record is "a.sqlite", if they have one.
class SessionCase : public testing::Test {
 protected:
  /// Watches a replay, and ends.
  void watch(const monitor::EngineOptions& engine) const {
    const monitor::Session session(stubOptions(path_), {stubCamera(engine)});
    ASSERT_TRUE(isDone(session));
    EXPECT_EQ(session.recordFault(), "");
  }
  std::vector<monitor::RecordedRun> runs(const std::string& source = "gate") const {
    return monitor::RecordReader(path_).runs(source);
  }
  std::vector<monitor::Event> events(const std::string& kind,
                                     const std::string& source = "gate") const {
    std::vector<monitor::Event> events = monitor::eventsIn(path_, source);
    std::erase_if(events, [&](const monitor::Event& event) { return event.kind != kind; });
    return events;
  }

  monitor::Folder folder_;
  const std::string path_ = folder_ / "a.sqlite";
};

}  // namespace mpm::test
