// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QWidget>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gui/canvas/class_settings.h"
#include "gui/canvas/frame_painter.h"
#include "gui/canvas/inspection.h"
#include "gui/canvas/painting.h"
#include "gui/canvas/view_state.h"
#include "monitor/statistics/zones.h"

namespace mpm::gui {

/// Shows the newest frame with what all views share: zoom and pan, inspection, zones, and age.
/// Draws only changes. While hidden it keeps no painted images, and no frame but the last one that
/// it was given.
///
/// Mouse: the wheel zooms at the cursor, dragging pans, a click pins a patch and shows its card, a
/// double click fits. Keys: + - 0 zoom and fit, arrows pan, Shift and arrows inspect the next
/// token, Space pins it, Escape ends the inspection.
class PictureView : public QWidget {
  Q_OBJECT

 public:
  explicit PictureView(QWidget* parent = nullptr);

  /// Shares a state with linked views; null restores its own. Not owned.
  void setViewState(ViewState* state);
  ViewState* viewState() const { return state_; }
  void setClasses(ClassSettings* classes);  ///< shared, as above
  ClassSettings* classes() const { return classes_; }

  void setResult(monitor::FrameResultPtr result);  ///< null: none
  const monitor::FrameResultPtr& result() const { return result_; }

  void setStage(int stage);  ///< as in Painting
  void setOpacity(double opacity);
  void setOutlines(bool outlines);

  void setEmptyText(const QString& text);  ///< while there is no picture
  /// Marks the frame as old: it turns grey, with its age and the reason in large letters.
  void setStale(qint64 ageMs, const QString& reason);
  void setLive();
  void setPaused(bool paused);  ///< it stands still because somebody wants it to, and says so
  bool isStale() const { return staleMs_.has_value(); }

  virtual void setZones(std::vector<monitor::Zone> zones);
  const std::vector<monitor::Zone>& zones() const { return zones_; }
  /// Sets by name the zones in which a rule holds.
  void setLitZones(std::vector<std::string> names);

  /// Returns the painting of the whole frame at its resolution; null without a frame. `words` adds
  /// titles and legends.
  QImage exported(bool words = true);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  quint64 paintings() const;  ///< how often something was painted anew

 signals:
  /// Describes what is under this view's cursor, or was pinned in it; sent on changes and with each
  /// new frame.
  void inspected(const mpm::gui::Inspection& inspection);
  void inspectionEnded();
  void titleClicked(QPoint place);  ///< of the screen: below the title

 protected:
  /// A painting, and its position in a view of `bounds`.
  struct Layer {
    Painting painting;
    QRectF clip;
    QString title;
  };
  virtual std::vector<Painting*> parts() = 0;  ///< what layers are made of
  virtual std::vector<Layer> layers(const ViewGeometry& geometry, const QRectF& bounds) const = 0;
  virtual QString title() const = 0;  ///< what is shown
  virtual QString description() const = 0;
  virtual void drawOver(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds);

  bool hasPicture() const;
  ViewGeometry geometry() const;  ///< of the widget; empty without a picture
  void changed();                 ///< what is shown is another: title, description, painting
  /// Changes each part, and repaints if one differs.
  void change(const std::function<void(Painting&)>& how);

  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void drawLayers(QPainter& painter, const ViewGeometry& geometry, const std::vector<Layer>& layers,
                  double ratio);
  /// Draws titles as well; returns where the last one is.
  QRectF drawLegends(QPainter& painter, const ViewGeometry& geometry,
                     const std::vector<Layer>& layers, bool paused) const;
  void drawLooks(QPainter& painter, const ViewGeometry& geometry,
                 const std::vector<Layer>& layers) const;
  /// Marks the token that was clicked here.
  void drawPinned(QPainter& painter, const ViewGeometry& geometry,
                  const std::vector<Layer>& layers) const;
  void drawState(QPainter& painter, const std::vector<Layer>& layers) const;
  const monitor::FrameResultPtr& resultFor(const Painting& painting) const;
  const monitor::FrameResultPtr& tokens() const;  ///< the newest result that tells of tokens
  void describeItself();
  void release();  ///< what was painted, with the frames that it was painted from

  void lookAt(std::optional<QPointF> position, bool byKey);
  void pin(std::optional<QPointF> position);
  void togglePin(QPointF position);
  int stageLookedAt() const;
  void tellInspection();
  bool offersMoreAt(QPointF point) const;  ///< the title, where somebody listens to its clicks
  bool stepLook(int key);
  bool panByKey(int key);

  ViewState ownState_;
  ClassSettings ownClasses_;
  ViewState* state_ = &ownState_;
  ClassSettings* classes_ = &ownClasses_;
  monitor::FrameResultPtr result_, compared_;  // compared_: the newest with unmerged labels
  double agreement_ = 0;                       // of compared_
  QRectF gridArea_{0, 0, 1, 1};                // of the newest result that had one
  QString emptyText_;
  std::optional<qint64> staleMs_;
  bool paused_ = false;
  QString staleReason_;
  std::vector<monitor::Zone> zones_;
  std::vector<std::string> lit_;  // of them
  std::vector<PaintedView> painted_;
  QRectF titleArea_;  // of the widget

  bool looking_ = false, hoveredHere_ = false, pinnedHere_ = false;  // who chose the place
  bool lookedByKey_ = false, told_ = false;  // told_: inspected() without inspectionEnded() so far
  bool pressing_ = false, dragging_ = false, doubleClicked_ = false;
  QPointF pressed_, dragged_;
  std::optional<QPointF> pinBefore_;
};

}  // namespace mpm::gui
