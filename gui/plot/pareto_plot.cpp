// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/pareto_plot.h"

#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPolygonF>
#include <algorithm>
#include <cmath>

#include "gui/plot/axes.h"
#include "gui/plot/colours.h"

namespace mpm::gui {
namespace {

constexpr double kReach = 14;  // pixels from a point that still mean it

constexpr double kRoom = 0.06;  // of the values' range, around the outermost points

/// Places names next to their points, not over another name or point, nor outside.
class Names {
 public:
  Names(QPainter& painter, QRectF inside)
      : painter_(painter), metrics_(painter.font(), painter.device()), inside_(inside) {}

  void keepFree(const QRectF& place) { taken_.push_back(place); }

  bool put(QPointF beside, double away, const QString& words) {
    const QSizeF size(metrics_.horizontalAdvance(words), metrics_.height());
    // The front rises to the right, so the upper left and the lower right are the freest.
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

ParetoPlot::ParetoPlot(QWidget* parent) : Plot({480, 320}, {220, 140}, parent) {
  setMouseTracking(true);
  setAccessibleName(tr("Schedules: time against agreement"));
  changed();
}

void ParetoPlot::setPoints(std::vector<ParetoPoint> points) {
  std::erase_if(points, [](const ParetoPoint& point) {
    return !std::isfinite(point.ms) || !std::isfinite(point.agreement);
  });
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& one, const auto& other) { return one.ms < other.ms; });
  points_ = std::move(points);
  named_.reset();
  changed();
}

void ParetoPlot::setRunning(const QString& label) {
  running_ = label;
  changed();
}

QString ParetoPlot::nameOf(const ParetoPoint& point) const {
  const bool runs = point.label == running_;
  if (point.pick)
    return (runs ? tr("%1 (the pick, running)") : tr("%1 (the pick)")).arg(point.label);
  return runs ? tr("%1 (running)").arg(point.label) : point.label;
}

QString ParetoPlot::sentenceOf(const ParetoPoint& point) const {
  const QString figures = tr("%1 ms, %2 agreement")
                              .arg(locale().toString(point.ms, 'f', point.ms < 99.95 ? 1 : 0),
                                   percentText(point.agreement, 1, locale()));
  return tr("%1: %2").arg(nameOf(point), figures);
}

QString ParetoPlot::summary() const {
  if (points_.empty())
    return tr(
        "No schedule has been measured yet. Each will be a point: how long a frame takes with it, "
        "and how many pixels get the unmerged label.");
  const int count = static_cast<int>(points_.size());
  QStringList parts(count == 1 ? tr("1 schedule") : tr("%Ln schedules", nullptr, count));
  for (const ParetoPoint& point : points_)
    if (point.pick || point.full) parts.append(sentenceOf(point));
  return tr("%1.").arg(parts.join(tr("; ")));
}

PlotTable::Contents ParetoPlot::contents() const {
  std::vector<PlotTable::Row> rows;
  const auto word = [](bool yes) { return PlotTable::Cell{yes ? tr("yes") : tr("no"), yes}; };
  for (const ParetoPoint& point : points_)
    rows.push_back({{static_cast<qint64>(rows.size()), static_cast<qint64>(qHash(point.label))},
                    {{point.label},
                     {locale().toString(point.ms, 'f', 1), point.ms},
                     {percentText(point.agreement, 1, locale()), point.agreement},
                     {{}, point.full},
                     word(point.onFront),
                     word(point.pick)}});
  return PlotTable::contentsOf({{tr("Schedule"), "schedule"},
                                {tr("Milliseconds"), "ms"},
                                {tr("Agreement"), "agreement_percent"},
                                {{}, "full"},
                                {tr("On the Pareto front"), "on_front"},
                                {tr("Pick"), "pick"}},
                               std::move(rows));
}

std::optional<std::size_t> ParetoPlot::pointAt(QPoint place) const {
  if (points_.empty()) return std::nullopt;
  const Layout at = layout();
  std::optional<std::size_t> nearest;
  double least = kReach;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const QPointF away = at.at(points_[i]) - place;
    const double distance = std::hypot(away.x(), away.y());
    if (distance > least) continue;
    least = distance;
    nearest = i;
  }
  return nearest;
}

void ParetoPlot::name(std::optional<std::size_t> point) {
  if (named_ == point) return;
  named_ = point;
  setCursor(point ? Qt::PointingHandCursor : Qt::ArrowCursor);
  update();
}

void ParetoPlot::mouseMoveEvent(QMouseEvent* event) { name(pointAt(event->pos())); }

void ParetoPlot::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return Plot::mousePressEvent(event);
  name(pointAt(event->pos()));
  if (named_) emit scheduleChosen(points_[*named_].label);
}

void ParetoPlot::leaveEvent(QEvent* event) {
  name(std::nullopt);
  Plot::leaveEvent(event);
}

