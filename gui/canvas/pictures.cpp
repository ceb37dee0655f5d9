// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/pictures.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <opencv2/imgproc.hpp>

namespace mpm::gui {
namespace {

ColourScale scaleOf(int map) {
  cv::Mat ramp(1, 256, CV_8U), colours;
  for (int i = 0; i < 256; ++i) ramp.at<uchar>(i) = static_cast<uchar>(i);
  cv::applyColorMap(ramp, colours, map);
  ColourScale scale{};
  for (int i = 0; i < 256; ++i) {
    const auto& bgr = colours.at<cv::Vec3b>(i);
    scale[static_cast<std::size_t>(i)] = qRgb(bgr[2], bgr[1], bgr[0]);
  }
  return scale;
}

// Divides both sides by their largest common divisor up to `most`: OpenCV's mean over whole pixels
// is ten times as fast as over parts of pixels.
cv::Mat shrunk(const cv::Mat& picture, int most) {
  int ratio = std::max(1, most);
  while (picture.cols % ratio != 0 || picture.rows % ratio != 0) --ratio;
  if (ratio == 1) return picture;
  cv::Mat small;
  cv::resize(picture, small, {picture.cols / ratio, picture.rows / ratio}, 0, 0, cv::INTER_AREA);
  return small;
}

cv::Rect inPixels(const QRectF& area, cv::Size picture) {
  const auto pixels = [](double part, int side) {
    return static_cast<int>(std::lround(part * side));
  };
  return {pixels(area.x(), picture.width), pixels(area.y(), picture.height),
          std::max(1, pixels(area.width(), picture.width)),
          std::max(1, pixels(area.height(), picture.height))};
}

}  // namespace

const ColourScale& valueScale() {
  static const ColourScale scale = scaleOf(cv::COLORMAP_CIVIDIS);
  return scale;
}

const ColourScale& countScale() {
  static const ColourScale scale = scaleOf(cv::COLORMAP_VIRIDIS);
  return scale;
}

QRgb colourAt(const ColourScale& scale, double value) {
  const double place = std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0) * 255;
  return scale[static_cast<std::size_t>(std::lround(place))];
}

void fitImage(QImage& image, cv::Size size) {
  if (image.width() == size.width && image.height() == size.height &&
      image.format() == QImage::Format_RGB32) {
    return;
  }
  image = QImage(size.width, size.height, QImage::Format_RGB32);
}

cv::Mat pixelsOf(QImage& image) {
  return {image.height(), image.width(), CV_8UC4, image.bits(),
          static_cast<std::size_t>(image.bytesPerLine())};
}

void drawPicture(const cv::Mat& picture, const Part& part, bool grey, QImage& image) {
  fitImage(image, part.size);
  const cv::Mat seen = picture(part.area);
  const cv::Mat shown =
      shrunk(seen, std::min(seen.cols / part.size.width, seen.rows / part.size.height));
  const bool fits = shown.size() == part.size;
  QImage source;
  if (!fits) fitImage(source, shown.size());
  cv::Mat pixels = pixelsOf(fits ? image : source);
  if (grey) {
    cv::Mat light;
    cv::cvtColor(shown, light, cv::COLOR_BGR2GRAY);
    cv::cvtColor(light, pixels, cv::COLOR_GRAY2BGRA);
  } else {
    cv::cvtColor(shown, pixels, cv::COLOR_BGR2BGRA);
  }
  if (fits) return;
  // Qt's bilinear scaling is as fast as OpenCV's at best, which takes four times as long if its
  // buffers are badly aligned to each other.
  QPainter painter(&image);
  painter.setRenderHint(QPainter::SmoothPixmapTransform);
  painter.drawImage(image.rect(), source);
}

cv::Mat placeMeans(const cv::Mat& picture, cv::Size grid, const QRectF& area) {
  const cv::Rect covered = inPixels(area, picture.size());
  const cv::Rect inside = covered & cv::Rect({}, picture.size());
  if (inside.empty()) return {grid, CV_8UC4, cv::Scalar::all(255)};
  cv::Mat shown = picture(inside);
  if (inside != covered)
    cv::copyMakeBorder(shown, shown, inside.y - covered.y, covered.br().y - inside.br().y,
                       inside.x - covered.x, covered.br().x - inside.br().x, cv::BORDER_REPLICATE);
  // A patch keeps four pixels a side, so parts of pixels at its border do not matter.
  const bool whole = shown.cols % grid.width == 0 && shown.rows % grid.height == 0;
  if (!whole)
    shown = shrunk(shown, std::min(shown.cols / grid.width, shown.rows / grid.height) / 4);
  cv::Mat means;
  cv::resize(shown, means, grid, 0, 0, cv::INTER_AREA);
  cv::cvtColor(means, means, cv::COLOR_BGR2BGRA);
  return means;
}

QSize thumbnailSize(QSize picture, QSize room) {
  const double scale = std::min({1.0, static_cast<double>(room.width()) / picture.width(),
                                 static_cast<double>(room.height()) / picture.height()});
  return {std::max(1, static_cast<int>(std::lround(picture.width() * scale))),
          std::max(1, static_cast<int>(std::lround(picture.height() * scale)))};
}

QImage thumbnailOf(const cv::Mat& picture, QSize room) {
  if (picture.empty() || picture.type() != CV_8UC3) return {};
  const QSize size = thumbnailSize({picture.cols, picture.rows}, room);
  cv::Mat small;
  cv::resize(picture, small, {size.width(), size.height()}, 0, 0, cv::INTER_AREA);
  return QImage(small.data, small.cols, small.rows, static_cast<qsizetype>(small.step[0]),
                QImage::Format_BGR888)
      .convertToFormat(QImage::Format_RGB32);
}

}  // namespace mpm::gui
