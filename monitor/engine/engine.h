// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "monitor/camera/camera_fault.h"
#include "monitor/clock/clock.h"
#include "monitor/engine/frame_result.h"
#include "monitor/engine/network.h"
#include "monitor/light/light_meter.h"
#include "monitor/rules/rules.h"
#include "monitor/source/capture.h"
#include "monitor/statistics/statistics.h"
#include "monitor/statistics/zones.h"

namespace mpm::monitor {

struct NamedSource {
  std::string name;  ///< [A-Za-z0-9_-]+; of several sources each has another
  SourceAddress address;
  RuleBook book;       ///< its zones and rules
  std::string view{};  ///< what onView gave of it lately; empty: its camera is not known yet
  bool isNewView{
      false};           ///< the camera was put up anew: its figures are of another view than before
  double dayLevel = 0;  ///< LightMeter::dayLevel, or about so much; 0: not known yet
};

struct EngineOptions {
  std::vector<NamedSource> sources;
  CaptureOptions
      capture;  ///< `everyFrame`: a replay, whose figures are the same every time; what
                ///< depends on this machine's speed (ms.*, frame_age_ms) is not known then
  LightOptions light;
  SeriesLimits series;
  double mostFps = 0;       ///< of each source; 0: as fast as the net is
  bool watchCamera = true;  ///< whether faults of the camera are looked for
  bool memory = true;       ///< whether each source has a scene memory, where the model can
  /// Other readers than an address's own, for tests; empty: those.
  std::function<std::unique_ptr<Reader>(const NamedSource&)> makeReader;
};

/// Which metrics an engine has of a source with this book.
Metrics engineMetrics(Network& network, const RuleBook& book);

/// Hears what an engine tells, from its own thread, and a session's events from any: calls return
/// at once and never throw.
class EngineListener {
 public:
  virtual ~EngineListener() = default;
  virtual void onResult(std::size_t /*source*/, const FrameResultPtr& /*result*/) {}
  /// The rules of a source, when the engine begins and when there are others.
  virtual void onRules(std::size_t /*source*/, const std::vector<Rule>& /*rules*/) {}
  virtual void onFiring(std::size_t /*source*/, const Rule& /*rule*/, const Firing& /*firing*/,
                        const FrameResultPtr& /*newest, or null*/) {}
  /// A fault of the camera that began or ended; onEvent tells of it as well.
  virtual void onCamera(std::size_t /*source*/, const CameraChange& /*change*/,
                        const FrameResultPtr& /*where it showed*/) {}
  /// Hears what the camera usually shows, once in ten minutes and at the end.
  virtual void onView(std::size_t /*source*/, const std::string& /*view*/) {}
  virtual void onEvent(std::size_t /*source*/, const Event& /*event*/) {}
  /// About once a second while no frame is measured, of sources that have the clock's time.
  virtual void onSilence(std::size_t /*source*/, const Moment& /*now*/) {}
  /// About once a second, and at the end, for each source.
  virtual void onChanged(std::size_t /*source*/, std::vector<Series::Changed> /*buckets*/) {}
};

class Watched;

/// Sources in, results out: captures, one net that they share in turn, light, statistics, rules.
/// One thread of its own beside the captures'. Every function from any thread.
class Engine {
 public:
  /// std::runtime_error, std::invalid_argument: one sentence on what cannot be. Listeners outlive
  /// the engine.
  Engine(EngineOptions options, std::unique_ptr<Network> network,
         std::vector<EngineListener*> listeners, Clock& clock = systemClock());
  ~Engine();  ///< within 2 s, whatever the sources do
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Moment::steadyMs when its thread last went to a source: it stands still where the net hangs.
  std::int64_t turnedMs() const { return turnedMs_; }
  /// Says whether all sources are at their end and everything of them was handed out.
  bool done() const { return done_; }
  void stop();  ///< as the destructor does, earlier

  std::size_t sources() const { return watched_.size(); }
  const NamedSource& source(std::size_t index) const;  ///< as it was at the beginning
  const Metrics& metrics(std::size_t source) const;
  const std::vector<std::string>& classes() const { return classes_; }
  const std::vector<cv::Vec3b>& palette() const { return palette_; }
  int blocks() const { return blocks_; }  ///< of the model's encoder; 0: it cannot merge
  const std::string& reason() const { return reason_; }  ///< why it cannot
  /// Why the model cannot remember, in one sentence; empty where it can.
  const std::string& memoryFault() const { return memoryFault_; }

