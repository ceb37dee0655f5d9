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
  return watching({.frames = frames}, {named("gate", rules)});
}

/// The same source as a camera, which never ends.
inline monitor::EngineOptions stubLive() { return watching(livePlan(), {named("gate")}); }

/// A session of such options, without a model.
inline monitor::PreparedSession stubPrepared(monitor::EngineOptions engine,
                                             const std::string& record) {
  monitor::PreparedSession prepared;
  prepared.options.model = "folder/stub.onnx";
  prepared.options.engine = std::move(engine);
  prepared.options.record = record;
  prepared.options.recordOptions.silentMs = 120000;  // whatever a busy disk takes
  prepared.options.version = "1.2";
  prepared.options.pictures.perHour = 0;
  prepared.network = std::make_unique<StubNetwork>();
  prepared.modelHash = "1234";
  return prepared;
}

/// Until a replay is over.
inline bool isDone(const monitor::Session& session) {
  return eventually([&] { return session.engine()->done(); });
}

/// Sessions whose record is "a.sqlite", if they have one.
class SessionCase : public testing::Test {
 protected:
  monitor::PreparedSession prepared(monitor::EngineOptions engine) const {
    return stubPrepared(std::move(engine), path_);
  }
  /// Watches a replay, and ends.
  void watch(const monitor::EngineOptions& engine) const {
    const monitor::Session session(prepared(engine));
    ASSERT_TRUE(isDone(session));
    EXPECT_EQ(session.recordFault(), "");
  }
  std::vector<monitor::Event> events(const std::string& kind) const {
    std::vector<monitor::Event> events = monitor::eventsIn(path_);
    std::erase_if(events, [&](const monitor::Event& event) { return event.kind != kind; });
    return events;
  }

  monitor::Folder folder_;
  const std::string path_ = folder_ / "a.sqlite";
};

}  // namespace mpm::test
