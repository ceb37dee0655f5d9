// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

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

/// All that an engine with several sources tells, rules and seconds included.
class EngineEar : public monitor::EngineListener {
 public:
  void onResult(std::size_t source, const monitor::FrameResultPtr& result) override {
    const std::lock_guard lock(mutex);
    results.emplace_back(source, result);
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

  std::mutex mutex;
  std::vector<std::pair<std::size_t, monitor::FrameResultPtr>> results;
  std::vector<std::string> firings, events;
  std::map<std::int64_t, monitor::Bucket> seconds;
};

inline monitor::NamedSource named(const std::string& name) {
  monitor::NamedSource source;
  source.name = name;
  source.address.text = source.address.shown = "stub:" + name;
  return source;
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
