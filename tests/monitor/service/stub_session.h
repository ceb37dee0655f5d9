// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "monitor/engine/stub_network.h"
#include "monitor/engine/stub_reader.h"
#include "monitor/service/session.h"

namespace mpm::test {

inline monitor::Rule brightRule(const std::string& name) {
  monitor::Rule rule;
  rule.name = name;
  rule.metric = "area.bright";
  rule.above = 0.5;
  return rule;
}

/// A source named "gate" that gives `frames` pictures in a replay, each a little brighter than the
/// one before.
inline monitor::EngineOptions stubReplay(int frames) {
  monitor::EngineOptions options;
  monitor::NamedSource source;
  source.name = "gate";
  source.address.text = source.address.shown = "stub:";
  options.sources = {source};
  options.capture.everyFrame = true;
  options.makeReader = [frames](const monitor::NamedSource&) {
    StubReaderPlan plan;
    plan.frames = frames;
    return std::make_unique<StubReader>(plan);
  };
  return options;
}

/// The same source as a camera, which never ends.
inline monitor::EngineOptions stubLive() {
  monitor::EngineOptions live = stubReplay(0);
  live.capture.everyFrame = false;
  live.makeReader = [](const monitor::NamedSource&) {
    StubReaderPlan plan;
    plan.live = true;
    plan.frames = 1 << 30;
    return std::make_unique<StubReader>(plan);
  };
  return live;
}

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

}  // namespace mpm::test
