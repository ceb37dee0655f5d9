// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/picture_view.h"

#include <QKeyEvent>
#include <QPainter>
#include <algorithm>
#include <cstddef>
#include <utility>

#include "gui/canvas/captions.h"
#include "gui/canvas/painting.h"
#include "gui/canvas/zones.h"
#include "mpm/tune.h"

namespace mpm::gui {

PictureView::PictureView(QWidget* parent) : QWidget(parent), emptyText_(tr("No picture yet")) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setWhatsThis(
      tr("The wheel or + and - zoom, dragging or the arrow keys pan, a double click or 0 shows the "
         "whole picture. A click or Space pins the current token, with a card next to it; Shift "
         "and the arrow keys go to the next token, Escape leaves it."));
  setViewState(nullptr);
  setClasses(nullptr);
}

void PictureView::setViewState(ViewState* state) {
  disconnect(state_, nullptr, this, nullptr);
  state_ = state ? state : &ownState_;
  hoveredHere_ = pinnedHere_ = false;
  const auto look = [this] {
    tellInspection();
    update();
  };
  connect(state_, &ViewState::moved, this, [this] { update(); });
  connect(state_, &ViewState::hoveredChanged, this, [this, look] {
    hoveredHere_ = looking_ && state_->hovered();
    look();
  });
  connect(state_, &ViewState::pinnedChanged, this, [this, look] {
    pinnedHere_ = looking_ && state_->pinned();
    look();
  });
  if (state) connect(state, &QObject::destroyed, this, [this] { setViewState(nullptr); });
  update();
}

void PictureView::setClasses(ClassSettings* classes) {
  disconnect(classes_, nullptr, this, nullptr);
  classes_ = classes ? classes : &ownClasses_;
  const auto redraw = [this] {
    const std::vector<Layer> shown = layers(geometry(), rect());
    const auto matters = [](const Layer& layer) { return showsClasses(layer.painting.kind); };
    if (std::any_of(shown.begin(), shown.end(), matters)) update();
  };
  connect(classes_, &ClassSettings::changed, this, redraw);
  connect(classes_, &ClassSettings::classesReset, this, redraw);
  if (classes) connect(classes, &QObject::destroyed, this, [this] { setClasses(nullptr); });
  update();
}

void PictureView::setResult(monitor::FrameResultPtr result) {
  if (result == result_) return;
  const bool first = !result_;
  result_ = std::move(result);
  if (result_) gridArea_ = gridAreaOf(result_->segmentation);
  Painting difference;
  difference.kind = ViewKind::difference;
  if (result_ && whyNot(*result_, difference).isEmpty()) {
    compared_ = result_;
    agreement_ = agreementOf(result_->segmentation.labels, result_->full->labels);
  }
  // A comparison of another source or schedule is dropped, also without a result.
  const auto size = [](const monitor::FrameResultPtr& of) { return of->frame.picture.size(); };
  if (!result_ ||
      (compared_ && (size(result_) != size(compared_) || !computedAlike(*result_, *compared_)))) {
    compared_.reset();
  }
  if (!result_) release();
  if (first || !result_) describeItself();
  tellInspection();
  update();
}

void PictureView::change(const std::function<void(Painting&)>& how) {
  bool other = false;
  for (Painting* part : parts()) {
    const Painting before = *part;
    how(*part);
    other = other || *part != before;
  }
  if (other) changed();
}

void PictureView::setStage(int stage) {
  change([stage](Painting& part) { part.stage = std::max(0, stage); });
}

void PictureView::setOpacity(double opacity) {
  const double held = opacity >= 0 ? std::min(opacity, 1.0) : 0.0;
  change([held](Painting& part) { part.opacity = held; });
}

void PictureView::setOutlines(bool outlines) {
  change([outlines](Painting& part) { part.outlines = outlines; });
}

void PictureView::setEmptyText(const QString& text) {
  if (std::exchange(emptyText_, text) != text) changed();
}

void PictureView::setStale(qint64 ageMs, const QString& reason) {
  const bool same = staleMs_ && spokenAge(*staleMs_) == spokenAge(ageMs) && reason == staleReason_;
  const bool became = !staleMs_ || reason != staleReason_;
  staleMs_ = ageMs;
  staleReason_ = reason;
  if (became) describeItself();
  if (!same) update();
}

void PictureView::setLive() {
  if (!staleMs_) return;
  staleMs_.reset();
  staleReason_.clear();
  changed();
}

void PictureView::setPaused(bool paused) {
  if (std::exchange(paused_, paused) != paused) changed();
}

void PictureView::setZones(std::vector<monitor::Zone> zones) {
  zones_ = std::move(zones);
  update();
}

void PictureView::setLitZones(std::vector<std::string> names) {
  if (names == lit_) return;
  lit_ = std::move(names);
  changed();
}

QSize PictureView::sizeHint() const { return {640, 480}; }
QSize PictureView::minimumSizeHint() const { return {120, 80}; }  // four, beside a panel

quint64 PictureView::paintings() const {
  quint64 sum = 0;
  for (const PaintedView& painted : painted_) sum += painted.paintings();
  return sum;
}

bool PictureView::hasPicture() const { return result_ && whyNot(*result_, Painting{}).isEmpty(); }

ViewGeometry PictureView::geometry() const {
  if (!hasPicture()) return {};
  return {QSizeF(size()), result_->frame.picture.size(), state_->zoom(), state_->centre()};
}

const monitor::FrameResultPtr& PictureView::resultFor(const Painting& painting) const {
  if (painting.kind == ViewKind::difference && compared_) return compared_;
  return showsTokens(painting.kind) ? tokens() : result_;
}

