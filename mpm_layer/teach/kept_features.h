// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <opencv2/core.hpp>
#include <string>

#include "mpm/net.h"
#include "teach/backbone.h"
#include "teach/kept.h"

namespace mpm::teach {

/// A backbone's features, computed only where they are not kept already.
class KeptFeatures {
 public:
  /// `backbone` is the one that was read from `path` with these options.
  KeptFeatures(Backbone& backbone, const Kept& kept, const std::string& path,
               const ReadOptions& options);

  /// What a frame's features follow from: its pixels and the backbone.
  std::string keyOf(const cv::Mat& frame) const;
  /// As Backbone has them; `key`: keyOf(frame).
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
