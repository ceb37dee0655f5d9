// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mpm/segmenter.h"

namespace mpm::monitor {

/// Labels frames: a Segmenter, or a stand-in for tests. For one thread at a time.
class Network {
 public:
  /// Segments one camera's frames with what it remembers of earlier ones: see SceneMemory.
  class Memory {
   public:
    virtual ~Memory() = default;
    virtual Segmentation segment(const cv::Mat& picture) = 0;
    virtual void forget() = 0;
    virtual void audit() = 0;  ///< the next frame
  };

  virtual ~Network() = default;
  virtual Segmentation segment(const cv::Mat& picture) = 0;
  virtual Segmentation segmentFull(const cv::Mat& picture) = 0;  ///< unmerged, this once
  virtual std::vector<std::string> classes() const = 0;
  virtual std::vector<cv::Vec3b> palette() const = 0;  ///< BGR
  virtual Schedule schedule() = 0;
  virtual void setSchedule(const Schedule& blocks) = 0;  ///< throws as Segmenter does
  virtual int blocks() const = 0;                        ///< of the encoder; 0: it cannot merge
  virtual std::string taught() const { return {}; }      ///< of one that was: when, from what
  /// Returns the mean confidence that nearly all frames of the model's own data reach
  /// (mpm.confidence); std::nullopt if its file has no valid share.
  virtual std::optional<double> usualConfidence() const { return {}; }
  virtual std::string reason() const = 0;  ///< why it cannot merge
  virtual int specialRows() const = 0;
  virtual cv::Size input() const = 0;  ///< the model's, in pixels
  /// Must not outlive the network; null if memoryFault() gives a reason.
  virtual std::unique_ptr<Memory> makeMemory() = 0;
  virtual std::string memoryFault() const = 0;  ///< as Segmenter has it
};

std::unique_ptr<Network> makeNetwork(const std::string& model, const SegmenterOptions& options);

}  // namespace mpm::monitor
