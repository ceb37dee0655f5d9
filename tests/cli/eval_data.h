// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "cli/mpm.h"
#include "evaluate/label_pictures.h"

namespace mpm::test {

/// A small data set: photos in the colours of their classes, wrong in the left quarter.
struct EvalData {
  std::string photos, labels;  ///< paths in its folder, of a name: "images/*.png"
  std::vector<int> numbers;    ///< that label pictures have
  int (*meaning)(int number);  ///< a number's class; -1: it does not count
  int classes = 0;
  bool random = false;  ///< photos are boxes of random colours instead
};

/// Writes its pictures into `folder`; gives their true classes, as Labelled::truth.
std::vector<cv::Mat> putEvalData(const Folder& folder, const EvalData& data,
                                 const std::vector<std::string>& names, const cv::Size& size);

/// What `mpm segment` finds in the same photos, with these options.
std::vector<Labelled> segmented(const Folder& folder, const EvalData& data,
                                const std::vector<std::string>& names,
                                const std::vector<cv::Mat>& truths, const std::string& model,
                                const std::vector<std::string>& options);

/// For segmenter_mask.onnx, which has 5 classes, and to which colours mean something else.
EvalData fiveClasses();
std::vector<std::string> eightNames();

/// The JSON that it ended with; expects this status.
nlohmann::json evalSummary(const Ended& ended, int status = 0);

/// Figures that do not depend on how fast it went.
nlohmann::json withoutTimes(nlohmann::json summary);

}  // namespace mpm::test
