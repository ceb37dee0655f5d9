// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/painted_view.h"

#include <algorithm>

namespace mpm::gui {

void PaintedView::draw(QPainter& painter, const monitor::FrameResultPtr& result, Painting painting,
                       const ClassSettings& classes, const ViewGeometry& geometry,
                       const QRectF& clip, double ratio) {
  const ViewGeometry::Seen seen = geometry.seen(clip, ratio);
  if (seen.area.empty()) return;
  painting.lineWidth = std::max(1, qRound(ratio));
  const Key key{result, painting, showsClasses(painting.kind) ? classes.revision() : 0,
                geometry.partFor(seen)};
  if (!image_ || key != key_) {
    image_ = &painter_.paint(*result, painting, classes, key.part);
    key_ = key;
    ++paintings_;
  }
  painter.save();
  painter.setClipRect(clip);
  painter.scale(1 / ratio, 1 / ratio);  // then a pixel of the image is one of the device
  if (image_->size() == seen.target.size()) {
    painter.drawImage(seen.target.topLeft(), *image_);
  } else {
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(seen.target, *image_);
  }
  painter.restore();
}

}  // namespace mpm::gui
