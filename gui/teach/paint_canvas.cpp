// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/paint_canvas.h"

#include <QColor>
#include <QEvent>
#include <QFocusEvent>
#include <QKeyEvent>
#include <QList>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QPalette>
#include <QPen>
#include <QPolygonF>
#include <QRgb>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "gui/canvas/captions.h"
#include "gui/canvas/pictures.h"
#include "gui/teach/paint_strokes.h"
#include "mpm/teach.h"

namespace mpm::gui {
namespace {

constexpr double kOpacity = 0.55, kFaint = 0.22;

// Draws a line that is visible on any image.
template <typename Draw>
void drawTwice(QPainter& painter, const QColor& colour, const Draw& draw) {
  for (const QPen& pen : {QPen(QColor(0, 0, 0, 170), 3.5), QPen(colour, 1.5)}) {
    painter.setPen(pen);
    draw();
  }
}

// Returns lines where neighbours in `map`, CV_32S, differ, on a frame from (0, 0) to (1, 1).
std::vector<QLineF> edgesOf(const cv::Mat& map) {
  std::vector<QLineF> edges;
  const auto follow = [&edges](int lines, int length, const auto& differ, const auto& place) {
    for (int line = 1; line < lines; ++line) {
      for (int at = 0, begun = -1; at <= length; ++at) {
        const bool edge = at < length && differ(line, at);
        if (edge && begun < 0) begun = at;
        if (edge || begun < 0) continue;
        edges.emplace_back(place(line, begun), place(line, at));
        begun = -1;
      }
    }
  };
  const double width = map.cols, height = map.rows;
  follow(
      map.cols, map.rows, [&](int x, int y) { return map.at<int>(y, x) != map.at<int>(y, x - 1); },
      [&](int x, int y) { return QPointF(x / width, y / height); });
  follow(
      map.rows, map.cols, [&](int y, int x) { return map.at<int>(y, x) != map.at<int>(y - 1, x); },
      [&](int y, int x) { return QPointF(x / width, y / height); });
  return edges;
}

}  // namespace

PaintCanvas::PaintCanvas(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setCursor(Qt::CrossCursor);
  setAccessibleName(tr("Annotation"));
  setAccessibleDescription(
      tr("Arrow keys move a cross, with Shift in small steps; Space paints there, or lowers and "
         "lifts the brush; Enter closes a polygon, Escape drops it; + and - make areas larger and "
         "smaller."));
  connect(&state_, &ViewState::moved, this, [this] { update(); });
}

void PaintCanvas::show(const cv::Mat* picture, cv::Mat* labels, PaintHistory* history) {
  dropBegun();
  picture_ = picture;
  labels_ = labels;
  history_ = history;
  const bool goesOn =
      isPreviewing() && picture_ != nullptr && picture != nullptr && shownSize_ == picture->size();
  shownSize_ = picture != nullptr ? picture->size() : cv::Size();
  preview_ = suggestion_ = cv::Mat();
  setAreas(nullptr);
  if (!goesOn) state_.fit();
  if (isReady()) {
    fitImage(photo_, picture->size());
    cv::Mat pixels = pixelsOf(photo_);
    cv::cvtColor(*picture, pixels, cv::COLOR_BGR2BGRA);
    overlay_ = QImage(picture->cols, picture->rows, QImage::Format_ARGB32_Premultiplied);
    drawOverlay({{}, picture->size()});
  }
  update();
}

void PaintCanvas::setClasses(const std::vector<PaintClass>& classes) {
  classes_ = classes;
  if (isReady()) drawOverlay({{}, picture_->size()});
}

void PaintCanvas::setAreas(std::shared_ptr<const Areas> areas) {
  areas_ = std::move(areas);
  cutAreas(cutInto_);
}

void PaintCanvas::cutAreas(int count) {
  cutInto_ = std::clamp(count, kFewestAreas, kMostAreas);
  cut_ = areas_ ? areas_->cut(cutInto_) : cv::Mat();
  edges_ = edgesOf(cut_);
  light(-1);
  if (underMouse() || crossShown_) light(areaAt(cross_));
  update();
}

// Each notch changes the number of areas by half.
void PaintCanvas::growAreas(int notches) {
  cutAreas(cvRound(cutInto_ * std::pow(1.5, -notches)));
  if (areas_) emit said(tr("%n areas", nullptr, cutInto_));
}

int PaintCanvas::areaAt(QPointF place) const {
  if (cut_.empty() || !QRectF(0, 0, 1, 1).contains(place)) return -1;
  const cv::Point at = pixelAt(place, cut_.size());
  return at.inside({{}, cut_.size()}) ? cut_.at<int>(at) : -1;
}

void PaintCanvas::light(int area) {
  if (area == lit_) return;
  lit_ = area;
  litEdges_.clear();
  if (area >= 0) {
    cv::Mat inside;
    cv::Mat(cut_ == area).convertTo(inside, CV_32S);
    litEdges_ = edgesOf(inside);
  }
  update();
}

void PaintCanvas::setPreview(const cv::Mat& labels, const QString& hint) {
  previewHint_ = hint.isEmpty() ? tr("Preview of what was taught; V: the annotation") : hint;
  if (!isReady() || (labels.empty() && preview_.empty())) return;
  preview_ = labels.size() == picture_->size() ? labels : cv::Mat();
  drawOverlay({{}, picture_->size()});
  update();  // the hint may lie beside the picture
}

void PaintCanvas::setSuggestion(const cv::Mat& labels) {
  if (!isReady() || (labels.empty() && suggestion_.empty())) return;
  suggestion_ = labels.size() == picture_->size() ? labels : cv::Mat();
  if (tool_ == PaintTool::found) drawOverlay({{}, picture_->size()});
}

bool PaintCanvas::suggests() const {
  return tool_ == PaintTool::found && preview_.empty() && !suggestion_.empty();
}

void PaintCanvas::setTool(PaintTool tool) {
  dropBegun();
  tool_ = tool;
  if (isReady()) drawOverlay({{}, picture_->size()});
  update();
}

void PaintCanvas::setBrush(int pixels) {
  const int brush = std::clamp(pixels, kLeastBrush, kMostBrush);
  if (brush == brush_) return;
  brush_ = brush;
  update();
  emit brushChanged(brush);
}

ViewGeometry PaintCanvas::geometry() const {
  if (!isReady()) return {};
  return {QSizeF(size()), picture_->size(), state_.zoom(), state_.centre()};
}

int PaintCanvas::value(bool erase) const { return erase || erasing_ ? kUnpainted : class_; }

bool PaintCanvas::mayPaint(bool erase) {
  if (!isReady()) return false;
  if (isPreviewing()) {
    emit said(tr("This is a preview; V shows the annotation."));
    return false;
  }
  if (tool_ == PaintTool::found && value(erase) != kUnpainted) {
    if (suggests()) return true;
    emit said(tr("The preview of this frame is not ready yet."));
    return false;
  }
  if (value(erase) >= 0) return true;
  emit said(tr("Add a class first, and choose it."));
  return false;
}

void PaintCanvas::edit(const std::function<void(cv::Mat&)>& how) {
  if (!isReady()) return;
  endStroke();
  before_ = labels_->clone();
  how(*labels_);
  endStroke();
}

void PaintCanvas::endStroke() {
  byKey_ = false;
  if (before_.empty()) return;
  const cv::Mat before = std::exchange(before_, cv::Mat());
  if (!history_->add(before, *labels_)) return;
  drawOverlay({{}, labels_->size()});
  emit painted();
}

void PaintCanvas::undo() {
  if (!isReady()) return;
  if (!corners_.empty()) {
    corners_.pop_back();
    return update();
  }
  endStroke();
  if (!history_->undo(*labels_)) return emit said(tr("There is nothing to undo on this frame."));
  drawOverlay({{}, labels_->size()});
  emit painted();
}

void PaintCanvas::redo() {
  if (!isReady()) return;
  endStroke();
  if (!history_->redo(*labels_)) return emit said(tr("There is nothing to redo on this frame."));
  drawOverlay({{}, labels_->size()});
  emit painted();
}

void PaintCanvas::press(bool erase) {
  if (!mayPaint(erase)) return;
  if (tool_ == PaintTool::polygon) {
    polygonErases_ = erase;
    corners_.push_back(cross_);
    return update();
  }
  if (tool_ == PaintTool::area && cut_.empty())
    return emit said(tr("Still looking for the areas of this frame."));
  endStroke();
  before_ = labels_->clone();
  strokeErases_ = erase;
  dragTo(cross_);
}

// Paints each area that the line between two positions crosses.
void PaintCanvas::paintAreas(QPointF from, QPointF to) {
  const QPointF way = to - from;
  const int steps = 1 + static_cast<int>(2 * std::max(std::abs(way.x()) * cut_.cols,
                                                      std::abs(way.y()) * cut_.rows));
  int before = -1;
  for (int step = 0; step <= steps; ++step) {
    const int area = areaAt(from + way * step / steps);
    if (area < 0 || area == std::exchange(before, area)) continue;
    cv::Mat inside;
    cv::resize(cut_ == area, inside, labels_->size(), 0, 0, cv::INTER_NEAREST);
    labels_->setTo(value(strokeErases_), inside);
  }
  drawOverlay({{}, labels_->size()});
}

// Repaints only where the mouse was and is: all of a large frame would be too slow.
void PaintCanvas::dragTo(QPointF at) {
  const QPointF from = std::exchange(cross_, at);
  if (tool_ == PaintTool::area) light(areaAt(at));
  if (!before_.empty() && tool_ == PaintTool::area) {
    paintAreas(from, at);
  } else if (!before_.empty() && tool_ == PaintTool::found && value(strokeErases_) != kUnpainted) {
    drawOverlay(paintFound(*labels_, suggestion_, from, at, brush_));
  } else if (!before_.empty()) {
    drawOverlay(paintLine(*labels_, from, at, brush_, value(strokeErases_)));
  }
  if (!corners_.empty()) return update();
  const ViewGeometry shown = geometry();
  const double reach = std::max(12.0, brush_ / 2.0 * shown.scale() + 4);
  for (const QPointF& place : {from, at}) {
    const QPointF point = shown.toView(place), corner(reach, reach);
    update(QRectF(point - corner, point + corner).toAlignedRect());
  }
}

void PaintCanvas::closePolygon() {
  if (corners_.size() < 3) {
    if (!corners_.empty()) emit said(tr("A polygon needs three corners."));
    return;
  }
  const std::vector<QPointF> corners = std::exchange(corners_, {});
  edit([&](cv::Mat& labels) { paintPolygon(labels, corners, value(polygonErases_)); });
  update();
}

void PaintCanvas::dropBegun() {
  corners_.clear();
  if (isReady()) endStroke();
  panned_.reset();
}

// Draws the annotation's or the preview's part in colours.
void PaintCanvas::drawOverlay(const cv::Rect& area) {
  const cv::Rect inside = area & cv::Rect({}, picture_->size());
  if (inside.empty()) return;
  const auto coloursOf = [this](double opacity) {
    std::vector<QRgb> colours(256, 0);
    for (std::size_t k = 0; k < classes_.size() && k < kUnpainted; ++k) {
      QColor colour = classes_[k].colour;
      colour.setAlphaF(static_cast<float>(opacity));
      colours[k] = qPremultiply(colour.rgba());
    }
    return colours;
  };
  const std::vector<QRgb> colours = coloursOf(kOpacity), faint = coloursOf(kFaint);
  const bool alsoFaint = suggests();
  const cv::Mat& shown = preview_.empty() ? *labels_ : preview_;
  for (int y = inside.y; y < inside.br().y; ++y) {
    const std::uint8_t* row = shown.ptr<std::uint8_t>(y);
    const std::uint8_t* below = alsoFaint ? suggestion_.ptr<std::uint8_t>(y) : row;
    auto* line = reinterpret_cast<QRgb*>(overlay_.scanLine(y));
    for (int x = inside.x; x < inside.br().x; ++x)
      line[x] = row[x] == kUnpainted ? faint[below[x]] : colours[row[x]];
  }
  const auto place = [this](const cv::Point& pixel) {
    return QPointF(static_cast<double>(pixel.x) / picture_->cols,
                   static_cast<double>(pixel.y) / picture_->rows);
  };
  update(geometry()
             .toView(QRectF(place(inside.tl()), place(inside.br())))
             .toAlignedRect()
             .adjusted(-2, -2, 2, 2));
}

// Draws all areas faintly, and those that a click would paint.
void PaintCanvas::drawAreas(QPainter& painter, const ViewGeometry& shown) const {
  const auto draw = [&](const std::vector<QLineF>& edges) {
    QList<QLineF> lines;
    for (const QLineF& edge : edges)
      lines << QLineF(shown.toView(edge.p1()), shown.toView(edge.p2()));
    painter.drawLines(lines);
  };
  painter.setPen(QPen(QColor(255, 255, 255, 120), 1));
  draw(edges_);
  drawTwice(painter, colourOfClass(), [&] { draw(litEdges_); });
}

QColor PaintCanvas::colourOfClass() const {
  const auto number = static_cast<std::size_t>(value(false));  // none is beyond all
  return number < classes_.size() ? classes_[number].colour : QColor(Qt::white);
}

void PaintCanvas::drawMarks(QPainter& painter, const ViewGeometry& shown) const {
  const QColor colour = colourOfClass();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  const QPointF at = shown.toView(cross_);
  if (!corners_.empty()) {
    QPolygonF line;
    for (const QPointF& corner : corners_) line << shown.toView(corner);
    line << at;
    drawTwice(painter, colour, [&] { painter.drawPolyline(line); });
    for (const QPointF& corner : corners_)
      drawTwice(painter, colour, [&] { painter.drawEllipse(shown.toView(corner), 3, 3); });
  }
  const bool isBrush = tool_ == PaintTool::brush || tool_ == PaintTool::found;
  if (isBrush && (underMouse() || crossShown_)) {
    const double radius = std::max(1.0, brush_ / 2.0 * shown.scale());
    drawTwice(painter, colour, [&] { painter.drawEllipse(at, radius, radius); });
  }
  if (!crossShown_) return;
  drawTwice(painter, Qt::white, [&] {
    painter.drawLine(at - QPointF(9, 0), at + QPointF(9, 0));
    painter.drawLine(at - QPointF(0, 9), at + QPointF(0, 9));
  });
}

void PaintCanvas::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().window());
  if (!isReady()) return drawNotice(painter, rect(), tr("No frame has been taken yet"), {});
  const ViewGeometry shown = geometry();
  const QRectF target = shown.toView(QRectF(0, 0, 1, 1));
  painter.setRenderHint(QPainter::SmoothPixmapTransform, shown.scale() < 2);
  painter.drawImage(target, photo_);
  painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
  painter.drawImage(target, overlay_);
  if (tool_ == PaintTool::area && !isPreviewing()) drawAreas(painter, shown);
  drawMarks(painter, shown);
  if (isPreviewing()) {
    drawHint(painter, rect(), previewHint_, target);
  } else if (tool_ == PaintTool::area && !cut_.empty() && paintedShare(*labels_) == 0) {
    drawHint(painter, rect(),
             tr("A click gives an area to the class; the wheel makes areas larger and smaller"),
             target);
  }
  if (!hasFocus()) return;
  painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

