// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractSlider>
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

  explicit SplitHandle(QWidget* parent);
  double share() const;  ///< of the parent's width left of it
  void place();          ///< after the parent's size changed

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;  ///< zooms the picture behind it

 private:
  double grabbedAt_ = 0;
};

/// Two paintings of the newest frame, left and right of a line that can be moved. Each costs only
/// what is seen of it.
class SplitView : public PictureView {
  Q_OBJECT

 public:
  explicit SplitView(QWidget* parent = nullptr);

  void setLeft(const Painting& painting);
  void setRight(const Painting& painting);
  const Painting& left() const { return left_; }
  const Painting& right() const { return right_; }

  double split() const;  ///< the line's place, of the widget's width
  void setSplit(double share);
  SplitHandle* handle() const { return handle_; }

 protected:
  std::vector<Layer> layers(const ViewGeometry& geometry, const QRectF& bounds) const override;
  QString title() const override;
  QString description() const override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  Painting left_, right_;
  SplitHandle* handle_;
};

}  // namespace mpm::gui
