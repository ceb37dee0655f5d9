// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mpm/segmenter.h"

namespace mpm::monitor {

/// Labels frames: a Segmenter, or a stand-in for tests. From one thread at a time.
class Network {
 public:
  /// One camera's frames, with what is remembered of those before: see SceneMemory.
  class Memory {
   public:
    virtual ~Memory() = default;
    virtual Segmentation segment(const cv::Mat& picture) = 0;
    virtual void forget() = 0;
    virtual void audit() = 0;  ///< the next frame
  };

  virtual ~Network() = default;
  virtual Segmentation segment(const cv::Mat& picture) = 0;
  virtual Segmentation segmentFull(const cv::Mat& picture) = 0;  ///< with full tokens, this once
  virtual std::vector<std::string> classes() const = 0;
  virtual std::vector<cv::Vec3b> palette() const = 0;  ///< BGR
  virtual Schedule schedule() = 0;
  virtual void setSchedule(const Schedule& blocks) = 0;  ///< throws as Segmenter does
  virtual int blocks() const = 0;                        ///< of the encoder; 0: it cannot merge
  virtual std::string taught() const { return {}; }      ///< of one that was: when, from what
  /// The mean confidence that nearly all frames of the model's own data reach (mpm.confidence);
  /// nothing: its file does not say, or says what is no share.
  virtual std::optional<double> usualConfidence() const { return {}; }
  virtual std::string reason() const = 0;  ///< why it cannot merge
  virtual int specialRows() const = 0;
  virtual cv::Size input() const = 0;  ///< the model's, in pixels
  /// Does not outlive the network; null where memoryFault() says why not.
  virtual std::unique_ptr<Memory> makeMemory() = 0;
  virtual std::string memoryFault() const = 0;  ///< as Segmenter has it
};

std::unique_ptr<Network> makeNetwork(const std::string& model, const SegmenterOptions& options);

}  // namespace mpm::monitor
