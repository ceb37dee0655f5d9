// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/frame_painter.h"

#include <QColor>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <opencv2/imgproc.hpp>

#include "gui/canvas/token_groups.h"

namespace mpm::gui {
namespace {

constexpr double kDifferenceOpacity = 0.9;

// Darker than the cell; where that would not show, lighter.
QRgb lineBeside(QRgb colour) {
  constexpr int kDark = 60, kLighter = 45;
  const int red = qRed(colour), green = qGreen(colour), blue = qBlue(colour);
  if (red + green + blue >= 3 * kDark) return qRgb(red * 9 / 16, green * 9 / 16, blue * 9 / 16);
  return qRgb(red + kLighter, green + kLighter, blue + kLighter);
}

bool isOpaque(const Painting& painting) {
  const bool covers = painting.gridArea.contains(QRectF(0, 0, 1, 1));
  if (painting.kind == ViewKind::mergeMap) return covers;
  if (painting.opacity < 1) return false;
  return painting.kind == ViewKind::confidence ||
         (covers &&
          (painting.kind == ViewKind::groupSize || painting.kind == ViewKind::similarity));
}

}  // namespace

double sizeOnScale(int size, int merges) {
  return size <= 1 ? 0.0 : std::min(1.0, std::log2(size) / merges);
}

double similarityOnScale(double similarity) {
  constexpr double kNines = 3;
  return similarity < 1 ? std::clamp(-std::log10(1 - similarity) / kNines, 0.0, 1.0) : 1.0;
}

std::vector<QRgb> tokenColours(const cv::Mat& means, const cv::Mat& map) {
  const std::size_t places = map.total();
  const int* rows = map.ptr<int>();
  std::vector<cv::Vec4i> sums(places);  // blue, green, red, count
  for (std::size_t i = 0; i < places; ++i) {
    const auto* mean = means.ptr<uchar>() + 4 * i;
    sums[static_cast<std::size_t>(rows[i])] += cv::Vec4i(mean[0], mean[1], mean[2], 1);
  }
  std::vector<QRgb> colours(places);
  for (std::size_t row = 0; row < places; ++row) {
    const cv::Vec4i& sum = sums[row];
    if (sum[3] > 0) colours[row] = qRgb(sum[2] / sum[3], sum[1] / sum[3], sum[0] / sum[3]);
  }
  return colours;
}

void FramePainter::lookOfMeans(const cv::Mat& picture, const cv::Mat& map, const QRectF& area) {
  const std::vector<QRgb> colours = tokenColours(base_.placeMeans(picture, map.size(), area), map);
  look_.colours.resize(map.total());
  for (std::size_t i = 0; i < look_.colours.size(); ++i)
    look_.colours[i] = colours[static_cast<std::size_t>(map.ptr<int>()[i])];
}

void FramePainter::lookOfSizes(const cv::Mat& map, int merges) {
  groupSizes(map, sizes_);
  look_.colours.resize(sizes_.size());
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    look_.colours[i] = colourAt(countScale(), sizeOnScale(sizes_[i], merges));
  }
}

void FramePainter::lookOfGroups(const cv::Mat& map) {
  const std::vector<std::uint32_t>& numbers = tracker_.update(map);
  look_.colours.resize(numbers.size());
  look_.skipped.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    look_.skipped[i] = numbers[i] == 0;
    look_.colours[i] = groupColour(numbers[i]);
  }
}

void FramePainter::lookOfSimilarity(const cv::Mat& similarity) {
  const std::size_t places = similarity.total();
  const auto* values = similarity.ptr<float>();
  look_.colours.resize(places);
  look_.hatched.resize(places);
  for (std::size_t i = 0; i < places; ++i) {
    look_.hatched[i] = std::isnan(values[i]);
    look_.colours[i] = std::isnan(values[i]) ? kUnknownColour
                                             : colourAt(valueScale(), similarityOnScale(values[i]));
  }
}

void FramePainter::lookOfAges(const cv::Mat& ages) {
  const std::size_t places = ages.total();
  look_.colours.assign(places, kRememberedColour);
  look_.lines.assign(places, kFreshLine);
  look_.skipped.resize(places);
  look_.groups.resize(places);
  for (std::size_t i = 0; i < places; ++i) {
    look_.skipped[i] = ages.ptr<int>()[i] == 0;
    look_.groups[i] = look_.skipped[i];
  }
}

