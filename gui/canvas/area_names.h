// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>
#include <QPointF>
#include <opencv2/core.hpp>
#include <vector>

#include "gui/canvas/class_settings.h"
#include "gui/canvas/view_state.h"

namespace mpm::gui {

/// An area of one class, and where its name stands.
struct NamedArea {
  int label = 0;
  QPointF place;     ///< inside the area, far from its border: of the picture, from 0 to 1
  double share = 0;  ///< of the picture
};

/// Finds the areas of a segmentation that are large enough for a name: the largest one of each
/// class, and others that are as large as a small window. A name stays where it stood while that
/// is still well inside its area, and an area that shrinks keeps its name for a while, so that
/// names stand still on a live picture.
class AreaNames {
 public:
  /// `labels`: CV_8U or CV_16U, of any size. The largest area comes first.
  const std::vector<NamedArea>& find(const cv::Mat& labels);
  const std::vector<NamedArea>& found() const { return found_; }
  void clear() { found_.clear(); }

 private:
  /// `box`: that holds all of the label.
  void findOf(int label, const cv::Rect& box, std::vector<NamedArea>& found) const;

  std::vector<NamedArea> found_;
  cv::Mat1i small_;
};

/// Writes the names of classes that are shown. One that has no room beside a larger area's name is
/// left out.
void drawAreaNames(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds,
                   const std::vector<NamedArea>& areas, const ClassSettings& classes);

}  // namespace mpm::gui
