// SPDX-License-Identifier: Apache-2.0
#include "gui/explain/merge_move.h"

#include <algorithm>
#include <cstddef>

#include "gui/canvas/token_groups.h"

namespace mpm::gui {
namespace {

constexpr double kMoved = 0.75;  // of the progress: then the colours of places come

// From the grid's (0, 0) to (1, 1) to the picture's.
QPointF onPicture(QPointF place, const QRectF& area) {
  return {area.x() + place.x() * area.width(), area.y() + place.y() * area.height()};
}

void drawTokens(QPainter& painter, const ViewGeometry& geometry, const MergeMove& move,
                double moved) {
  const QSizeF size = geometry.toView(placeArea(0, move.grid, move.gridArea)).size();
  const double ratio = move.before.devicePixelRatio();
  for (const bool paired : {false, true}) {
    for (const MergeScene::Token& token : move.scene.tokens) {
      if (token.row < 0 || token.paired != paired) continue;
      const QPointF at = token.from + (token.to - token.from) * moved;
      QRectF tile(QPointF(), size);
      tile.moveCenter(geometry.toView(onPicture(at, move.gridArea)));
      // Its rim, as lines around all tiles would take longer than everything else.
      if (paired) painter.fillRect(tile.adjusted(-1, -1, 1, 1), QColor(255, 255, 255, 150));
      if (move.from) {
        painter.fillRect(tile, QColor((*move.from)[static_cast<std::size_t>(token.row)]));
      } else {  // the patch itself, which fades into the mean
        QRectF patch = tile;
        patch.moveCenter(geometry.toView(onPicture(token.from, move.gridArea)));
        painter.drawPixmap(tile, move.before, QRectF(patch.topLeft() * ratio, size * ratio));
      }
      QColor mean(move.to[static_cast<std::size_t>(token.becomes)]);
      mean.setAlphaF(static_cast<float>(moved));
      painter.fillRect(tile, mean);
    }
  }
}

}  // namespace

void drawMove(QPainter& painter, const ViewGeometry& geometry, const MergeMove& move,
              double progress) {
  painter.drawPixmap(0, 0, progress >= 1 ? move.behind : move.before);
  if (progress <= 0 || progress >= 1) return;
  const double share = std::min(1.0, progress / kMoved);
  constexpr double kDark = 0.85, kSoon = 5;
  painter.fillRect(
      geometry.toView(QRectF(0, 0, 1, 1)),
      QColor::fromRgbF(0, 0, 0, static_cast<float>(kDark * std::min(1.0, kSoon * share))));
  drawTokens(painter, geometry, move, share * share * (3 - 2 * share));
  if (progress <= kMoved) return;
  painter.setOpacity((progress - kMoved) / (1 - kMoved));
  painter.drawPixmap(0, 0, move.behind);
  painter.setOpacity(1);
}

}  // namespace mpm::gui