const monitor::FrameResultPtr& PictureView::tokens() const {
  return result_->merged ? result_->merged : result_;
}

void PictureView::release() {
  for (PaintedView& painted : painted_) painted.release();
}

void PictureView::changed() {
  describeItself();
  update();
}

void PictureView::describeItself() {
  setAccessibleName(title());
  QStringList sentences{description()};
  if (!result_) sentences << emptyText_;
  if (staleMs_) sentences << tr("The picture is old: %1").arg(staleReason_);
  if (paused_) sentences << tr("Paused.");
  if (!lit_.empty()) {
    QStringList names;
    for (const std::string& name : lit_) names << QString::fromStdString(name);
    sentences << tr("A rule holds in: %1.").arg(names.join(QStringLiteral(", ")));
  }
  if (lookedByKey_ && state_->looked() && hasPicture()) {
    sentences << describe(
        inspect(*result_, *classes_, stageLookedAt(), *state_->looked(), gridArea_));
  }
  setAccessibleDescription(sentences.join(QLatin1Char(' ')));
}

void PictureView::hideEvent(QHideEvent* event) {
  release();
  QWidget::hideEvent(event);
}

void PictureView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) changed();
  QWidget::changeEvent(event);
}

void PictureView::drawLayers(QPainter& painter, const ViewGeometry& geometry,
                             const std::vector<Layer>& layers, double ratio) {
  if (painted_.size() < layers.size()) painted_.resize(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    painted_[i].draw(painter, resultFor(layers[i].painting), layers[i].painting, *classes_,
                     geometry, layers[i].clip, ratio);
  }
}

QRectF PictureView::drawLegends(QPainter& painter, const ViewGeometry& geometry,
                                const std::vector<Layer>& layers, bool paused) const {
  const QRectF picture = geometry.toView(QRectF(0, 0, 1, 1));
  QRectF title;
  for (const Layer& layer : layers) {
    const monitor::FrameResultPtr& shown = resultFor(layer.painting);
    QString words = layer.title;
    if (shown->filtered)
      words = words.isEmpty() ? tr("Simulated night") : tr("%1, simulated night").arg(words);
    if (paused) words = words.isEmpty() ? tr("Paused") : tr("%1, paused").arg(words);
    title = drawTitle(painter, layer.clip, words, picture);
    const qint64 ageMs = result_->frame.taken.steadyMs - shown->frame.taken.steadyMs;
    // An old frame is grey, with its age over it.
    if (!layer.painting.grey)
      drawLegend(painter, layer.clip, legendOf(*shown, layer.painting, agreement_, ageMs),
                 Qt::BottomEdge, picture);
    const QString missing = whyNot(*shown, layer.painting);
    if (!missing.isEmpty()) drawHint(painter, layer.clip, missing, picture);
  }
  return title;
}

void PictureView::drawLooks(QPainter& painter, const ViewGeometry& geometry,
                            const std::vector<Layer>& layers) const {
  const auto draw = [&](const std::optional<QPointF>& position, LinkKind kind) {
    if (!position) return;
    for (const Layer& layer : layers) {
      painter.setClipRect(layer.clip);
      const Segmentation& found = tokens()->segmentation;
      const TokenGroup group = groupAt(found, layer.painting.stage, *position, gridArea_);
      drawLinks(painter, geometry, group, *position, gridArea_, kind);
    }
  };
  painter.save();
  draw(state_->pinned(), LinkKind::pinned);
  draw(state_->hovered(), LinkKind::hovered);
  painter.restore();
}

void PictureView::drawPinned(QPainter& painter, const ViewGeometry& geometry,
                             const std::vector<Layer>& layers) const {
  if (!pinnedHere_ || !state_->pinned()) return;
  const QPointF at = *state_->pinned(), point = geometry.toView(at);
  for (const Layer& layer : layers) {
    if (!layer.clip.contains(point)) continue;
    const int stage = layer.painting.stage;
    const TokenGroup group = groupAt(tokens()->segmentation, stage, at, gridArea_);
    const QRectF about = group.place < 0
                             ? QRectF(point, QSizeF(1, 1))
                             : geometry.toView(placeArea(group.place, group.grid, gridArea_));
    drawCard(painter, rect(), about, inspect(*result_, *classes_, stage, at, gridArea_).lines);
    return;
  }
}

void PictureView::drawState(QPainter& painter, const std::vector<Layer>& layers) const {
  if (!hasPicture()) {
    for (const Layer& layer : layers) drawTitle(painter, layer.clip, layer.title);
    const QString fault = result_ ? whyNot(*result_, Painting{}) : QString();
    const QString state = fault.isEmpty() ? emptyText_ : fault;
    drawNotice(painter, rect(), state, staleReason_);
  } else if (staleMs_) {
    const QString age =
        *staleMs_ < 1000 ? tr("Less than 1 s old") : tr("%1 old").arg(spokenAge(*staleMs_));
    drawNotice(painter, rect(), age, staleReason_, geometry().toView(QRectF(0, 0, 1, 1)));
  }
}

void PictureView::drawOver(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds) {
  drawZones(painter, geometry, bounds, zones_, lit_);
}

void PictureView::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setFont(captionFont(font(), size()));
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
    drawLooks(painter, shown, parts);
    titleArea_ = drawLegends(painter, shown, parts, paused_);
    drawPinned(painter, shown, parts);
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
  drawZones(painter, whole, bounds, zones_, lit_);
  if (words) drawLegends(painter, whole, parts, false);
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
