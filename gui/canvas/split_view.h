// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <cmath>
#include <vector>

#include "gui/canvas/picture_view.h"

namespace mpm::gui {

/// The line between two pictures: dragged with the mouse, moved with arrow keys, Page Up and Down,
/// Home and End. Its value is its place across its parent, from 0 to kSplitSteps. It keeps itself
/// where its value says.
class SplitHandle : public QAbstractSlider {
  Q_OBJECT

 public:
  static constexpr int kSplitSteps = 1000;

  explicit SplitHandle(QWidget* parent) : QAbstractSlider(parent) {
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

  /// Of the parent's width left of it.
  double share() const { return static_cast<double>(value()) / kSplitSteps; }
  /// After the parent's size changed.
  void place() {
    const int x = static_cast<int>(std::lround(share() * parentWidget()->width()));
    setGeometry(x - kWidth / 2, 0, kWidth, parentWidget()->height());
  }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
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

  void mousePressEvent(QMouseEvent* event) override {
    if (event->button() != Qt::LeftButton) return event->ignore();
    setSliderDown(true);
    grabbedAt_ = event->position().x() - kWidth / 2.0;
  }

  void mouseMoveEvent(QMouseEvent* event) override {
    if (!isSliderDown()) return event->ignore();
    const double x = mapToParent(event->position()).x() - grabbedAt_;
    setValue(static_cast<int>(std::lround(x / qMax(1, parentWidget()->width()) * kSplitSteps)));
  }

  void mouseReleaseEvent(QMouseEvent* /*event*/) override { setSliderDown(false); }

  void focusInEvent(QFocusEvent* event) override {
    update();
    QAbstractSlider::focusInEvent(event);
  }

  void focusOutEvent(QFocusEvent* event) override {
    update();
    QAbstractSlider::focusOutEvent(event);
  }

  /// Zooms the picture behind it.
  void wheelEvent(QWheelEvent* event) override { event->ignore(); }

 private:
  static constexpr int kWidth = 17;
  double grabbedAt_ = 0;
};

/// Two paintings of the newest frame, left and right of a line that can be moved. Each costs only
/// what is seen of it.
class SplitView : public PictureView {
  Q_OBJECT

 public:
  explicit SplitView(QWidget* parent = nullptr)
      : PictureView(parent), handle_(new SplitHandle(this)) {
    right_.kind = ViewKind::segmentation;
    connect(handle_, &QAbstractSlider::valueChanged, this, [this] { update(); });
    changed();
  }

  void setKinds(ViewKind left, ViewKind right) {
    left_.kind = left;
    right_.kind = right;
    changed();
  }

  /// The line's place, of the widget's width.
  double split() const { return handle_->share(); }

  void setSplit(double share) {
    if (!std::isfinite(share)) return;
    const double steps = std::clamp(share, 0.0, 1.0) * SplitHandle::kSplitSteps;
    handle_->setValue(static_cast<int>(std::lround(steps)));
  }

  SplitHandle* handle() const { return handle_; }

 protected:
  std::vector<Painting*> parts() override { return {&left_, &right_}; }

  std::vector<Layer> layers(const ViewGeometry& geometry, const QRectF& bounds) const override {
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

  QString title() const override { return tr("%1 and %2").arg(titleOf(left_), titleOf(right_)); }

  QString description() const override {
    return tr("Left: %1 Right: %2").arg(descriptionOf(left_.kind), descriptionOf(right_.kind));
  }

  void resizeEvent(QResizeEvent* event) override {
    handle_->place();
    PictureView::resizeEvent(event);
  }

 private:
  Painting left_, right_;
  SplitHandle* handle_;
};

}  // namespace mpm::gui
