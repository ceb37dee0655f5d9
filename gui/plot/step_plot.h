// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include "gui/plot/plot.h"

namespace mpm::gui {

/// Shows the time of consecutive steps, such as a frame's stages or a network's layers. Each has a
/// column with its milliseconds and its share of the whole, if there is room. Some may be set apart
/// in another colour; the headline has the total and their sum. They are part of the whole or
/// additional to it.
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
    QString whole;            ///< "Network": what all steps are together
    QString apart;            ///< "Merges": those that stand apart; empty where none do
    QString none;             ///< a sentence while nothing is known
    bool apartCounts = true;  ///< to the whole
  };

  explicit StepPlot(Names names, QWidget* parent = nullptr);
  void setSteps(std::vector<Step> steps);

  /// Returns the sum over all steps that are known and count.
  double totalMs() const;
  double apartMs() const;
  QString summary() const override;

 protected:
  void draw(QPainter& painter) const override;
  Contents contents() const override;
  QString hintAt(QPoint place) const override;

 private:
  static bool known(const Step& step) { return std::isfinite(step.ms) && step.ms >= 0; }
  bool counts(const Step& step) const { return names_.apartCounts || !step.apart; }

  // The font is a quarter larger than the panel's, to be read from afar.
  QFont headFont() const;

  // Labels are vertical and below if a column is too narrow for them.
  QRect plotArea() const;
  QRect slotOf(std::size_t step, const QRect& area) const;
  QColor colourOf(bool apart) const;
  std::vector<Legend::Entry> head() const;
  void drawColumn(QPainter& painter, const Step& step, const QRect& slot, double longest) const;
  void drawMark(QPainter& painter, const Step& step, const QRect& slot) const;
  QString msText(double ms) const;

  // Returns an empty text for steps that are additional to the whole.
  QString shareText(const Step& step) const;
  QString shareText(double ms) const;

  Names names_;
  std::vector<Step> steps_;
};

}  // namespace mpm::gui
