// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPointer>
#include <QString>
#include <QWidget>
#include <vector>

class QFrame;
class QLabel;
class QPushButton;

namespace mpm::gui {

/// What a tour points at, and what it says of it.
struct TourStop {
  QPointer<QWidget> at;  ///< null, or not to be seen: the window as a whole
  QString title, words;
};

/// A few cards over a window, one after the other, each beside what it is about; the rest of the
/// window is darker meanwhile, but for what has to be readable all the time, which no card covers
/// either where there is room. Deletes itself at its end.
///
/// Keys: arrows and Enter step, Escape ends it.
class Tour : public QWidget {
  Q_OBJECT

 public:
  /// `lit`: stays readable; null: nothing.
  Tour(std::vector<TourStop> stops, QWidget* lit, QWidget* window);

  int stop() const { return stop_; }

 signals:
  void ended();  ///< at its last stop, or where somebody had enough

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  bool focusNextPrevChild(bool next) override;

 private:
  void goTo(int stop);
  void end();
  void place();
  QRect shownRect() const;  ///< of what the stop is about; empty: nothing of the window alone
  QRect rectOf(const QWidget* widget) const;  ///< empty where it is not to be seen

  std::vector<TourStop> stops_;
  QPointer<QWidget> lit_;
  int stop_ = 0;
  QPointer<QWidget> before_;  // that had the focus
  QFrame* card_;
  QLabel *title_, *words_, *count_;
  QPushButton *skip_, *back_, *next_;
};

}  // namespace mpm::gui
