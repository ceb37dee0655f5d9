// SPDX-License-Identifier: Apache-2.0
#include <QFocusEvent>
#include <QPaintEvent>
#include <QPainter>
#include <algorithm>
#include <cstddef>

#include "gui/canvas/legend_drawing.h"
#include "gui/canvas/link_drawing.h"
#include "gui/canvas/notice_drawing.h"
#include "gui/canvas/picture_view.h"
#include "gui/canvas/zone_drawing.h"

namespace mpm::gui {

void PictureView::drawLayers(QPainter& painter, const ViewGeometry& geometry,
                             const std::vector<Layer>& layers, double ratio) {
  if (painted_.size() < layers.size()) painted_.resize(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    painted_[i].draw(painter, resultFor(layers[i].painting), layers[i].painting, *classes_,
                     geometry, layers[i].clip, ratio);
  }
}

void PictureView::drawLegends(QPainter& painter, const std::vector<Layer>& layers) const {
  for (const Layer& layer : layers) {
    drawTitle(painter, layer.clip, layer.title);
    const monitor::FrameResultPtr& shown = resultFor(layer.painting);
    const qint64 ageMs = result_->frame.taken.steadyMs - shown->frame.taken.steadyMs;
    drawLegend(painter, layer.clip, legendOf(*shown, layer.painting, agreement_, ageMs));
    const QString missing = whyNot(*shown, layer.painting);
    if (!missing.isEmpty()) drawHint(painter, layer.clip, missing);
  }
}

void PictureView::drawLooks(QPainter& painter, const ViewGeometry& geometry,
                            const std::vector<Layer>& layers) const {
  const auto draw = [&](const std::optional<QPointF>& position, LinkKind kind) {
    if (!position) return;
    for (const Layer& layer : layers) {
      painter.setClipRect(layer.clip);
      const Segmentation& found = resultFor(layer.painting)->segmentation;
      const TokenGroup group = groupAt(found, layer.painting.stage, *position, gridArea_);
      drawLinks(painter, geometry, group, *position, gridArea_, kind);
    }
  };
  painter.save();
  draw(state_->pinned(), LinkKind::pinned);
  draw(state_->hovered(), LinkKind::hovered);
  painter.restore();
}

void PictureView::drawState(QPainter& painter, const std::vector<Layer>& layers) const {
  if (!hasPicture()) {
    for (const Layer& layer : layers) drawTitle(painter, layer.clip, layer.title);
    const QString fault = result_ ? whyNot(*result_, Painting{}) : QString();
    const QString state = fault.isEmpty() ? emptyText_ : fault;
    drawNotice(painter, rect(), state, staleReason_);
  } else if (staleMs_) {
    drawNotice(painter, rect(), tr("%1 old").arg(spokenAge(*staleMs_)), staleReason_);
  }
}

void PictureView::drawOver(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds) {
  if (zonesShown_) drawZones(painter, geometry, bounds, zones_);
}

void PictureView::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().window());
  const ViewGeometry shown = geometry();
  std::vector<Layer> parts = layers(shown, rect());
  if (hasPicture()) {
    for (Layer& part : parts) {
      part.painting.grey = isStale();
      part.painting.gridArea = gridArea_;
    }
    drawLayers(painter, shown, parts, devicePixelRatioF());
    drawOver(painter, shown, rect());
    if (linksShown_) drawLooks(painter, shown, parts);
    drawLegends(painter, parts);
  }
  drawState(painter, parts);
  if (hasFocus()) {
    painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
  }
}

QImage PictureView::exported(bool words) {
  if (!hasPicture()) return {};
  constexpr double kLeastLetters = 12, kLettersInHeight = 40;
  const cv::Size size = result_->frame.picture.size();
  QImage image(size.width, size.height, QImage::Format_RGB32);
  QPainter painter(&image);
  QFont letters = font();
  letters.setPixelSize(static_cast<int>(std::max(kLeastLetters, size.height / kLettersInHeight)));
  painter.setFont(letters);
  const QRectF bounds = image.rect();
  const ViewGeometry whole(bounds.size(), size, 1, {0.5, 0.5});
  std::vector<Layer> parts = layers(whole, bounds);
  for (Layer& part : parts) part.painting.gridArea = gridArea_;
  drawLayers(painter, whole, parts, 1);
  if (zonesShown_) drawZones(painter, whole, bounds, zones_);
  if (words) drawLegends(painter, parts);
  return image;
}

void PictureView::focusInEvent(QFocusEvent* event) {
  update();
  QWidget::focusInEvent(event);
}

void PictureView::focusOutEvent(QFocusEvent* event) {
  if (lookedByKey_) lookAt(std::nullopt, true);
  update();
  QWidget::focusOutEvent(event);
}

}  // namespace mpm::gui
