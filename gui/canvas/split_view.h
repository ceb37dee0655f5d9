// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "gui/canvas/picture_view.h"
#include "gui/canvas/split_handle.h"

namespace mpm::gui {

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

 signals:
  void splitChanged(double share);

 protected:
  std::vector<Layer> layers(const ViewGeometry& geometry, const QRectF& bounds) const override;
  QString defaultTitle() const override;
  QString description() const override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  Painting left_, right_;
  SplitHandle* handle_;
};

}  // namespace mpm::gui
