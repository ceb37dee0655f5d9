// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
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

/// Lets threads compute alternately, in the order in which they ask, since one net uses all
/// processors. A lock, as std::lock_guard takes it; unlike a std::mutex it is fair.
class Turns {
 public:
  void lock() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, mine = asked_++] { return mine == now_; });
  }
  void unlock() {
    {
      const std::lock_guard lock(mutex_);
      ++now_;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t asked_ = 0, now_ = 0;
};

struct EngineOptions {
  NamedSource source;
  CaptureOptions
      capture;  ///< `everyFrame`: a replay, whose figures are the same every time; what
                ///< depends on this machine's speed (ms.*, frame_age_ms) is not known then
  LightOptions light;
  SeriesLimits series;
  double mostFps = 0;                ///< 0: as fast as the net is
  bool watchCamera = true;           ///< whether faults of the camera are looked for
  bool memory = true;                ///< whether it has a scene memory, where the model can
  std::optional<Schedule> schedule;  ///< at the beginning; nothing: that of the network
  std::shared_ptr<Turns> turns;      ///< of engines that compute alternately; null: it is alone
  /// Creates readers in tests; empty: an address gets its usual reader.
  std::function<std::unique_ptr<Reader>(const NamedSource&)> makeReader;
};

/// Returns the metrics of an engine that begins with this schedule and book.
Metrics engineMetrics(Network& network, const Schedule& schedule, const RuleBook& book);

/// Receives reports of engines, each from its own thread, and a session's events, from any thread.
/// Each report names its source. Calls return at once and never throw.
class EngineListener {
 public:
  virtual ~EngineListener() = default;
  virtual void onResult(const std::string& /*source*/, const FrameResultPtr& /*result*/) {}
  /// Reports a source's rules, when the engine begins and when they change.
  virtual void onRules(const std::string& /*source*/, const std::vector<Rule>& /*rules*/) {}
  virtual void onFiring(const std::string& /*source*/, const Rule& /*rule*/,
                        const Firing& /*firing*/, const FrameResultPtr& /*newest, or null*/) {}
  /// Reports a camera problem that began or ended; onEvent reports it as well.
  virtual void onCamera(const std::string& /*source*/, const CameraChange& /*change*/,
                        const FrameResultPtr& /*where it showed*/) {}
  /// Reports what the camera usually shows, every ten minutes and at the end.
  virtual void onView(const std::string& /*source*/, const std::string& /*view*/) {}
  virtual void onEvent(const std::string& /*source*/, const Event& /*event*/) {}
  /// Called about once a second while no frame is measured, for sources with the clock's time.
  virtual void onSilence(const std::string& /*source*/, const Moment& /*now*/) {}
  /// Called about once a second, and at the end.
  virtual void onChanged(const std::string& /*source*/, std::vector<Series::Changed> /*buckets*/) {}
};

class Watched;

/// Turns a source into results: its capture, a net, light, statistics, rules. The net may be that
/// of other engines, too. It has one thread besides the capture's. All functions can be called from
/// any thread.
class Engine {
 public:
  /// Throws std::runtime_error or std::invalid_argument, in one sentence, for impossible options.
  /// Listeners must outlive the engine.
  Engine(EngineOptions options, std::shared_ptr<Network> network,
         std::vector<EngineListener*> listeners, Clock& clock = systemClock());
  ~Engine();  ///< within 2 s, whatever the source does
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Returns Moment::steadyMs of its thread's last turn. It stops if the net hangs.
  std::int64_t turnedMs() const { return turnedMs_; }
  /// Tells whether the source is at its end and all its results were delivered.
  bool done() const { return done_; }
  void stop();  ///< as the destructor does, earlier
  /// Lets it end soon. Of several that take turns, ask all first: then none waits for the frames
  /// of the others.
  void askToStop() { stopping_ = true; }

  const NamedSource& source() const;  ///< as it was at the beginning
  const Metrics& metrics() const;
  const std::vector<std::string>& classes() const { return classes_; }
  const std::vector<cv::Vec3b>& palette() const { return palette_; }
  int blocks() const { return blocks_; }  ///< of the model's encoder; 0: it cannot merge
  const std::string& reason() const { return reason_; }  ///< why it cannot
  /// Says in one sentence why the model cannot remember; empty if it can.
  const std::string& memoryFault() const { return memoryFault_; }

  FrameResultPtr latest() const;  ///< null: none yet
  /// Returns the time of the newest frame that a filter changed; std::nullopt if none was.
  std::optional<Moment> filteredAt() const;
  CaptureStatus capture() const;
  /// Returns the present rules: the name of each, and whether it holds.
  std::vector<std::pair<std::string, bool>> rules() const;
  std::uint64_t frames() const;  ///< segmented
  /// Passes the statistics to `look`, which must be quick: the engine waits for it.
  void readStatistics(const std::function<void(const Statistics&)>& look) const;
  std::string fault() const;  ///< why the net fails on its newest frame; empty: it does not

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
  /// Replaces the rules between two frames; zones stay. Throws as checkRules does. Rules that stay
  /// the same continue, and nothing else starts again.
  void setRules(std::vector<Rule> rules);
  void setCompare(Compare compare) { compare_ = compare; }  ///< never, until it is called
  void pause(bool paused);                                  ///< a file stands still
  void seek(std::int64_t positionMs);
  void step();  ///< while it is paused: one frame
  /// Changes each picture before it is measured, e.g. to a simulated night; empty: none. Its start
  /// and end, and the start of each schedule, are events (comparison.h). Meanwhile rules wait: none
  /// begins or ends except those of silence. Camera problems and light events come from the
  /// original pictures.
  void setFilter(std::function<cv::Mat(const cv::Mat&)> filter);
  /// Runs a task with the net in the engine's thread, between two frames; for tuning. The future
  /// gets the task's exception, or a broken promise if the engine ends first. Not for listeners.
  std::future<void> withNetwork(std::function<void(Network&)> task);

 private:
  void run();
  bool serve();
  void setAsked();
  void runTasks();
  void bringSchedule();

  std::shared_ptr<Network> network_;
  std::vector<EngineListener*> listeners_;
  Clock& clock_;
  std::shared_ptr<Turns> turns_;
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
  Schedule schedule_, runs_;  // what was asked for last, and what the net accepted last
  std::string scheduleFault_;
  std::deque<std::vector<Rule>> rules_;  // to be set
  std::deque<std::packaged_task<void(Network&)>> tasks_;

  std::unique_ptr<Watched> watched_;
  std::mutex joining_;
  std::thread thread_;
};

using Engines = std::vector<std::shared_ptr<Engine>>;

/// Takes two pictures of each of the first four cameras: the first, and one a second later, when a
/// camera has found its exposure. Opens all at once and closes them again. Pictures that take
/// longer than `patience` are missing.
std::vector<cv::Mat> firstPictures(const std::vector<EngineOptions>& cameras,
                                   std::chrono::milliseconds patience = std::chrono::seconds(15),
                                   Clock& clock = systemClock());

}  // namespace mpm::monitor
