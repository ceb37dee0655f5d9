// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QRectF>
#include <opencv2/core.hpp>

#include "gui/canvas/pixels.h"

namespace mpm::gui {

/// The camera's picture, CV_8UC3 (BGR), brought to a size. Keeps its memory from call to call.
class BasePicture {
 public:
  /// `image` becomes `part` of the picture: Format_RGB32 of the part's size.
  void draw(const cv::Mat& picture, const Part& part, bool grey, QImage& image);

  /// Each place's mean colour, as pixels of Format_RGB32: CV_8UC4 of `grid`'s size. `area`: what
  /// the grid covers, of the picture; where it reaches past it, the picture's border goes on.
  const cv::Mat& placeMeans(const cv::Mat& picture, cv::Size grid, const QRectF& area);

 private:
  QImage source_;
  cv::Mat shrunk_, resized_, grey_, bordered_, means_;
};

/// Makes `image` Format_RGB32 of this size; one that is already keeps its memory.
void fitImage(QImage& image, cv::Size size);
/// The pixels of an image of 32 bits. One that is shared is copied first.
cv::Mat pixelsOf(QImage& image);

}  // namespace mpm::gui
