// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>

#include "gui/canvas/frame_painter.h"
#include "gui/canvas/view_geometry.h"

namespace mpm::gui {

/// One painting as it stands in a view: painted anew only where something changed, else copied.
class PaintedView {
 public:
  /// Draws what is seen of the result's picture inside `clip`, both in the painter's logical
  /// pixels, of which each is `ratio` device pixels wide. The result's picture is CV_8UC3.
  void draw(QPainter& painter, const monitor::FrameResultPtr& result, Painting painting,
            const ClassSettings& classes, const ViewGeometry& geometry, const QRectF& clip,
            double ratio);

  quint64 paintings() const { return paintings_; }  ///< how often it was painted anew

 private:
  struct Key {
    monitor::FrameResultPtr result;
    Painting painting;
    quint64 classes = 0;
    Part part;
    bool operator==(const Key&) const = default;
  };

  FramePainter painter_;
  Key key_;
  const QImage* image_ = nullptr;  // painter_'s
  quint64 paintings_ = 0;
};

}  // namespace mpm::gui
