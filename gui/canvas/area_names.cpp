// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/area_names.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <opencv2/core/version.hpp>
#include <opencv2/imgproc.hpp>
#if CV_VERSION_MAJOR >= 5
#include <opencv2/geometry.hpp>  // which was part of imgproc
#endif
#include <optional>
#include <utility>

namespace mpm::gui {
namespace {

constexpr int kLongSide = 192;  // of the labels that are looked at: a name needs no more
// Least share of the frame for a named area: the largest of its class, and any other.
constexpr double kLargestOfClass = 0.003, kOther = 0.03;
constexpr double kKept = 0.6;  // of these, for one that has its name already
// A name stays where the area is at least this share of its greatest depth.
constexpr double kDeepEnough = 0.6;
constexpr std::size_t kMostNames = 24;

template <typename Label>
void shrink(const cv::Mat& labels, cv::Mat1i& small) {
  for (int y = 0; y < small.rows; ++y) {
    const Label* row = labels.ptr<Label>((2 * y + 1) * labels.rows / (2 * small.rows));
    for (int x = 0; x < small.cols; ++x)
      small(y, x) = row[(2 * x + 1) * labels.cols / (2 * small.cols)];
  }
}

cv::Point pixelAt(QPointF place, cv::Size size) {
  return {std::clamp(static_cast<int>(place.x() * size.width), 0, size.width - 1),
          std::clamp(static_cast<int>(place.y() * size.height), 0, size.height - 1)};
}

}  // namespace

const std::vector<NamedArea>& AreaNames::find(const cv::Mat& labels) {
  if (labels.empty()) {
    found_.clear();
    return found_;
  }
  const double scale =
      std::min(1.0, kLongSide / static_cast<double>(std::max(labels.cols, labels.rows)));
  small_.create(std::max(1, static_cast<int>(std::lround(labels.rows * scale))),
                std::max(1, static_cast<int>(std::lround(labels.cols * scale))));
  labels.depth() == CV_16U ? shrink<ushort>(labels, small_) : shrink<uchar>(labels, small_);
  struct Extent {
    int pixels = 0;
    cv::Rect box;
  };
  std::map<int, Extent> classes;
  for (int y = 0; y < small_.rows; ++y) {
    for (int x = 0; x < small_.cols; ++x) {
      Extent& extent = classes[small_(y, x)];
      ++extent.pixels;
      extent.box |= cv::Rect(x, y, 1, 1);
    }
  }
  std::vector<NamedArea> found;
  for (const auto& [label, extent] : classes) {
    if (extent.pixels >= kKept * kLargestOfClass * static_cast<double>(small_.total()))
      findOf(label, extent.box, found);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const NamedArea& a, const NamedArea& b) { return a.share > b.share; });
  if (found.size() > kMostNames) found.resize(kMostNames);
  found_ = std::move(found);
  return found_;
}

void AreaNames::findOf(int label, const cv::Rect& box, std::vector<NamedArea>& found) const {
  cv::Mat parts, stats, centres;
  const int count = cv::connectedComponentsWithStats(cv::Mat(small_(box) == label), parts, stats,
                                                     centres, 4, CV_32S, cv::CCL_WU);
  int largest = 0;
  const auto stat = [&](int part, int which) { return stats.at<int>(part, which); };
  for (int part = 1; part < count; ++part) {
    if (largest == 0 || stat(part, cv::CC_STAT_AREA) > stat(largest, cv::CC_STAT_AREA))
      largest = part;
  }
  for (int part = 1; part < count; ++part) {
    const double share = stat(part, cv::CC_STAT_AREA) / static_cast<double>(small_.total());
    const double least = part == largest ? kLargestOfClass : kOther;
    if (share < kKept * least) continue;
    const cv::Rect inBox(stat(part, cv::CC_STAT_LEFT), stat(part, cv::CC_STAT_TOP),
                         stat(part, cv::CC_STAT_WIDTH), stat(part, cv::CC_STAT_HEIGHT));
    // The frame's edge counts as a border.
    cv::Mat1b framed;
    cv::copyMakeBorder(cv::Mat(parts(inBox) == part), framed, 1, 1, 1, 1, cv::BORDER_CONSTANT, 0);
    cv::Mat1f depth;
    cv::distanceTransform(framed, depth, cv::DIST_L2, 3);
    cv::Point deepest;
    double most = 0;
    cv::minMaxLoc(depth, nullptr, &most, nullptr, &deepest);
    const cv::Point corner = box.tl() + inBox.tl() - cv::Point(1, 1);  // of depth, in the picture
    const QPointF place((deepest.x + corner.x + 0.5) / small_.cols,
                        (deepest.y + corner.y + 0.5) / small_.rows);
    NamedArea area{label, place, share};
    bool hadName = false;
    for (const NamedArea& one : found_) {
      const cv::Point at = pixelAt(one.place, small_.size()) - corner;
      if (one.label != label || !cv::Rect({}, depth.size()).contains(at) || depth(at) <= 0)
        continue;
      hadName = true;
      if (depth(at) >= kDeepEnough * most) area.place = one.place;
    }
    if (share >= least || hadName) found.push_back(area);
  }
}

void drawAreaNames(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds,
                   const std::vector<NamedArea>& areas, const ClassSettings& classes) {
  constexpr double kApart = 4;
  // Drawing cached glyphs around the text costs a tenth of an outline.
  constexpr std::array kHalo{QPointF(-1, 0),     QPointF(1, 0),       QPointF(0, -1),
                             QPointF(0, 1),      QPointF(-0.7, -0.7), QPointF(0.7, -0.7),
                             QPointF(-0.7, 0.7), QPointF(0.7, 0.7)};
  painter.save();
  QFont font = painter.font();
  font.setBold(true);
  painter.setFont(font);
  const QFontMetricsF metrics(font);
  const double halo = std::max(1.5, metrics.height() / 30);
  const QRectF seen = geometry.toView(QRectF(0, 0, 1, 1)).intersected(bounds);
  std::vector<QRectF> taken;
  for (const NamedArea& area : areas) {
    if (!classes.shows(area.label)) continue;
    const QString name = classes.name(area.label);
    QRectF place(0, 0, metrics.horizontalAdvance(name), metrics.height());
    place.moveCenter(geometry.toView(area.place));
    if (!seen.contains(place.center()) || place.width() > seen.width()) continue;
    place.moveLeft(
        std::clamp(place.left(), seen.left() + kApart,
                   std::max(seen.left() + kApart, seen.right() - kApart - place.width())));
    place.moveTop(
        std::clamp(place.top(), seen.top(), std::max(seen.top(), seen.bottom() - place.height())));
    const QRectF room = place.adjusted(-kApart, 0, kApart, 0);
    if (std::any_of(taken.begin(), taken.end(),
                    [&](const QRectF& other) { return other.intersects(room); }))
      continue;
    taken.push_back(room);
    const QPointF at(place.left(), place.top() + metrics.ascent());
    painter.setPen(QColor(0, 0, 0, 120));
    for (const QPointF& way : kHalo) painter.drawText(at + way * halo, name);
    painter.setPen(Qt::white);
    painter.drawText(at, name);
  }
  painter.restore();
}

}  // namespace mpm::gui
