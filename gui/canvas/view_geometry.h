// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPointF>
#include <QRect>
#include <QRectF>
#include <QSize>
#include <opencv2/core.hpp>

#include "gui/canvas/pixels.h"

namespace mpm::gui {

/// Where a picture lies in a widget: its ratio kept, as large as fits, then zoomed.
class ViewGeometry {
 public:
  ViewGeometry() = default;
  /// `view`: the widget's size, in its own pixels, as are all points of it below.
  ViewGeometry(QSizeF view, cv::Size picture, double zoom, QPointF centre);

  bool isEmpty() const { return scale_ <= 0; }
  double scale() const { return scale_; }  ///< of the view's pixels to the picture's
  QPointF toView(QPointF position) const;  ///< from the picture's (0, 0) to (1, 1)
  QPointF toPicture(QPointF point) const;  ///< the other way; past 0 and 1 beside the picture
  bool hitsPicture(QPointF point) const;
  QRectF toView(const QRectF& area) const;

  /// What is seen of the picture inside `clip`: whole pixels of the picture, and where they lie in
  /// device pixels, of which the view has `ratio` in each of its own. Empty where nothing is.
  struct Seen {
    cv::Rect area;
    QRect target;
  };
  Seen seen(const QRectF& clip, double ratio) const;
  /// The size to paint that at: the target's, as long as it is not far more than the picture has.
  Part partFor(const Seen& seen) const;

 private:
  cv::Size picture_;
  double scale_ = 0;
  QPointF origin_;  // the picture's corner
};

}  // namespace mpm::gui
