// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <optional>

#include "gui/plot/description.h"

namespace mpm::gui {

/// One figure that can be read across a room, with its name above and a word on it below. Digits
/// are as large as fit, and do not change their size while the figure changes.
class FigureTile : public QWidget {
  Q_OBJECT

 public:
  enum class State { plain, warning };  ///< told by a sign and by colour

  explicit FigureTile(const QString& title, QWidget* parent = nullptr);

  /// With so many decimals; not finite: "–". `unit` may be empty.
  void setValue(double value, int decimals, const QString& unit = {});
  void setNote(const QString& note);  ///< below: "of 1,025", "since 14:05"
  void setState(State state);

  QString figure() const;  ///< as shown, with its unit

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void tell();
  QString number() const;
  QColor ink() const;
  QFont figureFont(const QSizeF& room, const QString& widest) const;

  QString title_, unit_, note_;
  std::optional<double> value_;
  int decimals_ = 0;
  qsizetype mostDigits_ = 0;  // of what was shown so far
  State state_ = State::plain;
  Description description_;
};

}  // namespace mpm::gui
