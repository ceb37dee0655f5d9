// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>
#include <QPixmap>
#include <vector>

#include "gui/canvas/view_geometry.h"
#include "gui/explain/merge_story.h"

namespace mpm::gui {

/// A merge while its tokens move together, in a view. Refers to what lives longer.
struct MergeMove {
  const MergeScene& scene;
  cv::Size grid;
  QRectF gridArea;                          ///< of the picture
  const std::vector<QRgb>& to;              ///< colours of tokens behind the merge, by row
  QPixmap before{}, behind{};               ///< the view in front of the merge and behind it
  const std::vector<QRgb>* from = nullptr;  ///< colours in front of it; null: tokens are the
                                            ///< patches of `before`
};

/// `progress` from 0, which is `before`, to 1, which is `behind`.
void drawMove(QPainter& painter, const ViewGeometry& geometry, const MergeMove& move,
              double progress);

}  // namespace mpm::gui
