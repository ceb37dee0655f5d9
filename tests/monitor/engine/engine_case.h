// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "monitor/clock/manual_clock.h"
#include "monitor/engine/engine.h"
#include "monitor/engine/stub_network.h"
#include "monitor/engine/stub_reader.h"
#include "monitor/rules/made_rules.h"
#include "monitor/says.h"

namespace mpm::test {

/// All that an engine tells, rules and seconds included.
class Heard : public monitor::EngineListener {
 public:
  void onResult(const std::string&, const monitor::FrameResultPtr& result) override {
    const std::lock_guard lock(mutex);
    results.push_back(result);
  }
  void onFiring(const std::string&, const monitor::Rule& rule, const monitor::Firing& firing,
                const monitor::FrameResultPtr& newest) override {
    const std::lock_guard lock(mutex);
    firings.push_back(rule.name + (firing.began ? " began" : " ended"));
    EXPECT_TRUE(newest);
  }
  void onEvent(const std::string&, const monitor::Event& event) override {
    const std::lock_guard lock(mutex);
    events.push_back(event);
  }
  void onChanged(const std::string&, std::vector<monitor::Series::Changed> buckets) override {
    const std::lock_guard lock(mutex);
    for (const monitor::Series::Changed& changed : buckets)
      if (changed.resolution == monitor::Resolution::second)
        seconds[changed.bucket.startUtcMs] = changed.bucket;
  }
  void onCamera(const std::string&, const monitor::CameraChange& change,
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
  /// Events of a kind, or of a kind and name: "light", "light day".
  std::vector<monitor::Event> of(const std::string& begin) {
    const std::lock_guard lock(mutex);
    std::vector<monitor::Event> found;
    for (const monitor::Event& event : events)
      if ((event.kind + " " + event.name + " ").starts_with(begin + " ")) found.push_back(event);
    return found;
  }

  std::mutex mutex;
  std::vector<monitor::FrameResultPtr> results;
  std::vector<std::string> firings;
  std::vector<monitor::Event> events;
  std::map<std::int64_t, monitor::Bucket> seconds;
};

inline monitor::NamedSource named(const std::string& name,
                                  const std::vector<monitor::Rule>& rules = {}) {
  monitor::NamedSource source;
  source.name = name;
  source.address.text = source.address.shown = "stub:" + name;
  source.book.rules = rules;
  return source;
}

/// A camera's that never ends.
inline StubReaderPlan livePlan() {
  StubReaderPlan plan;
  plan.frames = 1 << 20;
  plan.live = true;
  return plan;
}

/// Reads with what `makeReader` gives; `everyFrame`: as a file.
inline monitor::EngineOptions watching(
    const std::function<std::unique_ptr<monitor::Reader>()>& makeReader, bool everyFrame,
    monitor::NamedSource source = named("a")) {
  monitor::EngineOptions options;
  options.source = std::move(source);
  options.capture.everyFrame = everyFrame;
  options.makeReader = [makeReader](const monitor::NamedSource&) { return makeReader(); };
  return options;
}
inline monitor::EngineOptions watching(const StubReaderPlan& plan,
                                       monitor::NamedSource source = named("a")) {
  return watching([plan] { return std::make_unique<StubReader>(plan); }, !plan.live,
                  std::move(source));
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

/// An engine that is heard.
class EngineCase : public testing::Test {
 protected:
  void begin(const monitor::EngineOptions& options,
             std::shared_ptr<monitor::Network> network = std::make_shared<StubNetwork>()) {
    engine_.reset();
    engine_ = std::make_unique<monitor::Engine>(options, std::move(network),
                                                std::vector<monitor::EngineListener*>{&heard_});
  }
  /// To its end.
  void watch(const monitor::EngineOptions& options,
             std::shared_ptr<monitor::Network> network = std::make_shared<StubNetwork>()) {
    begin(options, std::move(network));
    ASSERT_TRUE(eventually([&] { return engine_->done(); }, std::chrono::minutes(10)));
    engine_->stop();
  }
  bool becomes(const std::function<bool(const monitor::FrameResult& newest)>& holds) {
    return eventually([&] {
      const monitor::FrameResultPtr newest = engine_->latest();
      return newest && holds(*newest);
    });
  }
  bool isTold(const std::string& event, std::size_t times = 1) {
    return eventually([&] { return heard_.of(event).size() == times; });
  }
  /// Until so many frames more were labelled.
  bool goesOn(std::size_t frames) {
    return eventually([&, from = heard_.count()] { return heard_.count() >= from + frames; });
  }
  double figure(const monitor::Figures& figures, const std::string& name) const {
    return figures.values.at(engine_->metrics().find(name).value());
  }
  double figure(std::size_t frame, const std::string& name) const {
    return figure(heard_.results.at(frame)->figures, name);
  }

  Heard heard_;
  std::unique_ptr<monitor::Engine> engine_;
};

}  // namespace mpm::test