void PaintCanvas::mousePressEvent(QMouseEvent* event) {
  if (!isReady()) return;
  const QPointF at = geometry().toPicture(event->position());
  crossShown_ = false;
  if (event->button() == Qt::MiddleButton) {
    panned_ = event->position();
    return;
  }
  endStroke();
  cross_ = at;
  press(event->button() == Qt::RightButton);
}

void PaintCanvas::mouseMoveEvent(QMouseEvent* event) {
  if (!isReady()) return;
  const ViewGeometry shown = geometry();
  if (panned_) {
    state_.panBy(shown.toPicture(*panned_) - shown.toPicture(event->position()));
    panned_ = event->position();
    return;
  }
  crossShown_ = false;
  if (byKey_) endStroke();
  dragTo(shown.toPicture(event->position()));
}

void PaintCanvas::mouseReleaseEvent(QMouseEvent* /*event*/) {
  panned_.reset();
  if (!byKey_) endStroke();
}

void PaintCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (tool_ == PaintTool::polygon) return closePolygon();
  mousePressEvent(event);
}

void PaintCanvas::wheelEvent(QWheelEvent* event) {
  constexpr double kNotch = 120, kFactor = 1.2;
  const int turned = event->angleDelta().y();
  if (turned == 0 || !isReady()) return event->ignore();
  event->accept();
  if (tool_ != PaintTool::area || event->modifiers() & Qt::ControlModifier)
    return state_.zoomBy(std::pow(kFactor, turned / kNotch),
                         geometry().toPicture(event->position()));
  turned_ += turned / kNotch;  // a touchpad has less than a notch at a time
  if (const int notches = static_cast<int>(turned_)) {
    turned_ -= notches;
    growAreas(notches);
  }
}

