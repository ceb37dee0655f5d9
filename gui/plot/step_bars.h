// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "gui/plot/plot.h"

namespace mpm::gui {

/// Where a frame's time goes: a bar for each step, below it those of its parts, with milliseconds
/// and the share of the whole. As tall as its steps need; where there is less room parts are left
/// out, and it says so.
class StepBars : public Plot {
  Q_OBJECT

 public:
  struct Step {
    QString title;  ///< "Prepare", "Network", "Block 3"
    double ms = 0;  ///< not finite or negative: not known
    int depth = 0;  ///< 0: a step, counts for the whole; 1: a part of the step before it
  };

  explicit StepBars(QWidget* parent = nullptr);

  void setSteps(std::vector<Step> steps);

  double totalMs() const;  ///< of the steps of depth 0 that are known

  bool exportCsv(QIODevice& device) const override;
  QString summary() const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void draw(QPainter& painter, QSize size) const override;
  PlotTable::Contents contents() const override;
  bool event(QEvent* event) override;

 private:
  int rowHeight(const QFontMetrics& metrics) const;
  std::vector<const Step*> shown(int height, const QFontMetrics& metrics) const;
  void drawStep(QPainter& painter, const Step& step, const QRect& row, int names, int figures,
                double longest) const;
  QString msText(const Step& step) const;
  QString shareText(const Step& step) const;

  std::vector<Step> steps_;
};

}  // namespace mpm::gui
