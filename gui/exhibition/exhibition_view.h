// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QTimer>
#include <QWidget>
#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "gui/canvas/area_names.h"
#include "gui/canvas/class_settings.h"
#include "gui/canvas/frame_painter.h"
#include "gui/canvas/inspection.h"
#include "gui/canvas/view_state.h"
#include "gui/explain/merge_story.h"
#include "monitor/engine/frame_result.h"

namespace mpm::gui {

/// A screen for visitors of a hall: the live image dissolves into its tokens and returns, in a
/// loop, with names, one sentence and one number. A touch or a click highlights the patches that
/// share a token with the touched one; the loop restarts some time later. If the model cannot
/// merge, the loop shows the image and its named areas.
///
/// It paints at most 30 times a second while something moves, else only for new frames, and never
/// while hidden.
class ExhibitionView : public QWidget {
  Q_OBJECT

 public:
  static constexpr int kLoopMs = 40000;
  static constexpr int kTouchMs = 12000;  ///< how long a group is lit after the last touch

  /// The first six form the loop, in order.
  enum class Scene {
    camera,   ///< the picture with the names of its areas
    squares,  ///< it dissolves into patches
    merge,    ///< patches that share a token move together
    tokens,   ///< what became of them
    names,    ///< classes and names come over that
    back,     ///< the picture comes back
    touched,  ///< a group is lit
    waiting   ///< there is no picture
  };
  struct Seen {
    Scene scene = Scene::waiting;
    double moved = 1;  ///< share of the scene's movement that is done
    QString sentence, number;
    std::vector<int> lit;  ///< places of the group that was touched, row by row
  };

  /// `classes` must outlive the view.
  explicit ExhibitionView(ClassSettings* classes, QWidget* parent = nullptr);

  void setResult(const monitor::FrameResultPtr& result);  ///< each new one; null: none
  void setClock(std::function<qint64()> nowMs);           ///< at first a steady one
  /// Tells whether the model does not know this place, so that its names are guesses.
  void setGuessing(bool guesses) { guesses_ = guesses; }

  Seen seen();  ///< now

  QSize sizeHint() const override { return {960, 540}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  /// A moment of the loop.
  struct Stand {
    Scene scene = Scene::waiting;
    double moved = 1;
    qint64 endsInMs = kLoopMs;
  };
  /// The newest frame that has token counts.
  struct Tokens {
    monitor::FrameResultPtr frame;
    monitor::FrameResultPtr squares;  ///< the same before all merges
    MergeScene scene;
    std::vector<QRgb> colours;  ///< behind the merges, by row; filled when they are needed
    cv::Size grid() const;
    QRectF area() const;  ///< that the grid covers, of the picture
  };
  struct Words;
  enum Layer { kCamera, kSquares, kMerged, kClasses, kLayers };

  Stand advance(qint64 nowMs);
  Stand standAt(qint64 nowMs) const;
  void takeTokens();
  void describeItself(const Stand& stand);
  void begin();
  void schedule(const Stand& stand, qint64 nowMs);
  void refresh();

  bool hasPicture() const;
  bool hasLabels() const;
  double letters() const;  ///< how high they are
  ViewGeometry geometry() const;
  Inspection touchedNow() const;
  QString sentenceOf(const Stand& stand) const;
  QString numberOf(const Stand& stand) const;

  const QPixmap& painted(Layer layer);
  QRect cellOf(int place) const;  ///< of the view
  void drawScene(QPainter& painter, const Stand& stand);
  void drawWave(QPainter& painter, const QPixmap& squares, double share) const;
  void drawMerge(QPainter& painter, double moved);
  void drawLabels(QPainter& painter, double share);
  void drawTouched(QPainter& painter);
  void drawWords(QPainter& painter, const Stand& stand);
  void drawNames(QPainter& painter, const Stand& stand, const QRectF& room);

  ClassSettings* classes_;
  std::function<qint64()> nowMs_;
  qint64 beganMs_ = 0, paintedMs_ = 0, countedMs_ = 0, touchedMs_ = 0;
  Scene scene_ = Scene::waiting;
  bool fresh_ = true;  // what is shown is not painted yet
  bool guesses_ = false;
  QTimer timer_;

  monitor::FrameResultPtr result_, named_;  // named_: that the names are of
  std::optional<Tokens> tokens_;
  int squares_ = 0, thoughts_ = 0;  // as they stand on the screen
  AreaNames names_;
  std::optional<QPointF> touched_;  // of the picture
  std::array<KeptPainting, kLayers> layers_;
};

}  // namespace mpm::gui
