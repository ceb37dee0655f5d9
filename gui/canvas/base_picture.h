// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QPainter>
#include <QRectF>
#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "gui/canvas/pixels.h"

namespace mpm::gui {

/// Makes `image` Format_RGB32 of this size; one that is already keeps its memory.
inline void fitImage(QImage& image, cv::Size size) {
  if (image.width() == size.width && image.height() == size.height &&
      image.format() == QImage::Format_RGB32) {
    return;
  }
  image = QImage(size.width, size.height, QImage::Format_RGB32);
}

/// The pixels of an image of 32 bits. One that is shared is copied first.
inline cv::Mat pixelsOf(QImage& image) {
  return {image.height(), image.width(), CV_8UC4, image.bits(),
          static_cast<std::size_t>(image.bytesPerLine())};
}

/// The camera's picture, CV_8UC3 (BGR), brought to a size. Keeps its memory from call to call.
class BasePicture {
 public:
  /// `image` becomes `part` of the picture: Format_RGB32 of the part's size.
  void draw(const cv::Mat& picture, const Part& part, bool grey, QImage& image) {
    fitImage(image, part.size);
    const cv::Mat seen = picture(part.area);
    const int most = std::min(seen.cols / part.size.width, seen.rows / part.size.height);
    const cv::Mat shown = shrink(seen, most, shrunk_);
    const bool fits = shown.size() == part.size;
    if (!fits) fitImage(source_, shown.size());
    cv::Mat pixels = pixelsOf(fits ? image : source_);
    if (grey) {
      cv::cvtColor(shown, grey_, cv::COLOR_BGR2GRAY);
      cv::cvtColor(grey_, pixels, cv::COLOR_GRAY2BGRA);
    } else {
      cv::cvtColor(shown, pixels, cv::COLOR_BGR2BGRA);
    }
    if (fits) return;
    // Qt's bilinear scaling: as fast as OpenCV's at its best, which takes four times as long where
    // its buffers happen to lie badly to each other.
    QPainter painter(&image);
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(image.rect(), source_);
  }

  /// Each place's mean colour, as pixels of Format_RGB32: CV_8UC4 of `grid`'s size. `area`: what
  /// the grid covers, of the picture; where it reaches past it, the picture's border goes on.
  const cv::Mat& placeMeans(const cv::Mat& picture, cv::Size grid, const QRectF& area) {
    const cv::Rect covered = inPixels(area, picture.size());
    const cv::Rect inside = covered & cv::Rect({}, picture.size());
    if (inside.empty()) {
      means_ = cv::Mat(grid, CV_8UC4, cv::Scalar::all(255));
      return means_;
    }
    cv::Mat shown = picture(inside);
    if (inside != covered) {
      cv::copyMakeBorder(shown, bordered_, inside.y - covered.y, covered.br().y - inside.br().y,
                         inside.x - covered.x, covered.br().x - inside.br().x,
                         cv::BORDER_REPLICATE);
      shown = bordered_;
    }
    // A place keeps four pixels a side, so that parts of pixels at its border do not matter.
    const bool whole = shown.cols % grid.width == 0 && shown.rows % grid.height == 0;
    const int most = std::min(shown.cols / grid.width, shown.rows / grid.height);
    if (!whole) shown = shrink(shown, most / 4, shrunk_);
    cv::resize(shown, resized_, grid, 0, 0, cv::INTER_AREA);
    cv::cvtColor(resized_, means_, cv::COLOR_BGR2BGRA);
    return means_;
  }

 private:
  // The largest whole number up to `most` that divides both sides: OpenCV's mean over whole pixels
  // is ten times as fast as that over parts of them.
  static int wholeRatio(cv::Size size, int most) {
    for (int ratio = most; ratio > 1; --ratio) {
      if (size.width % ratio == 0 && size.height % ratio == 0) return ratio;
    }
    return 1;
  }

  // `picture`, its sides divided by the largest ratio up to `most` that is cheap.
  static cv::Mat shrink(const cv::Mat& picture, int most, cv::Mat& buffer) {
    const int ratio = wholeRatio(picture.size(), most);
    if (ratio == 1) return picture;
    cv::resize(picture, buffer, {picture.cols / ratio, picture.rows / ratio}, 0, 0, cv::INTER_AREA);
    return buffer;
  }

  static cv::Rect inPixels(const QRectF& area, cv::Size picture) {
    const auto pixels = [](double part, int side) {
      return static_cast<int>(std::lround(part * side));
    };
    return {pixels(area.x(), picture.width), pixels(area.y(), picture.height),
            std::max(1, pixels(area.width(), picture.width)),
            std::max(1, pixels(area.height(), picture.height))};
  }

  QImage source_;
  cv::Mat shrunk_, resized_, grey_, bordered_, means_;
};

}  // namespace mpm::gui
