// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "gui/canvas/class_settings.h"
#include "gui/canvas/frame_painter.h"
#include "gui/canvas/view_state.h"
#include "gui/explain/merge_story.h"

namespace mpm::gui {

constexpr QRgb kMostAlikeColour = 0xff46d6ff, kLeastAlikeColour = 0xffffdd33;

/// Shows one scene of a story at a time, as large as fits.
class StoryView : public QWidget {
  Q_OBJECT

 public:
  explicit StoryView(QWidget* parent = nullptr);

  /// Null shows no story, but the reason.
  void setStory(std::shared_ptr<const MergeStory> story, const QString& reason = {});

  void showPatches();
  /// `progress` goes from 0, before the merge, over moving pairs, to 1: each patch in the colour of
  /// its token after it.
  void showMerge(std::size_t merge, double progress);
  void showDifference();
  /// Shows a value from 0 to 1 for each patch; a wrong number of values shows none.
  void showHeat(std::vector<double> shares);

  QSize sizeHint() const override { return {640, 480}; }
  QSize minimumSizeHint() const override { return {240, 160}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  enum class Scene { patches, merge, difference, heat };
  void show(Scene scene);
  ViewGeometry geometry() const;
  const QPixmap& painted(KeptPainting& kept, ViewKind kind, int stage, bool grey = false);
  void drawGrid(QPainter& painter) const;
  void drawMerge(QPainter& painter);
  void drawPairs(QPainter& painter) const;
  void drawHeat(QPainter& painter) const;
  void collectColours();

  std::shared_ptr<const MergeStory> story_;
  QString reason_;
  Scene scene_ = Scene::patches;
  std::size_t merge_ = 0;
  double progress_ = 0;
  std::vector<double> shares_;
  std::vector<std::vector<QRgb>> colours_;  // of tokens by row, behind each merge
  KeptPainting base_, over_;
  ClassSettings classes_;  // no scene shows classes
};

}  // namespace mpm::gui
