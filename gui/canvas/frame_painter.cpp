// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/frame_painter.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <opencv2/imgproc.hpp>
#include <set>

namespace mpm::gui {
namespace {

constexpr double kDifferenceOpacity = 0.9;

// Returns a colour darker than the cell's, or lighter if that would be invisible.
QRgb lineBeside(QRgb colour) {
  constexpr int kDark = 60, kLighter = 45;
  const int red = qRed(colour), green = qGreen(colour), blue = qBlue(colour);
  if (red + green + blue >= 3 * kDark) return qRgb(red * 9 / 16, green * 9 / 16, blue * 9 / 16);
  return qRgb(red + kLighter, green + kLighter, blue + kLighter);
}

/// Returns a colour far from those of neighbouring numbers.
std::uint32_t groupColour(std::uint32_t number) {
  constexpr double kGoldenTurn = 0.61803398875;
  const double turns = number * kGoldenTurn;
  const int hue = static_cast<int>((turns - std::floor(turns)) * 360) % 360;
  const int saturation = 120 + static_cast<int>(number * 7 % 3) * 50;
  const int value = 255 - static_cast<int>(number * 11 % 3) * 45;
  return QColor::fromHsv(hue, saturation, value).rgb();
}

CellLook lookOfMeans(const cv::Mat& picture, const cv::Mat& map, const QRectF& area) {
  const std::vector<QRgb> colours = tokenColours(placeMeans(picture, map.size(), area), map);
  CellLook look{map.size(), {}, {}, {}, {}, {}};
  for (std::size_t i = 0; i < map.total(); ++i)
    look.colours.push_back(colours[static_cast<std::size_t>(map.ptr<int>()[i])]);
  return look;
}

CellLook lookOfSizes(const cv::Mat& map, int merges) {
  std::vector<int> sizes;
  groupSizes(map, sizes);
  CellLook look{map.size(), {}, {}, {}, {}, {}};
  for (const int size : sizes)
    look.colours.push_back(colourAt(countScale(), sizeOnScale(size, merges)));
  return look;
}

CellLook lookOfGroups(const cv::Mat& map, const std::vector<std::uint32_t>& numbers) {
  CellLook look{map.size(), {}, {}, {}, {}, {}};
  for (const std::uint32_t number : numbers) {
    look.skipped.push_back(number == 0);
    look.colours.push_back(groupColour(number));
  }
  return look;
}

CellLook lookOfSimilarity(const cv::Mat& similarity) {
  CellLook look{similarity.size(), {}, {}, {}, {}, {}};
  for (std::size_t i = 0; i < similarity.total(); ++i) {
    const double value = static_cast<double>(similarity.ptr<float>()[i]);
    look.hatched.push_back(std::isnan(value));
    look.colours.push_back(std::isnan(value) ? kUnknownColour
                                             : colourAt(valueScale(), similarityOnScale(value)));
  }
  return look;
}

CellLook lookOfAges(const cv::Mat& ages) {
  CellLook look{ages.size(), {}, {}, {}, {}, {}};
  look.colours.assign(ages.total(), kRememberedColour);
  look.lines.assign(ages.total(), kFreshLine);
  for (std::size_t i = 0; i < ages.total(); ++i) look.skipped.push_back(ages.ptr<int>()[i] == 0);
  look.groups.assign(look.skipped.begin(), look.skipped.end());
  return look;
}

void fade(cv::Mat& pixels) {
  constexpr double kContrast = 0.55, kLift = 60;
  cv::Mat grey;
  cv::cvtColor(pixels, grey, cv::COLOR_BGRA2GRAY);
  grey.convertTo(grey, -1, kContrast, kLift);
  cv::cvtColor(grey, pixels, cv::COLOR_GRAY2BGRA);
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

const std::vector<std::uint32_t>& GroupTracker::update(const cv::Mat& map) {
  if (map.size() != grid_) {
    grid_ = map.size();
    remembered_.assign(map.total(), 0);
  }
  std::map<int, std::vector<std::size_t>> groups;  // places by row
  for (std::size_t i = 0; i < map.total(); ++i) groups[map.ptr<int>()[i]].push_back(i);
  std::erase_if(groups, [](const auto& group) { return group.second.size() < 2; });
  struct Claim {
    int overlap, row;
    std::uint32_t number;
  };
  std::vector<Claim> claims;
  for (const auto& [row, places] : groups) {
    std::map<std::uint32_t, int> overlaps;
    for (const std::size_t place : places)
      if (remembered_[place] != 0) ++overlaps[remembered_[place]];
    for (const auto& [number, overlap] : overlaps) claims.push_back({overlap, row, number});
  }
  std::stable_sort(claims.begin(), claims.end(),
                   [](const Claim& a, const Claim& b) { return a.overlap > b.overlap; });
  std::map<int, std::uint32_t> own;  // numbers by row
  std::set<std::uint32_t> used;
  for (const Claim& claim : claims)
    if (!own.contains(claim.row) && used.insert(claim.number).second) own[claim.row] = claim.number;
  numbers_.assign(map.total(), 0);
  for (const auto& [row, places] : groups) {
    std::uint32_t& number = own[row];
    if (number == 0) {  // by its first place: views that began at other frames agree where they can
      number = static_cast<std::uint32_t>(places.front()) + 1;
      while (!used.insert(number).second) number += static_cast<std::uint32_t>(map.total());
    }
    for (const std::size_t place : places) numbers_[place] = remembered_[place] = number;
  }
  return numbers_;
}

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

void FramePainter::paintOver(const monitor::FrameResult& result, const Painting& painting,
                             const ClassSettings& classes, const Part& part, cv::Mat& pixels) {
  const Segmentation& found = result.segmentation;
  const int lineWidth = painting.outlines ? painting.lineWidth : 0;
  const auto cells = [&](const CellLook& look) {
    const double opacity = painting.kind == ViewKind::mergeMap ? 1.0 : painting.opacity;
    paintCells(pixels, part, painting.gridArea, look, opacity, lineWidth);
  };
  // Draws tokens with lines between them.
  const auto tokens = [&](const cv::Mat& map, CellLook look) {
    look.groups.assign(map.ptr<int>(), map.ptr<int>() + map.total());
    for (const QRgb colour : look.colours) look.lines.push_back(lineBeside(colour));
    cells(look);
  };
  const cv::Mat* map = mapBehind(found, painting.stage);
  switch (painting.kind) {
    case ViewKind::camera:
      return;
    case ViewKind::segmentation:
      return paintLabels(pixels, found.labels, part, classes, painting.opacity, lineWidth);
    case ViewKind::confidence:
      return paintValues(pixels, found.confidence, part, valueScale(), painting.opacity);
    case ViewKind::difference:
      return paintDifferences(pixels, found.labels, result.full->labels, part, kDifferenceColour,
                              kDifferenceOpacity);
    case ViewKind::computed:
      return cells(lookOfAges(found.patchAges));
    case ViewKind::similarity:
      return cells(lookOfSimilarity(*similarityBefore(found, painting.stage)));
    case ViewKind::mergeMap:
      return tokens(*map, lookOfMeans(result.frame.picture, *map, painting.gridArea));
    case ViewKind::groupSize:
      return tokens(*map, lookOfSizes(*map, mergesUpTo(found, painting.stage)));
    case ViewKind::groups:
      return tokens(*map, lookOfGroups(*map, tracker_.update(*map)));
  }
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
    drawPicture(result.frame.picture, part, !keepsColour, image_);
  }
  cv::Mat pixels = pixelsOf(image_);
  if (possible) paintOver(result, painting, classes, part, pixels);
  if (painting.grey) fade(pixels);
  return image_;
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