void ParetoPlot::keyPressEvent(QKeyEvent* event) {
  if (points_.empty()) return Plot::keyPressEvent(event);
  const std::size_t last = points_.size() - 1;
  switch (event->key()) {
    case Qt::Key_Left:
      name(named_ ? *named_ - (*named_ > 0 ? 1 : 0) : last);
      break;
    case Qt::Key_Right:
      name(named_ ? std::min(*named_ + 1, last) : 0);
      break;
    case Qt::Key_Home:
      name(0);
      break;
    case Qt::Key_End:
      name(last);
      break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      if (named_) emit scheduleChosen(points_[*named_].label);
      break;
    default:
      Plot::keyPressEvent(event);
  }
}

QPointF ParetoPlot::Layout::at(const ParetoPoint& point) const {
  return {plot.left() + ms.share(point.ms) * plot.width(),
          plot.bottom() - agreement.share(point.agreement) * plot.height()};
}

ParetoPlot::Layout ParetoPlot::layout() const {
  const QFontMetrics metrics(font(), this);
  double fast = INFINITY, slow = -INFINITY, low = INFINITY, high = -INFINITY;
  for (const ParetoPoint& point : points_) {
    fast = std::min(fast, point.ms);
    slow = std::max(slow, point.ms);
    low = std::min(low, point.agreement);
    high = std::max(high, point.agreement);
  }
  Layout at;
  const int above = metrics.height() + kAxisGap, below = 2 * metrics.height() + 2 * kAxisGap;
  const int tall = std::max(20, height() - above - below);
  const double room = kRoom * (high - low), roomMs = kRoom * (slow - fast);
  // Agreement ends at 100%, but a point there must be whole.
  at.agreement =
      axisWithin(low - room, std::max(high + room, high + 1e-6), ticksUpwards(tall, metrics));
  const int left = kAxisGap + valueAxisWidth(at.agreement, metrics, locale());
  at.plot = QRect(left, above, std::max(20, width() - left - 3 * kAxisGap), tall);
  at.ms = axisWithin(fast - roomMs, slow + roomMs, ticksAlong(at.plot.width(), metrics));
  return at;
}

void ParetoPlot::draw(QPainter& painter) const {
  if (points_.empty()) {
    drawSentence(painter, rect(), summary(), palette());
    return;
  }
  const QFontMetrics metrics(painter.font(), painter.device());
  const Layout at = layout();
  drawValuesAlong(painter, at.plot, at.ms, palette(), locale());
  drawValuesUpwards(painter, at.plot, at.agreement, palette(), locale());
  painter.setPen(palette().color(QPalette::Text));
  painter.drawText(
      kAxisGap, kAxisGap / 2 + metrics.ascent(),
      metrics.elidedText(tr("Label agreement [%]"), Qt::ElideRight, width() - 2 * kAxisGap));
  painter.drawText(
      QRect(at.plot.left(), height() - metrics.height() - 2, at.plot.width(), metrics.height()),
      Qt::AlignRight | Qt::AlignVCenter, tr("ms per frame"));
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
      painter.setBrush(Qt::NoBrush);
      const auto ring = [&](double radius, int colour) {
        painter.setPen(QPen(seriesColour(colour, palette()), 2.5));
        painter.drawEllipse(around(centre, radius));
      };
      if (point.pick) ring(9.5, 1);
      if (point.label == running_) ring(13.5, 2);
    }
}

void ParetoPlot::drawNames(QPainter& painter, const Layout& at) const {
  Names names(painter, QRectF(at.plot).adjusted(0, -4, 2 * kAxisGap, 0));
  for (const ParetoPoint& point : points_) names.keepFree(around(at.at(point), point.pick ? 9 : 4));
  painter.setPen(palette().color(QPalette::Text));
  for (const ParetoPoint& point : points_)
    if (point.pick && !names.put(at.at(point), 12, nameOf(point)))
      names.put(at.at(point), 12, point.label);
  for (const ParetoPoint& point : points_)
    if ((point.full || point.label == running_) && !point.pick)
      names.put(at.at(point), point.label == running_ ? 14 : 8, nameOf(point));
  for (const ParetoPoint& point : points_)
    if (point.onFront && !point.pick && !point.full && point.label != running_)
      names.put(at.at(point), 8, point.label);
}

void ParetoPlot::drawOver(QPainter& painter) const {
  if (!named_ || *named_ >= points_.size()) return;
  const Layout at = layout();
  const ParetoPoint& point = points_[*named_];
  const QPointF centre = at.at(point);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(palette().color(QPalette::Text), 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawEllipse(around(centre, 7));
  const int high = QFontMetrics(painter.font(), painter.device()).height() + 8;
  const int above = static_cast<int>(centre.y()) - high - 10;
  drawReadout(painter, rect(), static_cast<int>(centre.x()),
              above < 2 ? static_cast<int>(centre.y()) + 12 : above, {{sentenceOf(point)}},
              palette());
}

}  // namespace mpm::gui
