// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

namespace mpm::evaluate {

/// The pixels within `distance` pixels of an edge between two classes, on both of its sides: CV_8U,
/// 255 there and 0 elsewhere. An edge runs between two pixels, one above or beside the other, of
/// different classes; these two are within 1, and every step in one of the eight directions is one
/// more (the chessboard distance, as in Boundary IoU, Cheng et al. 2021). Ignored pixels make no
/// edges: where a class meets what nobody labelled, nobody knows where it ends.
/// `truth`: CV_16U, LabelRule's classes. `distance` from 1 on.
cv::Mat nearEdges(const cv::Mat& truth, int distance);

}  // namespace mpm::evaluate