void PaintCanvas::leaveEvent(QEvent* event) {
  if (!crossShown_) light(-1);
  update();
  QWidget::leaveEvent(event);
}

void PaintCanvas::focusOutEvent(QFocusEvent* event) {
  if (byKey_) endStroke();
  QWidget::focusOutEvent(event);
}

bool PaintCanvas::keyMoves(int key, bool fine) {
  QPointF by;
  if (key == Qt::Key_Left) by = {-1, 0};
  if (key == Qt::Key_Right) by = {1, 0};
  if (key == Qt::Key_Up) by = {0, -1};
  if (key == Qt::Key_Down) by = {0, 1};
  if (by.isNull()) return false;
  const double most = std::max(picture_->cols, picture_->rows);
  const double pixels = fine ? 1 : std::max(1.0, most * 0.02 / state_.zoom());
  const QPointF step(by.x() * pixels / picture_->cols, by.y() * pixels / picture_->rows);
  const QPointF at(std::clamp(cross_.x() + step.x(), 0.0, 1.0),
                   std::clamp(cross_.y() + step.y(), 0.0, 1.0));
  crossShown_ = true;
  dragTo(at);
  const double half = 0.45 / state_.zoom();  // the view follows the cross
  const QPointF off = at - state_.centre();
  state_.panBy(
      {off.x() - std::clamp(off.x(), -half, half), off.y() - std::clamp(off.y(), -half, half)});
  return true;
}

void PaintCanvas::keyPressEvent(QKeyEvent* event) {
  constexpr double kStep = 1.25;
  if (!isReady()) return QWidget::keyPressEvent(event);
  const bool growsAreas = tool_ == PaintTool::area && !(event->modifiers() & Qt::ControlModifier);
  switch (event->key()) {
    case Qt::Key_Space:
      if (event->isAutoRepeat()) return;
      crossShown_ = true;
      if (byKey_) return endStroke();
      press(false);
      byKey_ = !before_.empty();
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      return closePolygon();
    case Qt::Key_Backspace:
      if (!corners_.empty()) corners_.pop_back();
      return update();
    case Qt::Key_Escape:
      dropBegun();
      return update();
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return growsAreas ? growAreas(1) : state_.zoomBy(kStep, cross_);
    case Qt::Key_Minus:
      return growsAreas ? growAreas(-1) : state_.zoomBy(1 / kStep, cross_);
    case Qt::Key_F:
      return state_.fit();
    default:
      if (!keyMoves(event->key(), event->modifiers() & Qt::ShiftModifier))
        QWidget::keyPressEvent(event);
  }
}

}  // namespace mpm::gui
