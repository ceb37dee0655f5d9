// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/paint_canvas.h"

#include <QtWidgets>
#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "gui/canvas/base_picture.h"
#include "gui/canvas/captions.h"
#include "gui/teach/paint_strokes.h"
#include "mpm/teach.h"

namespace mpm::gui {
namespace {

constexpr double kOpacity = 0.55, kFaint = 0.22;

// A line that is seen on any picture.
template <typename Draw>
void drawTwice(QPainter& painter, const QColor& colour, const Draw& draw) {
  for (const QPen& pen : {QPen(QColor(0, 0, 0, 170), 3.5), QPen(colour, 1.5)}) {
    painter.setPen(pen);
    draw();
  }
}

}  // namespace

PaintCanvas::PaintCanvas(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setCursor(Qt::CrossCursor);
  setAccessibleName(tr("Painting"));
  setAccessibleDescription(
      tr("Arrow keys move a cross, with Shift in small steps; Space paints there, or lowers and "
         "lifts the brush; Enter closes a polygon, Escape drops it."));
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
  map_ = preview_ = suggestion_ = cv::Mat();
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

void PaintCanvas::setGroups(const cv::Mat& map, const QRectF& area) {
  map_ = map.clone();
  mapArea_ = area;
}

void PaintCanvas::setPreview(const cv::Mat& labels, const QString& hint) {
  previewHint_ = hint.isEmpty() ? tr("Preview of what was taught; V: the painting") : hint;
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
    emit said(tr("This is a preview; V shows the painting."));
    return false;
  }
  if (tool_ == PaintTool::found && value(erase) != kUnpainted) {
    if (suggests()) return true;
    emit said(tr("What was taught has not been computed for this frame yet."));
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
  if (tool_ == PaintTool::group && map_.empty()) {
    return emit said(
        tr("Which tokens merge on this frame is not known yet, or the running model merges none."));
  }
  endStroke();
  before_ = labels_->clone();
  strokeErases_ = erase;
  dragTo(cross_);
}

// Each group that lies between two places, and how large the last one is.
void PaintCanvas::paintGroups(QPointF from, QPointF to) {
  const QPointF way = to - from;
  const int steps =
      1 + static_cast<int>(2 * std::max(std::abs(way.x()) * map_.cols / mapArea_.width(),
                                        std::abs(way.y()) * map_.rows / mapArea_.height()));
  int places = 0;
  for (int step = 1; step <= steps; ++step)
    places = paintGroup(*labels_, map_, mapArea_, from + way * step / steps, value(strokeErases_));
  drawOverlay({{}, labels_->size()});
  if (places == 1) emit said(tr("One place has this token to itself."));
  if (places > 1) emit said(tr("%n places share this token.", nullptr, places));
}

// Redrawn is what the mouse left and where it came to: all of a large picture would be too slow.
void PaintCanvas::dragTo(QPointF at) {
  const QPointF from = std::exchange(cross_, at);
  if (!before_.empty() && tool_ == PaintTool::group) {
    paintGroups(from, at);
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

// The part of the painting, or of the preview, in colours.
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

void PaintCanvas::drawMarks(QPainter& painter, const ViewGeometry& shown) const {
  const int number = value(false);
  const QColor colour = number >= 0 && number < static_cast<int>(classes_.size())
                            ? classes_[static_cast<std::size_t>(number)].colour
                            : QColor(Qt::white);
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
  if (!isReady()) return drawNotice(painter, rect(), tr("No frame was taken yet"), {});
  const ViewGeometry shown = geometry();
  const QRectF target = shown.toView(QRectF(0, 0, 1, 1));
  painter.setRenderHint(QPainter::SmoothPixmapTransform, shown.scale() < 2);
  painter.drawImage(target, photo_);
  painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
  painter.drawImage(target, overlay_);
  drawMarks(painter, shown);
  if (isPreviewing()) drawHint(painter, rect(), previewHint_, target);
  if (!hasFocus()) return;
  painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

}  // namespace mpm::gui
