// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>
#include <QString>
#include <vector>

#include "gui/canvas/painting.h"

namespace mpm::gui {

/// What colours mean: swatches and scales with words.
struct LegendItem {
  enum class Mark { none, colour, hatched, valueScale };
  QString words = {};  ///< of a scale: at its left end
  Mark mark = Mark::none;
  QRgb colour = 0;
  QString atEnd = {};  ///< of a scale: at its right end
  double shorter = 0;  ///< of a scale: by how much, where it has little room
};

/// For a kind of painting of a result; empty where colours need no words. `agreement` 0 to 1: of
/// merged and full labels, where it is known; `ageMs`: how old the result is, where it is not the
/// newest, as of comparisons, and of tokens where there is a memory.
std::vector<LegendItem> legendOf(const monitor::FrameResult& result, const Painting& painting,
                                 double agreement, qint64 ageMs);

/// In the lower left corner of `bounds`, or the upper one, in as many lines as it takes; left out
/// where it would take more than a third of them. Left of `picture`, where there is room: it would
/// cover it in fewer lines.
void drawLegend(QPainter& painter, const QRectF& bounds, const std::vector<LegendItem>& items,
                Qt::Edge edge = Qt::BottomEdge, const QRectF& picture = {});

}  // namespace mpm::gui
