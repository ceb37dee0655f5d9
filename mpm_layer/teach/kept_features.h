// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <opencv2/core.hpp>
#include <string>

#include "mpm/net.h"
#include "teach/backbone.h"
#include "teach/kept.h"

namespace mpm::teach {

/// Computes features of a backbone that are not kept already.
class KeptFeatures {
 public:
  /// `backbone` must have been read from `path` with these options.
  KeptFeatures(Backbone& backbone, const Kept& kept, const std::string& path,
               const ReadOptions& options);

  /// Returns a key of everything that a frame's features depend on: its pixels and the backbone.
  std::string keyOf(const cv::Mat& frame) const;
  /// Return the features of Backbone; `key` is keyOf(frame).
  cv::Mat features(const cv::Mat& frame, const std::string& key);
  cv::Mat mergedFeatures(const cv::Mat& frame, const std::string& key);

  int computed() const { return computed_; }  ///< how often the backbone ran

 private:
  cv::Mat kept(const std::string& key, const std::function<cv::Mat()>& compute);

  Backbone& backbone_;
  const Kept& kept_;
  std::string model_;
  int computed_ = 0;
};

}  // namespace mpm::teach
