// SPDX-License-Identifier: Apache-2.0
#include <QPolygonF>
#include <algorithm>
#include <cmath>

#include "gui/plot/colours.h"
#include "gui/plot/draw_axes.h"
#include "gui/plot/pareto_plot.h"

namespace mpm::gui {
namespace {

constexpr double kRoom = 0.06;  // of the values' range, around the outermost points

/// Names beside their points, none over another, over a point or outside.
class Names {
 public:
  Names(QPainter& painter, QRectF inside)
      : painter_(painter), metrics_(painter.font(), painter.device()), inside_(inside) {}

  void keepFree(const QRectF& place) { taken_.push_back(place); }

  bool put(QPointF beside, double away, const QString& words) {
    const QSizeF size(metrics_.horizontalAdvance(words), metrics_.height());
    // The front rises to the right: least in its way to the upper left and the lower right.
    for (const QPointF corner :
         {QPointF(-size.width() - away, -size.height() - 1), QPointF(away, 1),
          QPointF(away, -size.height() - 1), QPointF(-size.width() - away, 1),
          QPointF(-size.width() / 2, -size.height() - away), QPointF(-size.width() / 2, away)}) {
      const QRectF place(beside + corner, size);
      if (!inside_.contains(place) ||
          std::any_of(taken_.begin(), taken_.end(),
                      [&](const QRectF& other) { return other.intersects(place); }))
        continue;
      painter_.drawText(place.topLeft() + QPointF(0, metrics_.ascent()), words);
      taken_.push_back(place);
      return true;
    }
    return false;
  }

 private:
  QPainter& painter_;
  QFontMetricsF metrics_;
  QRectF inside_;
  std::vector<QRectF> taken_;
};

QRectF around(QPointF centre, double radius) {
  return {centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius};
}

}  // namespace

QPointF ParetoPlot::Layout::at(const ParetoPoint& point) const {
  return {plot.left() + ms.share(point.ms) * plot.width(),
          plot.bottom() - agreement.share(point.agreement) * plot.height()};
}

ParetoPlot::Layout ParetoPlot::layout(const QPaintDevice& device, const QFont& ofText,
                                      QSize size) const {
  const QFontMetrics metrics(ofText, &device);
  double fast = INFINITY, slow = -INFINITY, low = INFINITY, high = -INFINITY;
  for (const ParetoPoint& point : points_) {
    fast = std::min(fast, point.ms);
    slow = std::max(slow, point.ms);
    low = std::min(low, point.agreement);
    high = std::max(high, point.agreement);
  }
  Layout at;
  const int above = metrics.height() + kAxisGap, below = 2 * metrics.height() + 2 * kAxisGap;
  const int height = std::max(20, size.height() - above - below);
  const double room = kRoom * (high - low), roomMs = kRoom * (slow - fast);
  // Nothing agrees more than fully, but a point there is still whole.
  at.agreement =
      axisWithin(low - room, std::max(high + room, high + 1e-6), ticksUpwards(height, metrics));
  const int left = kAxisGap + valueAxisWidth(at.agreement, metrics, locale());
  at.plot = QRect(left, above, std::max(20, size.width() - left - 3 * kAxisGap), height);
  at.ms = axisWithin(fast - roomMs, slow + roomMs, ticksAlong(at.plot.width(), metrics));
  return at;
}

void ParetoPlot::draw(QPainter& painter, QSize size) const {
  if (points_.empty()) {
    drawSentence(painter, QRect({0, 0}, size), summary(), palette());
    return;
  }
  const QFontMetrics metrics(painter.font(), painter.device());
  const Layout at = layout(*painter.device(), painter.font(), size);
  drawValuesAlong(painter, at.plot, at.ms, palette(), locale());
  drawValuesUpwards(painter, at.plot, at.agreement, palette(), locale());
  painter.setPen(palette().color(QPalette::Text));
  painter.drawText(kAxisGap, kAxisGap / 2 + metrics.ascent(),
                   metrics.elidedText(tr("Agreement with full tokens [%]"), Qt::ElideRight,
                                      size.width() - 2 * kAxisGap));
  painter.drawText(QRect(at.plot.left(), size.height() - metrics.height() - 2, at.plot.width(),
                         metrics.height()),
                   Qt::AlignRight | Qt::AlignVCenter, tr("ms for a frame"));
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  drawFront(painter, at);
  drawPoints(painter, at);
  drawNames(painter, at);
  painter.restore();
}

void ParetoPlot::drawFront(QPainter& painter, const Layout& at) const {
  QPolygonF line;
  for (const ParetoPoint& point : points_)
    if (point.onFront) line.append(at.at(point));
  painter.setPen(QPen(seriesColour(0, palette()), 1.5));
  painter.drawPolyline(line);
}

void ParetoPlot::drawPoints(QPainter& painter, const Layout& at) const {
  const QColor base = palette().color(QPalette::Base);
  const QColor quiet = mixed(base, palette().color(QPalette::Text), 0.45);
  for (const bool front : {false, true})
    for (const ParetoPoint& point : points_) {
      if ((point.onFront || point.pick || point.full) != front) continue;
      const QPointF centre = at.at(point);
      painter.setPen(QPen(base, 1));
      painter.setBrush(front ? seriesColour(0, palette()) : quiet);
      if (point.full)  // a square: what all others are measured by
        painter.drawRect(around(centre, 5.5));
      else
        painter.drawEllipse(around(centre, front ? 5 : 3.5));
      if (!point.pick) continue;
      painter.setPen(QPen(seriesColour(1, palette()), 2.5));
      painter.setBrush(Qt::NoBrush);
      painter.drawEllipse(around(centre, 9.5));
    }
}

void ParetoPlot::drawNames(QPainter& painter, const Layout& at) const {
  Names names(painter, QRectF(at.plot).adjusted(0, -4, 2 * kAxisGap, 0));
  for (const ParetoPoint& point : points_) names.keepFree(around(at.at(point), point.pick ? 9 : 4));
  painter.setPen(palette().color(QPalette::Text));
  for (const ParetoPoint& point : points_)
    if (point.pick && !names.put(at.at(point), 12, tr("%1 (the pick)").arg(point.label)))
      names.put(at.at(point), 12, point.label);
  for (const ParetoPoint& point : points_)
    if (point.full && !point.pick) names.put(at.at(point), 8, point.label);
  for (const ParetoPoint& point : points_)
    if (point.onFront && !point.pick && !point.full) names.put(at.at(point), 8, point.label);
}

void ParetoPlot::drawOver(QPainter& painter) const {
  if (!named_ || *named_ >= points_.size()) return;
  const Layout at = layout(*this, font(), size());
  const ParetoPoint& point = points_[*named_];
  const QPointF centre = at.at(point);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(palette().color(QPalette::Text), 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawEllipse(around(centre, 7));
  const QFontMetrics metrics(painter.font(), painter.device());
  const QString words =
      metrics.elidedText(sentenceOf(point), Qt::ElideRight, std::max(40, width() - 20));
  const int wide = metrics.horizontalAdvance(words) + 12, tall = metrics.height() + 6;
  const int left =
      std::clamp(static_cast<int>(centre.x()) + 12, 2, std::max(2, width() - wide - 2));
  int top = static_cast<int>(centre.y()) - tall - 10;
  if (top < 2) top = static_cast<int>(centre.y()) + 12;
  const QRect box(left, top, wide, tall);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(quietTextColour(palette()));
  painter.setBrush(palette().color(QPalette::Base));
  painter.drawRect(box);
  painter.setPen(palette().color(QPalette::Text));
  painter.drawText(box, Qt::AlignCenter, words);
}

}  // namespace mpm::gui
