// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QLineF>
#include <QWidget>
#include <functional>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "gui/canvas/view_state.h"
#include "gui/teach/areas.h"
#include "gui/teach/paint_project.h"
#include "gui/teach/paint_strokes.h"

namespace mpm::gui {

enum class PaintTool {
  brush,    ///< where the mouse goes
  polygon,  ///< corner by corner
  area,     ///< all of an area that the mouse goes over
  found     ///< a brush that takes what is suggested, which is seen faintly meanwhile
};

/// Shows a frame and its annotation. The left button paints, the right one erases, the middle one
/// pans, and the wheel zooms. In area mode the wheel resizes areas, and zooms with Ctrl.
///
/// Keys: arrows move a cross (with Shift in small steps). Space paints there, or lowers and lifts
/// the brush. Enter closes a polygon, Escape drops a draft, Backspace its last corner. + and - act
/// as the wheel, F fits.
class PaintCanvas : public QWidget {
  Q_OBJECT

 public:
  static constexpr int kLeastBrush = 1, kMostBrush = 400, kFewestAreas = 4, kMostAreas = 1000;

  explicit PaintCanvas(QWidget* parent = nullptr);

  /// Shows a frame, CV_8UC3, with its annotation and history; both are the caller's and must live
  /// until another one is shown. Null: none.
  void show(const cv::Mat* picture, cv::Mat* labels, PaintHistory* history);
  void setClasses(const std::vector<PaintClass>& classes);
  /// Sets the areas for the tool `area`; null: not known yet.
  void setAreas(std::shared_ptr<const Areas> areas);
  /// Returns how many areas are shown; 0 if they are not known yet.
  int areas() const { return areas_ ? cutInto_ : 0; }
  /// Shows CV_8U labels of its size in place of the annotation; empty restores it. `hint` is the
  /// line below, unless it is a preview of this annotation.
  void setPreview(const cv::Mat& labels, const QString& hint = {});
  /// Sets what the tool `found` paints, CV_8U of the frame's size; empty: unknown.
  void setSuggestion(const cv::Mat& labels);
  bool isPreviewing() const { return !preview_.empty(); }

  void setTool(PaintTool tool);
  PaintTool tool() const { return tool_; }
  void setClassNumber(int number) { class_ = number; }  ///< -1: none, and nothing is painted
  void setErasing(bool erasing) { erasing_ = erasing; }
  void setBrush(int pixels);
  int brush() const { return brush_; }
  const std::vector<QPointF>& corners() const {
    return corners_;
  }  ///< of the polygon that is begun

  /// Changes the annotation by `how` as one step of the history; ends a stroke first.
  void edit(const std::function<void(cv::Mat&)>& how);
  void undo();
  void redo();
  void fit() { state_.fit(); }

 signals:
  void painted();  ///< the painting is another: after each stroke and step
  void said(const QString& sentence);
  void brushChanged(int pixels);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  QSize sizeHint() const override { return {640, 480}; }
  QSize minimumSizeHint() const override { return {240, 180}; }

 private:
  bool isReady() const { return picture_ != nullptr; }
  ViewGeometry geometry() const;
  int value(bool erase) const;
  bool mayPaint(bool erase);
  void press(bool erase);   // with the tool, at the cross
  void dragTo(QPointF at);  // what is begun
  bool suggests() const;    // it is to be seen, and taken
  void cutAreas(int count);
  void growAreas(int notches);
  int areaAt(QPointF place) const;  // -1: none
  void light(int area);             // shows what a click would paint
  void paintAreas(QPointF from, QPointF to);
  void endStroke();  // what is being drawn becomes a step
  void closePolygon();
  void dropBegun();
  bool keyMoves(int key, bool fine);
  void drawOverlay(const cv::Rect& area);
  QColor colourOfClass() const;  // of the chosen one
  void drawAreas(QPainter& painter, const ViewGeometry& shown) const;
  void drawMarks(QPainter& painter, const ViewGeometry& shown) const;

  const cv::Mat* picture_ = nullptr;
  cv::Mat* labels_ = nullptr;
  PaintHistory* history_ = nullptr;
  std::vector<PaintClass> classes_;
  cv::Size shownSize_;
  QString previewHint_;
  cv::Mat preview_, suggestion_;
  cv::Mat before_;  // the painting when a stroke began; empty: none
  std::shared_ptr<const Areas> areas_;
  cv::Mat cut_;  // of them, into so many
  int cutInto_ = 40, lit_ = -1;
  std::vector<QLineF> edges_, litEdges_;
  double turned_ = 0;  // of the wheel, in notches
  QImage photo_, overlay_;
  ViewState state_;
  PaintTool tool_ = PaintTool::area;
  int class_ = -1, brush_ = 12;
  bool erasing_ = false, strokeErases_ = false, byKey_ = false, crossShown_ = false;
  std::vector<QPointF> corners_;
  bool polygonErases_ = false;
  std::optional<QPointF> panned_;  // from where, while the middle button is held
  QPointF cross_{0.5, 0.5};
};

}  // namespace mpm::gui
