// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "monitor/camera/camera_fault.h"
#include "monitor/camera/camera_watch.h"
#include "monitor/engine/engine.h"
#include "monitor/engine/frame_metrics.h"
#include "monitor/engine/frame_result.h"
#include "monitor/rules/rules.h"
#include "monitor/statistics/comparison.h"

namespace mpm::monitor {

/// Creates a capture with the address's reader, or with one from the options.
std::unique_ptr<Capture> makeCapture(const EngineOptions& options, Clock& clock);

/// One source with its state. `mutex_` guards what the engine's thread changes and others read.
class Watched {
  template <typename Read>
  auto locked(const Read& read) const {
    const std::lock_guard lock(mutex_);
    return read();
  }

 public:
  /// `options` have a schedule.
  Watched(const EngineOptions& options, Network& network, std::size_t merges,
          const std::vector<EngineListener*>& listeners, Clock& clock);

  using Filter = std::function<cv::Mat(const cv::Mat&)>;
  /// Segments a frame and reports it, in the engine's thread. `remembers` needs a network that can
  /// remember. A failing net is an event; so is its recovery, after ten seconds without a failure.
  void handle(Frame frame, Network& network, Compare compare, bool remembers, const Filter& filter);
  /// Handles sources that fell silent, and changes within a second, between frames.
  void look();
  /// Call this in the engine's thread, with checked rules.
  void setRules(std::vector<Rule> rules);
  void tellRules() const;

  std::int64_t msToFrame() const;  ///< until `mostFps` lets it have one; 0: now

  const NamedSource& source() const { return source_; }
  Capture& capture() { return *capture_; }
  const Capture& capture() const { return *capture_; }
  const Metrics& metrics() const { return frameMetrics_.metrics(); }

  void tellEnd();  ///< the last things, when no frame comes any more: rules that hold end

  // Can be called from any thread.
  FrameResultPtr latest() const {
    return locked([&] { return latest_; });
  }
  std::optional<Moment> filteredAt() const {
    return locked([&] { return filteredAt_; });
  }
  std::vector<std::pair<std::string, bool>> rules() const {
    return locked([&] { return holding_; });
  }
  std::uint64_t frames() const {
    return locked([&] { return frames_; });
  }
  /// Says why the net failed on its newest frame; empty if it did not.
  std::string fault() const {
    return locked([&] { return fault_; });
  }
  void readStatistics(const std::function<void(const Statistics&)>& look) const {
    locked([&] { look(statistics_); });
  }

 private:
  void noteFault(const std::string& fault, const Moment& taken);
  void segmentAndTell(Frame frame, Network& network, Compare compare, bool remembers,
                      const Filter& filter);
  void segment(Network& network, bool remembers, FrameResult& result);
  void compare(Network& network, Compare compare, FrameResult& result);
  void measure(const CaptureStatus& status, FrameResult& result);
  Moment moment() const;
  void noteHolding();
  void tellFirings(const std::vector<Rule>& rules, const std::vector<Firing>& firings,
                   const Moment& at);
  void tell(const Event& event) const;
  void tellLight(const LightReading& light, const Moment& at);
  void tellWay(const FrameResult& result);
  void tellCamera(const FrameResultPtr& result);
  void watchCamera(FrameResult& result);
  void change(FrameResult& result, const Filter& filter);
  std::vector<Firing> judge(const FrameResult& result);
  void follow(const CameraChange& change, const FrameResult& result);
  void tellClock(const Moment& at);
  void tellCapture(const CaptureStatus& status, const Moment& at);
  void tellModelWorks();
  void tellChanged();
  void tellView();

  NamedSource source_;
  const std::vector<EngineListener*>& listeners_;
  Clock& clock_;
  bool replay_;
  double leastMs_;  // from frame to frame
  LightOptions lightOptions_;
  LightMeter meter_;                         // of the source's own pictures
  std::optional<LightMeter> filteredMeter_;  // of those that a filter changes
  bool watchCamera_;
  CameraWatch camera_;
  FrameMetrics frameMetrics_;
  Rules rules_;

  mutable std::mutex mutex_;
  Statistics statistics_;
  FrameResultPtr latest_;
  std::optional<Moment> filteredAt_;                   // when the newest such frame was taken
  std::vector<std::pair<std::string, bool>> holding_;  // each rule's name, and whether it does
  std::uint64_t frames_ = 0;
  std::string fault_;

  // Only the engine's thread uses the following members.
  std::unique_ptr<Network::Memory> memory_;  // null: it remembers nothing
  bool forgets_ = false;                     // before the next frame
  CompareBudget compareBudget_;
  TokenCount tokenCount_;
  Figures known_;          // of the newest frame
  FrameResultPtr merged_;  // the newest with a map of its tokens
  std::uint64_t drops_ = 0, reconnects_ = 0;
  std::optional<LightState> light_;          // as it was told
  Way way_;                                  // of the newest frame
  std::vector<CameraChange> cameraChanges_;  // not told yet
  std::shared_ptr<const RuleBook> placed_;   // whose zones follow the camera
  std::optional<std::int32_t> era_;
  CaptureState captureState_ = CaptureState::opening;
  bool modelFails_ = false;                 // as it was told
  std::optional<Moment> worksSince_;        // and not told yet
  std::int64_t handledMs_ = INT64_MIN / 2;  // when the last frame was taken
  std::int64_t begunMs_;                    // when the capture was, as below
  std::int64_t viewToldMs_;                 // as below
  std::int64_t toldMs_ = 0;                 // when changes were last told

  std::unique_ptr<Capture> capture_;  // last: its thread begins when all else is there
};

/// Returns `book` with zones and ground moved to where a moved camera's pictures of this size show
/// them. Corners may lie outside the picture.
RuleBook followed(RuleBook book, const Placement& placement, const cv::Size& size);

/// Name the view of a camera that was moved, or is back, as records do (kHomeView, "other", or
/// "RIGHT,DOWN,DEGREES" in shares of the width). The text says what becomes of series and zones,
/// which follow if the book says so.
std::string viewName(const CameraChange& change);
std::string viewText(const CameraChange& change, const RuleBook& book);

}  // namespace mpm::monitor
