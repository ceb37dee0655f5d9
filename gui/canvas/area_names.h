// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>
#include <QPointF>
#include <opencv2/core.hpp>
#include <vector>

#include "gui/canvas/class_settings.h"
#include "gui/canvas/view_state.h"

namespace mpm::gui {

/// An area of one class, and the position of its name.
struct NamedArea {
  int label = 0;
  QPointF place;     ///< inside the area, far from its border: of the picture, from 0 to 1
  double share = 0;  ///< of the picture
};

/// Finds the areas of a segmentation that are large enough for a name: the largest of each class,
/// and others as large as a small window. A name stays while its place is well inside its area, and
/// a shrinking area keeps its name for a while. So names stand still on a live frame.
class AreaNames {
 public:
  /// Returns the areas, the largest first. `labels`: CV_8U or CV_16U, of any size.
  const std::vector<NamedArea>& find(const cv::Mat& labels);
  const std::vector<NamedArea>& found() const { return found_; }
  void clear() { found_.clear(); }

 private:
  /// `box` contains all pixels of the label.
  void findOf(int label, const cv::Rect& box, std::vector<NamedArea>& found) const;

  std::vector<NamedArea> found_;
  cv::Mat1i small_;
};

/// Writes the names of the shown classes. A name is left out if it would touch a larger area's.
void drawAreaNames(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds,
                   const std::vector<NamedArea>& areas, const ClassSettings& classes);

}  // namespace mpm::gui
