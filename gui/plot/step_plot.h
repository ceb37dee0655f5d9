// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "gui/plot/plot.h"

namespace mpm::gui {

/// Time by step, for steps that follow each other: what a frame goes through, or a network's
/// layers. A column for each, in their order, with its milliseconds and its share of the whole
/// where there is room. Some may stand apart, in a colour of their own; the headline tells what all
/// take together, and those.
class StepPlot : public Plot {
  Q_OBJECT

 public:
  struct Step {
    QString title;       ///< "Block 3": for the table and the tool tip
    QString mark;        ///< "3": below the column
    double ms = 0;       ///< not finite or negative: not known
    bool apart = false;  ///< in the other colour
  };
  struct Names {
    QString whole;  ///< "Network": what all steps are together
    QString apart;  ///< "Merges": those that stand apart; empty where none do
    QString none;   ///< a sentence while nothing is known
  };

  explicit StepPlot(Names names, QWidget* parent = nullptr);

  void setSteps(std::vector<Step> steps);

  double totalMs() const;  ///< of all that are known
  double apartMs() const;

  bool exportCsv(QIODevice& device) const override;
  QString summary() const override;

 protected:
  void draw(QPainter& painter, QSize size) const override;
  PlotTable::Contents contents() const override;
  std::optional<Hint> hintAt(QPoint place) const override;

 private:
  QRect plotArea(QSize size, const QFontMetrics& metrics) const;
  QRect slotOf(std::size_t step, const QRect& area) const;
  void drawHead(QPainter& painter, QSize size) const;
  void drawColumn(QPainter& painter, const Step& step, const QRect& slot, double longest) const;
  void drawMark(QPainter& painter, const Step& step, const QRect& slot) const;
  QString msText(double ms) const;
  QString shareText(double ms) const;

  Names names_;
  std::vector<Step> steps_;
};

}  // namespace mpm::gui
