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
  /// Creates readers in tests; empty: an address gets its usual reader.
  std::function<std::unique_ptr<Reader>(const NamedSource&)> makeReader;
};

/// Returns the metrics that an engine has for a source with this book.
Metrics engineMetrics(Network& network, const RuleBook& book);

/// Receives reports of an engine, from its thread, and a session's events, from any thread. Calls
/// return at once and never throw.
class EngineListener {
 public:
  virtual ~EngineListener() = default;
  virtual void onResult(std::size_t /*source*/, const FrameResultPtr& /*result*/) {}
  /// Reports the rules of a source, when the engine begins and when they change.
  virtual void onRules(std::size_t /*source*/, const std::vector<Rule>& /*rules*/) {}
  virtual void onFiring(std::size_t /*source*/, const Rule& /*rule*/, const Firing& /*firing*/,
                        const FrameResultPtr& /*newest, or null*/) {}
  /// Reports a camera problem that began or ended; onEvent reports it as well.
  virtual void onCamera(std::size_t /*source*/, const CameraChange& /*change*/,
                        const FrameResultPtr& /*where it showed*/) {}
  /// Reports what the camera usually shows, every ten minutes and at the end.
  virtual void onView(std::size_t /*source*/, const std::string& /*view*/) {}
  virtual void onEvent(std::size_t /*source*/, const Event& /*event*/) {}
  /// Called about once a second while no frame is measured, for sources with the clock's time.
  virtual void onSilence(std::size_t /*source*/, const Moment& /*now*/) {}
  /// Called about once a second, and at the end, for each source.
  virtual void onChanged(std::size_t /*source*/, std::vector<Series::Changed> /*buckets*/) {}
};

class Watched;

/// Turns sources into results: captures, one net that they use alternately, light, statistics,
/// rules. It has one thread besides the captures' threads. All functions can be called from any
/// thread.
class Engine {
 public:
  /// Throws std::runtime_error or std::invalid_argument, in one sentence, for impossible options.
  /// Listeners must outlive the engine.
  Engine(EngineOptions options, std::unique_ptr<Network> network,
         std::vector<EngineListener*> listeners, Clock& clock = systemClock());
  ~Engine();  ///< within 2 s, whatever the sources do
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Returns Moment::steadyMs of its thread's last turn to a source. It stops if the net hangs.
  std::int64_t turnedMs() const { return turnedMs_; }
  /// Tells whether all sources are at their end and all their results were delivered.
  bool done() const { return done_; }
  void stop();  ///< as the destructor does, earlier

  std::size_t sources() const { return watched_.size(); }
  const NamedSource& source(std::size_t index) const;  ///< as it was at the beginning
  const Metrics& metrics(std::size_t source) const;
  const std::vector<std::string>& classes() const { return classes_; }
  const std::vector<cv::Vec3b>& palette() const { return palette_; }
  int blocks() const { return blocks_; }  ///< of the model's encoder; 0: it cannot merge
  const std::string& reason() const { return reason_; }  ///< why it cannot
  /// Says in one sentence why the model cannot remember; empty if it can.
  const std::string& memoryFault() const { return memoryFault_; }

  FrameResultPtr latest(std::size_t source) const;  ///< null: none yet
  /// Returns the time of the newest frame that a filter changed; std::nullopt if none was.
  std::optional<Moment> filteredAt(std::size_t source) const;
  CaptureStatus capture(std::size_t source) const;
  /// Returns the present rules: the name of each, and whether it holds.
  std::vector<std::pair<std::string, bool>> rules(std::size_t source) const;
  std::uint64_t frames(std::size_t source) const;  ///< segmented
  /// Passes the statistics to `look`, which must be quick: the engine waits for it.
  void readStatistics(std::size_t source, const std::function<void(const Statistics&)>& look) const;
  std::string fault() const;  ///< why the net fails on frames of any source now; empty: it does not
  std::string fault(std::size_t source) const;

  /// Takes effect between two frames. Throws std::invalid_argument if the model has no such block.
  /// If its net cannot merge before one, as in a converted file, only scheduleFault reports it.
  void setSchedule(const Schedule& blocks);
  /// Returns the schedule that was set last, or the one that runs if that was rejected.
  Schedule schedule() const;
  /// Says why the net rejected the last schedule; empty if it has not so far.
  std::string scheduleFault() const;
  /// Turns the memory on or off from the next frame on, if the model has one. It is an event, like
  /// another schedule.
  void setMemory(bool memory) { memory_ = memory; }
  bool remembers() const { return memory_ && memoryFault_.empty(); }
  /// Replaces a source's rules between two frames; its zones stay. Throws as checkRules does. Rules
  /// that stay the same continue, and nothing else starts again.
  void setRules(std::size_t source, std::vector<Rule> rules);
  void setCompare(Compare compare) { compare_ = compare; }  ///< never, until it is called
  void pause(bool paused);                                  ///< sources that are files stand still
  void seek(std::size_t source, std::int64_t positionMs);
  void step(std::size_t source);  ///< while it is paused: one frame
  /// Changes each picture before it is measured, e.g. to a simulated night; empty: none. Its start
  /// and end, and the start of each schedule, are events (comparison.h). Meanwhile rules wait: none
  /// begins or ends except those of silence. Camera problems and light events come from the
  /// original pictures.
  void setFilter(std::function<cv::Mat(const cv::Mat&)> filter);
  /// Runs a task with the net in the engine's thread, between two frames; for tuning. The future
  /// gets the task's exception, or a broken promise if the engine ends first. Not for listeners.
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

/// Takes two pictures of each of the first four sources: the first, and one a second later, when a
/// camera has found its exposure. Opens all sources at once and closes them again. Pictures that
/// take longer than `patience` are missing.
std::vector<cv::Mat> firstPictures(const EngineOptions& options, std::chrono::milliseconds patience,
                                   Clock& clock = systemClock());

}  // namespace mpm::monitor
