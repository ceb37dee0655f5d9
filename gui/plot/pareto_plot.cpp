// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/pareto_plot.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>

#include "gui/plot/csv_writer.h"

namespace mpm::gui {
namespace {

constexpr double kReach = 14;  // pixels from a point that still mean it

}  // namespace

ParetoPlot::ParetoPlot(QWidget* parent) : Plot(parent) {
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

QSize ParetoPlot::sizeHint() const { return {480, 320}; }
QSize ParetoPlot::minimumSizeHint() const { return {220, 140}; }

QString ParetoPlot::sentenceOf(const ParetoPoint& point) const {
  const QString figures = tr("%1 ms, agrees in %2")
                              .arg(locale().toString(point.ms, 'f', point.ms < 99.95 ? 1 : 0),
                                   percentText(point.agreement, 1, locale()));
  const QString sentence = tr("%1: %2").arg(point.label, figures);
  return point.pick ? tr("%1 (the pick)").arg(sentence) : sentence;
}

QString ParetoPlot::summary() const {
  if (points_.empty()) return tr("No schedule has been measured yet.");
  const int count = static_cast<int>(points_.size());
  QStringList parts(count == 1 ? tr("1 schedule") : tr("%Ln schedules", nullptr, count));
  for (const ParetoPoint& point : points_)
    if (point.pick || point.full) parts.append(sentenceOf(point));
  return tr("%1.").arg(parts.join(tr("; ")));
}

PlotTable::Contents ParetoPlot::contents() const {
  PlotTable::Contents made;
  made.headers << tr("Schedule") << tr("Milliseconds") << tr("Agreement") << tr("On the front")
               << tr("Pick");
  for (std::size_t i = 0; i < points_.size(); ++i)
    made.rows.emplace_back(static_cast<qint64>(i), static_cast<qint64>(qHash(points_[i].label)));
  made.cell = [points = points_, locale = locale(), yes = tr("yes"), no = tr("no")](
                  int row, int column) -> PlotTable::Cell {
    const ParetoPoint& point = points[static_cast<std::size_t>(row)];
    switch (column) {
      case 0:
        return {point.label, {}};
      case 1:
        return {locale.toString(point.ms, 'f', 1), point.ms};
      case 2:
        return {percentText(point.agreement, 1, locale), point.agreement};
      case 3:
        return {point.onFront ? yes : no, {}};
      default:
        return {point.pick ? yes : no, {}};
    }
  };
  return made;
}

bool ParetoPlot::exportCsv(QIODevice& device) const {
  CsvWriter csv(device);
  for (const char* header : {"schedule", "ms", "agreement_percent", "full", "on_front", "pick"})
    csv.cell(QString(header));
  csv.endLine();
  for (const ParetoPoint& point : points_) {
    csv.cell(point.label).cell(point.ms).cell(point.agreement);
    for (const bool flag : {point.full, point.onFront, point.pick}) csv.cell(std::int64_t{flag});
    csv.endLine();
  }
  return csv.finish();
}

std::optional<std::size_t> ParetoPlot::pointAt(QPoint place) const {
  if (points_.empty()) return std::nullopt;
  const Layout at = layout(*this, font(), size());
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

}  // namespace mpm::gui
