// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "monitor/engine/engine.h"

namespace mpm::test {

/// All that an engine tells.
class Heard : public monitor::EngineListener {
 public:
  void onResult(std::size_t, const monitor::FrameResultPtr& result) override {
    const std::lock_guard lock(mutex);
    results.push_back(result);
  }
  void onEvent(std::size_t, const monitor::Event& event) override {
    const std::lock_guard lock(mutex);
    events.push_back(event.kind + " " + event.name);
  }
  bool has(const std::string& event) {
    const std::lock_guard lock(mutex);
    return std::count(events.begin(), events.end(), event) > 0;
  }

  std::mutex mutex;
  std::vector<monitor::FrameResultPtr> results;
  std::vector<std::string> events;
};

/// One source, "a", that is read with what `makeReader` gives.
template <typename MakeReader>
monitor::EngineOptions watchingWith(const MakeReader& makeReader, bool replay) {
  monitor::EngineOptions options;
  monitor::NamedSource source;
  source.name = "a";
  source.address.text = source.address.shown = "stub:a";
  options.sources = {source};
  options.capture.everyFrame = replay;
  options.makeReader =
      [makeReader](const monitor::NamedSource&) -> std::unique_ptr<monitor::Reader> {
    return makeReader();
  };
  return options;
}

inline double figureOf(const monitor::Engine& engine, const monitor::Figures& figures,
                       const std::string& name) {
  return figures.values.at(engine.metrics(0).find(name).value());
}

}  // namespace mpm::test
