// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "mpm/net.h"
#include "mpm/tune.h"

namespace mpm::cli {

/// int8 calibrated on every second frame and judged by the others, since the frames that ranges
/// were measured on flatter them.
struct CalibratedInt8 {
  std::string fault;  ///< why it could not be tried, in a sentence without its end; else empty
  std::size_t calibratedOn = 0, judgedBy = 0;  ///< frames
  std::vector<TunedPrecision> asItIs;          ///< of the model, by the frames that judge
  std::vector<TunedPrecision> precisions;      ///< the same of the calibrated file
  std::string command;  ///< what makes such a file, calibrated on all the inputs

  /// Whether the file is worth making: int8 keeps float32's labels in it, and more than as it is,
  /// and is what --precision auto takes of it. As it is int8 may keep enough of these frames alone.
  bool helps() const;
};

/// Of what tunePrecisions gave; null where int8 is not in it.
const TunedPrecision* int8Of(const std::vector<TunedPrecision>& precisions);

/// Tries it on a file that `mpm convert --calibrate` would write of the model, read with these
/// options, and that is gone afterwards. `inputs`: where the frames are from.
CalibratedInt8 tryCalibrated(const std::string& model, const ReadOptions& read,
                             const std::vector<cv::Mat>& frames,
                             const std::vector<std::string>& inputs);

}  // namespace mpm::cli
