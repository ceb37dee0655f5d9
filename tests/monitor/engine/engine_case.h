// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "monitor/engine/engine.h"
#include "monitor/engine/stub_network.h"
#include "monitor/engine/stub_reader.h"

namespace mpm::test {

/// Names of rules, and whether they hold.
using Held = std::vector<std::pair<std::string, bool>>;

/// All that an engine tells, rules and seconds included.
class Heard : public monitor::EngineListener {
 public:
  void onResult(std::size_t, const monitor::FrameResultPtr& result) override {
    const std::lock_guard lock(mutex);
    results.push_back(result);
  }
  void onFiring(std::size_t, const monitor::Rule& rule, const monitor::Firing& firing,
                const monitor::FrameResultPtr& newest) override {
    const std::lock_guard lock(mutex);
    firings.push_back(rule.name + (firing.began ? " began" : " ended"));
    EXPECT_TRUE(newest);
  }
  void onEvent(std::size_t, const monitor::Event& event) override {
    const std::lock_guard lock(mutex);
    events.push_back(event.kind + " " + event.name);
  }
  void onChanged(std::size_t, std::vector<monitor::Series::Changed> buckets) override {
    const std::lock_guard lock(mutex);
    for (const monitor::Series::Changed& changed : buckets) {
      if (changed.resolution == monitor::Resolution::second)
        seconds[changed.bucket.startUtcMs] = changed.bucket;
    }
  }
  void onCamera(std::size_t, const monitor::CameraChange& change,
                const monitor::FrameResultPtr& result) override {
    const std::lock_guard lock(mutex);
    firings.push_back("camera " + std::string(monitor::nameOf(change.fault)) +
                      (change.began ? " began" : " ended"));
    EXPECT_EQ(result->camera.any(), change.began);
  }
  std::size_t count() {
    const std::lock_guard lock(mutex);
    return results.size();
  }
  bool has(const std::string& event) {
    const std::lock_guard lock(mutex);
    return std::count(events.begin(), events.end(), event) > 0;
  }

  std::mutex mutex;
  std::vector<monitor::FrameResultPtr> results;
  std::vector<std::string> firings, events;
  std::map<std::int64_t, monitor::Bucket> seconds;
};

inline monitor::NamedSource named(const std::string& name) {
  monitor::NamedSource source;
  source.name = name;
  source.address.text = source.address.shown = "stub:" + name;
  return source;
}

/// A camera's that never ends.
inline StubReaderPlan livePlan() {
  StubReaderPlan plan;
  plan.frames = 1 << 20;
  plan.live = true;
  return plan;
}

inline monitor::EngineOptions replayOf(const StubReaderPlan& plan,
                                       std::vector<monitor::NamedSource> sources = {named("a")}) {
  monitor::EngineOptions options;
  options.sources = std::move(sources);
  options.capture.everyFrame = !plan.live;
  options.makeReader = [plan](const monitor::NamedSource&) {
    return std::make_unique<StubReader>(plan);
  };
  return options;
}

/// One source, "a", that is read with what `makeReader` gives.
template <typename MakeReader>
monitor::EngineOptions watchingWith(const MakeReader& makeReader, bool replay) {
  monitor::EngineOptions options;
  options.sources = {named("a")};
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

/// Fails on frames of these numbers.
class Failing : public StubNetwork {
 public:
  explicit Failing(std::function<bool(int)> fails) : fails_(std::move(fails)) {}
  Segmentation segment(const cv::Mat& picture) override {
    if (fails_(segmented)) {
      ++segmented;
      throw std::runtime_error("it fell over\nsomewhere\n");
    }
    return StubNetwork::segment(picture);
  }

 private:
  std::function<bool(int)> fails_;
};

}  // namespace mpm::test