  FrameResultPtr latest(std::size_t source) const;  ///< null: none yet
  /// When the newest frame was taken that a filter changed; nothing: none was.
  std::optional<Moment> filteredAt(std::size_t source) const;
  CaptureStatus capture(std::size_t source) const;
  /// The rules as they are now: the name of each, and whether it holds.
  std::vector<std::pair<std::string, bool>> rules(std::size_t source) const;
  std::uint64_t frames(std::size_t source) const;  ///< segmented
  /// Shows the statistics to `look`, which must be quick: the engine waits for it.
  void readStatistics(std::size_t source, const std::function<void(const Statistics&)>& look) const;
  std::string fault() const;  ///< why the net fails on frames of any source now; empty: it does not
  std::string fault(std::size_t source) const;

  /// Between two frames. std::invalid_argument where the model has no such block; where its net
  /// cannot merge before one, as that of a converted file, only scheduleFault tells.
  void setSchedule(const Schedule& blocks);
  /// That was set last, or that runs where that one was refused.
  Schedule schedule() const;
  /// Why the net refused the schedule that was set last; empty: it did not so far.
  std::string scheduleFault() const;
  /// Has frames segmented with a memory, where the model can, or not: from the next one on. An
  /// event, as another schedule is.
  void setMemory(bool memory) { memory_ = memory; }
  bool remembers() const { return memory_ && memoryFault_.empty(); }
  /// Other rules for a source, between two frames; its zones stay. Throws as checkRules does.
  /// Rules that stay as they are go on, and nothing else begins anew.
  void setRules(std::size_t source, std::vector<Rule> rules);
  void setCompare(Compare compare) { compare_ = compare; }  ///< never, until it is called
  void pause(bool paused);                                  ///< sources that are files stand still
  void seek(std::size_t source, std::int64_t positionMs);
  void step(std::size_t source);  ///< while it is paused: one frame
  /// Changes each picture before it is measured, e.g. to a simulated night; empty: none. When
  /// that begins and ends, and which schedule frames have from when on, are events (comparison.h).
  /// Meanwhile rules wait: none begins or ends but those of silence. What is wrong with the camera,
  /// and the events of light, are of its own pictures.
  void setFilter(std::function<cv::Mat(const cv::Mat&)> filter);
  /// Runs in the engine's thread between two frames, with the net; for tuning. The future has the
  /// task's exception, or a broken promise where the engine ends first. Not from a listener.
  std::future<void> withNetwork(std::function<void(Network&)> task);

 private:
  Watched& watched(std::size_t source) const { return *watched_.at(source); }
  void run();
  bool serve(Watched& watched);
  void runTasks();

  std::unique_ptr<Network> network_;
  std::vector<EngineListener*> listeners_;
  Clock& clock_;
  std::vector<std::string> classes_;
  std::vector<cv::Vec3b> palette_;
  int blocks_;
  std::string reason_, memoryFault_;
  std::atomic<bool> memory_;
  std::atomic<bool> done_{false}, stopping_{false};
  std::atomic<Compare> compare_{Compare::never};
  std::atomic<std::int64_t> turnedMs_{0};

  mutable std::mutex mutex_;  // of what other threads write and the engine's reads between frames
  std::function<cv::Mat(const cv::Mat&)> filter_;
  Schedule schedule_;
  std::string scheduleFault_;
  bool scheduleChanged_ = false;
  std::deque<std::pair<std::size_t, std::vector<Rule>>> rules_;  // to be set
  std::deque<std::packaged_task<void(Network&)>> tasks_;

  std::vector<std::unique_ptr<Watched>> watched_;
  std::mutex joining_;
  std::thread thread_;
};

/// Takes of each of the first four sources its first picture and one of a second later, by when a
/// camera has found its exposure. Sources are opened at once and closed again; what does not come
/// within `patience` is missing.
std::vector<cv::Mat> firstPictures(const EngineOptions& options, std::chrono::milliseconds patience,
                                   Clock& clock = systemClock());

}  // namespace mpm::monitor
