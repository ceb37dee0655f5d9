// SPDX-License-Identifier: Apache-2.0
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "gui/plot/colours.h"
#include "gui/plot/time_plot.h"

namespace mpm::gui {
namespace {

constexpr double kZoomStep = 0.8;  // of the span, for a notch of the wheel
constexpr double kKeyZoom = 0.5;
constexpr double kWheelNotch = 120.0;  // of QWheelEvent::angleDelta

/// The bucket under the pointer, or all buckets of its column.
struct Pointed {
  std::int64_t startUtcMs = 0;
  monitor::LightState light = monitor::LightState::transition;
  Extent extent;
  bool any = false;
};

Pointed pointedAt(const Series& line, const TimeScale& scale, double column) {
  const std::int64_t from = scale.utcMsOf(column), to = scale.utcMsOf(column + 1);
  Pointed pointed;
  // Of several eras the last one is drawn on top.
  for (auto run = line.runs().rbegin(); run != line.runs().rend() && !pointed.any; ++run) {
    std::size_t begin = line.firstFrom(*run, from), end = line.firstFrom(*run, to);
    if (begin > run->begin && line.buckets()[begin - 1].startUtcMs + line.lengthMs() > from &&
        (begin == end || line.lengthMs() >= to - from))
      end = begin--;
    if (begin >= end) continue;
    pointed = {line.buckets()[begin].startUtcMs, line.buckets()[begin].light, line.over(begin, end),
               true};
  }
  return pointed;
}

}  // namespace

void TimePlot::wheelEvent(QWheelEvent* event) {
  follow();
  const Layout at = layout();
  const QPoint angle = event->angleDelta();
  if (std::abs(angle.x()) > std::abs(angle.y())) {
    window_.pan(static_cast<std::int64_t>(-angle.x() / kWheelNotch * 0.1 *
                                          static_cast<double>(window_.span())));
  } else if (angle.y() != 0) {
    const double x = event->position().x() - at.plot.left();
    window_.zoom(std::pow(kZoomStep, angle.y() / kWheelNotch), at.scale.utcMsOf(x * at.ratio));
  }
  event->accept();
  windowMoved();
}

void TimePlot::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return Plot::mousePressEvent(event);
  dragged_ = event->pos().x();
  setCursor(Qt::ClosedHandCursor);
}

void TimePlot::mouseMoveEvent(QMouseEvent* event) {
  const int x = event->pos().x();
  if (dragged_ && *dragged_ != x) {
    follow();
    const Layout at = layout();
    const std::int64_t by = at.scale.utcMsOf(*dragged_ * at.ratio) - at.scale.utcMsOf(x * at.ratio);
    dragged_ = x;
    pointer_ = x;
    window_.pan(by);
    windowMoved();
    return;
  }
  pointer_ = x;
  update();
}

void TimePlot::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return Plot::mouseReleaseEvent(event);
  dragged_.reset();
  unsetCursor();
}

void TimePlot::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return Plot::mouseDoubleClickEvent(event);
  goLive();
}

void TimePlot::leaveEvent(QEvent* event) {
  pointer_.reset();
  update();
  Plot::leaveEvent(event);
}

void TimePlot::keyPressEvent(QKeyEvent* event) {
  follow();
  const std::int64_t span = window_.span();
  const std::int64_t middle = window_.live() ? window_.to() : window_.from() + span / 2;
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      window_.zoom(kKeyZoom, middle);
      break;
    case Qt::Key_Minus:
    case Qt::Key_Underscore:
      window_.zoom(1 / kKeyZoom, middle);
      break;
    case Qt::Key_Left:
      window_.pan(-span / 10);
      break;
    case Qt::Key_Right:
      window_.pan(span / 10);
      break;
    case Qt::Key_PageUp:
      window_.pan(-span * 9 / 10);
      break;
    case Qt::Key_PageDown:
      window_.pan(span * 9 / 10);
      break;
    case Qt::Key_Home:
      window_.goToOldest();
      break;
    case Qt::Key_End:
      window_.goLive();
      break;
    default:
      return Plot::keyPressEvent(event);
  }
  windowMoved();
}

void TimePlot::showEvent(QShowEvent* event) {
  Plot::showEvent(event);
  follow();
  keepTime();
  changed();
}

void TimePlot::hideEvent(QHideEvent* event) {
  Plot::hideEvent(event);
  keepTime();
}

void TimePlot::resizeEvent(QResizeEvent* event) {
  Plot::resizeEvent(event);
  keepTime();
  changed(false);
}

std::vector<ReadoutLine> TimePlot::readout(const FetchedSeries& series, const Layout& at,
                                           int x) const {
  const double column = std::floor((x - at.plot.left()) * at.ratio);
  const auto first =
      series.lines.empty() ? Pointed{} : pointedAt(series.lines.front(), at.scale, column);
  const bool seconds =
      at.scale.msPerColumn() < 60'000 && series.resolution == monitor::Resolution::second;
  const std::int64_t time = first.any ? first.startUtcMs : at.scale.utcMsOf(column);
  const QString moment = momentText(time, seconds, zone_, locale());
  std::vector<ReadoutLine> words{
      {first.any ? tr("%1, %2", "a moment and its light").arg(moment, lightTitle(first.light))
                 : moment}};
  for (std::size_t i = 0; i < series.lines.size(); ++i) {
    const Extent extent = pointedAt(series.lines[i], at.scale, column).extent;
    if (extent.count == 0) {
      words.push_back({tr("%1: nothing").arg(lines_[i].title), colourOf(i)});
      continue;
    }
    const QString mean = valueText(extent.mean(), unit_, locale());
    const QString whole = tr("%1: %2").arg(lines_[i].title, mean);
    words.push_back(
        {extent.smallest == extent.largest
             ? whole
             : tr("%1: %2 (%3 to %4)")
                   .arg(lines_[i].title, mean, valueText(extent.smallest, unit_, locale()),
                        valueText(extent.largest, unit_, locale())),
         colourOf(i)});
  }
  return words;
}

void TimePlot::drawOver(QPainter& painter) const {
  const FetchedSeries* series = fetched();
  if (series == nullptr) return;
  const Layout at = layout();
  if (!pointer_ || *pointer_ < at.plot.left() || *pointer_ > at.plot.right()) return;
  painter.setPen(QPen(palette().color(QPalette::Text), 1, Qt::DotLine));
  painter.drawLine(*pointer_, at.plot.top(), *pointer_, at.plot.bottom());
  painter.setRenderHint(QPainter::Antialiasing);
  const double column = std::floor((*pointer_ - at.plot.left()) * at.ratio);
  for (std::size_t i = 0; i < series->lines.size(); ++i) {
    const Extent extent = pointedAt(series->lines[i], at.scale, column).extent;
    const double share = at.axis.share(extent.mean());
    if (extent.count == 0 || share < 0 || share > 1) continue;
    painter.setPen(QPen(palette().color(QPalette::Base), 1.5));
    painter.setBrush(colourOf(i));
    painter.drawEllipse(QPointF(*pointer_, at.plot.bottom() - share * at.plot.height()), 4, 4);
  }
  drawReadout(painter, rect(), *pointer_, at.plot.top() + 4, readout(*series, at, *pointer_),
              palette());
}

}  // namespace mpm::gui
