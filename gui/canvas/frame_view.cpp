// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/frame_view.h"

#include <algorithm>

#include "gui/canvas/notice_drawing.h"
#include "gui/canvas/zone_drawing.h"

namespace mpm::gui {

FrameView::FrameView(ViewKind kind, QWidget* parent) : PictureView(parent) {
  painting_.kind = kind;
  painting_.opacity = usualOpacity(kind);
  changed();
}

void FrameView::paintAs(const Painting& painting) {
  if (painting == painting_) return;
  painting_ = painting;
  changed();
}

void FrameView::setKind(ViewKind kind) {
  Painting painting = painting_;
  painting.kind = kind;
  paintAs(painting);
}

void FrameView::setStage(int stage) {
  Painting painting = painting_;
  painting.stage = std::max(0, stage);
  paintAs(painting);
}

void FrameView::setOpacity(double opacity) {
  Painting painting = painting_;
  painting.opacity = opacity >= 0 ? std::min(opacity, 1.0) : 0.0;
  paintAs(painting);
}

void FrameView::setOutlines(bool outlines) {
  Painting painting = painting_;
  painting.outlines = outlines;
  paintAs(painting);
}

std::vector<PictureView::Layer> FrameView::layers(const ViewGeometry& /*geometry*/,
                                                  const QRectF& bounds) const {
  return {{painting_, bounds, title()}};
}

QString FrameView::defaultTitle() const { return titleOf(painting_); }

QString FrameView::description() const { return descriptionOf(painting_.kind); }

void FrameView::drawOver(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds) {
  if (!editing_) return PictureView::drawOver(painter, geometry, bounds);
  drawEditedZones(painter, geometry, bounds, editor_, cross_);
  if (crossShown_) {
    const QPointF at = geometry.toView(cross_);
    for (const QPen& pen : {QPen(QColor(0, 0, 0, 170), 4), QPen(Qt::white, 1.5)}) {
      painter.setPen(pen);
      painter.drawLine(at - QPointF(9, 0), at + QPointF(9, 0));
      painter.drawLine(at - QPointF(0, 9), at + QPointF(0, 9));
    }
  }
  const QString hint = editor_.draft().empty()
                           ? tr("Click where the first corner of a zone is, or choose a zone")
                           : tr("Click the next corner; Enter closes the zone, Escape cancels");
  drawHint(painter, bounds, hint);
}

}  // namespace mpm::gui