void FramePainter::paintOver(const monitor::FrameResult& result, const Painting& painting,
                             const ClassSettings& classes, const Part& part, cv::Mat& pixels) {
  const Segmentation& found = result.segmentation;
  const int lineWidth = painting.outlines ? painting.lineWidth : 0;
  if (painting.kind == ViewKind::segmentation) {
    labels_.overlay(pixels, found.labels, part, looksOf(classes), painting.opacity, lineWidth);
    return;
  }
  if (painting.kind == ViewKind::confidence) {
    values_.paint(pixels, found.confidence, part, valueScale(), painting.opacity);
    return;
  }
  if (painting.kind == ViewKind::difference) {
    labels_.differences(pixels, found.labels, result.full->labels, part, kDifferenceColour,
                        kDifferenceOpacity);
    return;
  }
  look_.skipped.clear();
  look_.hatched.clear();
  look_.groups.clear();
  if (painting.kind == ViewKind::computed) {
    lookOfAges(found.patchAges);
    look_.grid = found.patchAges.size();
    cells_.paint(pixels, part, painting.gridArea, look_, painting.opacity, lineWidth);
    return;
  }
  const cv::Mat& map =
      *(painting.kind == ViewKind::similarity ? similarityBefore(found, painting.stage)
                                              : mapBehind(found, painting.stage));
  if (painting.kind == ViewKind::mergeMap)
    lookOfMeans(result.frame.picture, map, painting.gridArea);
  if (painting.kind == ViewKind::groupSize) lookOfSizes(map, mergesUpTo(found, painting.stage));
  if (painting.kind == ViewKind::groups) lookOfGroups(map);
  if (painting.kind == ViewKind::similarity) lookOfSimilarity(map);
  look_.grid = map.size();
  if (lineWidth > 0 && painting.kind != ViewKind::similarity) {
    look_.groups.assign(map.ptr<int>(), map.ptr<int>() + map.total());
    look_.lines.resize(map.total());
    std::transform(look_.colours.begin(), look_.colours.end(), look_.lines.begin(), lineBeside);
  }
  const double opacity = painting.kind == ViewKind::mergeMap ? 1.0 : painting.opacity;
  cells_.paint(pixels, part, painting.gridArea, look_, opacity, lineWidth);
}

void FramePainter::fade(cv::Mat& pixels) {
  constexpr double kContrast = 0.55, kLift = 60;
  cv::cvtColor(pixels, grey_, cv::COLOR_BGRA2GRAY);
  grey_.convertTo(grey_, -1, kContrast, kLift);
  cv::cvtColor(grey_, pixels, cv::COLOR_GRAY2BGRA);
}

const QImage& FramePainter::paint(const monitor::FrameResult& result, const Painting& painting,
                                  const ClassSettings& classes, const Part& part) {
  const bool possible = whyNot(result, painting).isEmpty();
  if (possible && isOpaque(painting)) {
    fitImage(image_, part.size);
  } else {
    const bool keepsColour =
        possible && (painting.kind == ViewKind::camera || painting.kind == ViewKind::segmentation ||
                     painting.kind == ViewKind::computed);
    base_.draw(result.frame.picture, part, !keepsColour, image_);
  }
  cv::Mat pixels = pixelsOf(image_);
  if (possible && painting.kind != ViewKind::camera) {
    paintOver(result, painting, classes, part, pixels);
  }
  if (painting.grey) fade(pixels);
  return image_;
}

void FramePainter::release() {
  base_ = {};
  labels_ = {};
  cells_ = {};
  values_ = {};
  look_ = {};
  sizes_ = {};
  grey_.release();
  image_ = QImage();
}

void PaintedView::release() {
  image_ = nullptr;
  key_ = {};
  painter_.release();
}

void PaintedView::draw(QPainter& painter, const monitor::FrameResultPtr& result, Painting painting,
                       const ClassSettings& classes, const ViewGeometry& geometry,
                       const QRectF& clip, double ratio) {
  const ViewGeometry::Seen seen = geometry.seen(clip, ratio);
  if (seen.area.empty()) return;
  painting.lineWidth = std::max(1, qRound(ratio));
  const Key key{result, painting, showsClasses(painting.kind) ? classes.revision() : 0,
                geometry.partFor(seen)};
  if (!image_ || key != key_) {
    image_ = &painter_.paint(*result, painting, classes, key.part);
    key_ = key;
    ++paintings_;
  }
  painter.save();
  painter.setClipRect(clip);
  painter.scale(1 / ratio, 1 / ratio);  // then a pixel of the image is one of the device
  if (image_->size() == seen.target.size()) {
    painter.drawImage(seen.target.topLeft(), *image_);
  } else {
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(seen.target, *image_);
  }
  painter.restore();
}

const QPixmap& KeptPainting::of(const monitor::FrameResultPtr& result, const Painting& painting,
                                const ClassSettings& classes, const ViewGeometry& geometry,
                                QSize size, double ratio, const QColor& ground) {
  const Key key{result, painting, showsClasses(painting.kind) ? classes.revision() : 0,
                size,   ratio,    ground};
  if (key == key_) return pixmap_;
  key_ = key;
  if (pixmap_.size() != size * ratio) pixmap_ = QPixmap(size * ratio);
  pixmap_.setDevicePixelRatio(ratio);
  pixmap_.fill(ground);
  QPainter painter(&pixmap_);
  view_.draw(painter, result, painting, classes, geometry, QRectF(QPointF(), size), ratio);
  return pixmap_;
}

}  // namespace mpm::gui
