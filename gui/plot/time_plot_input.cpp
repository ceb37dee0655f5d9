// SPDX-License-Identifier: Apache-2.0
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <cmath>

#include "gui/plot/time_plot.h"

namespace mpm::gui {
namespace {

constexpr double kZoomStep = 0.8;  // of the span, for a notch of the wheel
constexpr double kKeyZoom = 0.5;
constexpr double kWheelNotch = 120.0;  // of QWheelEvent::angleDelta

}  // namespace

void TimePlot::wheelEvent(QWheelEvent* event) {
  follow();
  const Layout at = layoutHere();
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
    const Layout at = layoutHere();
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

}  // namespace mpm::gui
