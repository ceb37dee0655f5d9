// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/split_view.h"

#include <QResizeEvent>
#include <algorithm>
#include <cmath>

namespace mpm::gui {

SplitView::SplitView(QWidget* parent) : PictureView(parent), handle_(new SplitHandle(this)) {
  right_.kind = ViewKind::segmentation;
  connect(handle_, &QAbstractSlider::valueChanged, this, [this] {
    update();
    emit splitChanged(split());
  });
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

QString SplitView::defaultTitle() const {
  return tr("%1 and %2").arg(titleOf(left_), titleOf(right_));
}

QString SplitView::description() const {
  return tr("Left: %1 Right: %2").arg(descriptionOf(left_.kind), descriptionOf(right_.kind));
}

void SplitView::resizeEvent(QResizeEvent* event) {
  handle_->place();
  PictureView::resizeEvent(event);
}

}  // namespace mpm::gui
