// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/split_view.h"

#include <QMouseEvent>
#include <QPainter>
#include <QResizeEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace mpm::gui {
namespace {

constexpr int kWidth = 17;

}  // namespace

SplitView::SplitView(QWidget* parent) : PictureView(parent), handle_(new SplitHandle(this)) {
  right_.kind = ViewKind::segmentation;
  connect(handle_, &QAbstractSlider::valueChanged, this, [this] { update(); });
  changed();
}

void SplitView::setLeft(const Painting& painting) {
  if (painting == left_) return;
  left_ = painting;
  changed();
}

void SplitView::setRight(const Painting& painting) {
  if (painting == right_) return;
  right_ = painting;
  changed();
}

double SplitView::split() const { return handle_->share(); }

void SplitView::setSplit(double share) {
  if (!std::isfinite(share)) return;
  const double steps = std::clamp(share, 0.0, 1.0) * SplitHandle::kSplitSteps;
  handle_->setValue(static_cast<int>(std::lround(steps)));
}

std::vector<PictureView::Layer> SplitView::layers(const ViewGeometry& geometry,
                                                  const QRectF& bounds) const {
  // The line stands over the same place of the picture wherever the picture is drawn.
  const ViewGeometry own = this->geometry();
  const double here = split() * width();
  const double x = own.isEmpty() ? here : geometry.toView(own.toPicture({here, 0})).x();
  const double line = std::clamp(x, bounds.left(), bounds.right());
  QRectF left = bounds, right = bounds;
  left.setRight(line);
  right.setLeft(line);
  return {{left_, left, titleOf(left_)}, {right_, right, titleOf(right_)}};
}

QString SplitView::title() const { return tr("%1 and %2").arg(titleOf(left_), titleOf(right_)); }

QString SplitView::description() const {
  return tr("Left: %1 Right: %2").arg(descriptionOf(left_.kind), descriptionOf(right_.kind));
}

void SplitView::resizeEvent(QResizeEvent* event) {
  handle_->place();
  PictureView::resizeEvent(event);
}

SplitHandle::SplitHandle(QWidget* parent) : QAbstractSlider(parent) {
  setOrientation(Qt::Horizontal);
  setRange(0, kSplitSteps);
  setSingleStep(kSplitSteps / 50);
  setPageStep(kSplitSteps / 10);
  setValue(kSplitSteps / 2);
  setCursor(Qt::SplitHCursor);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Split line"));
  setAccessibleDescription(tr("Arrow keys move the line between the two pictures."));
  setToolTip(tr("Drag the line, or move it with the arrow keys"));
  connect(this, &QAbstractSlider::valueChanged, this, &SplitHandle::place);
}

double SplitHandle::share() const { return static_cast<double>(value()) / kSplitSteps; }

void SplitHandle::place() {
  const int x = static_cast<int>(std::lround(share() * parentWidget()->width()));
  setGeometry(x - kWidth / 2, 0, kWidth, parentWidget()->height());
}

void SplitHandle::paintEvent(QPaintEvent* /*event*/) {
  constexpr double kGripWidth = 11, kGripHeight = 34;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const double x = kWidth / 2.0;
  const QColor colour = hasFocus() ? palette().color(QPalette::Highlight) : QColor(Qt::white);
  painter.setPen(QPen(QColor(0, 0, 0, 150), 4));
  painter.drawLine(QPointF(x, 0), QPointF(x, height()));
  painter.setPen(QPen(colour, 2));
  painter.drawLine(QPointF(x, 0), QPointF(x, height()));
  painter.setPen(QPen(QColor(0, 0, 0, 150), 1));
  painter.setBrush(colour);
  const QRectF grip(x - kGripWidth / 2, (height() - kGripHeight) / 2, kGripWidth, kGripHeight);
  painter.drawRoundedRect(grip, 4, 4);
  painter.setPen(QPen(QColor(0, 0, 0, 170), 1.5));
  for (const double offset : {-2.0, 2.0}) {
    painter.drawLine(QPointF(x + offset, grip.top() + 9), QPointF(x + offset, grip.bottom() - 9));
  }
}

void SplitHandle::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return event->ignore();
  setSliderDown(true);
  grabbedAt_ = event->position().x() - kWidth / 2.0;
}

void SplitHandle::mouseMoveEvent(QMouseEvent* event) {
  if (!isSliderDown()) return event->ignore();
  const double x = mapToParent(event->position()).x() - grabbedAt_;
  setValue(static_cast<int>(std::lround(x / qMax(1, parentWidget()->width()) * kSplitSteps)));
}

void SplitHandle::mouseReleaseEvent(QMouseEvent* /*event*/) { setSliderDown(false); }

void SplitHandle::focusInEvent(QFocusEvent* event) {
  update();
  QAbstractSlider::focusInEvent(event);
}

void SplitHandle::focusOutEvent(QFocusEvent* event) {
  update();
  QAbstractSlider::focusOutEvent(event);
}

void SplitHandle::wheelEvent(QWheelEvent* event) { event->ignore(); }

}  // namespace mpm::gui
