// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractSlider>

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

}  // namespace mpm::gui
