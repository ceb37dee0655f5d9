// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

namespace mpm::teach {

/// Products of a tall matrix of features [N x D] with a narrow one, CV_32F, in one order of sums
/// whatever the machine's BLAS: cv::gemm asks that of the system, which may be the reference one.
cv::Mat timesWeights(const cv::Mat& features, const cv::Mat& weights);  ///< [D x K] to [N x K]
cv::Mat timesSlopes(const cv::Mat& features, const cv::Mat& slopes);    ///< [N x K] to [D x K]

}  // namespace mpm::teach
