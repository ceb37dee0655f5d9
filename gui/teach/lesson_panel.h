// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QString>
#include <QTimer>
#include <QWidget>

#include "gui/teach/teach_worker.h"

class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QTableWidget;

namespace mpm::gui {

/// How teaching goes, and how good what was taught is.
class LessonPanel : public QWidget {
  Q_OBJECT

 public:
  explicit LessonPanel(QWidget* parent = nullptr);

  void clear();

  void begin();
  /// So much is done, and at `next` more will be told; until then the bar goes on slowly.
  void showProgress(double share, double next);

  /// Null: it failed, or was cancelled where there is no fault; what was taught before stays.
  void end(const TeachWorker::TaughtPtr& taught, const QString& fault);

  QString told() const;
  const QProgressBar* progress() const { return progress_; }
  const QTableWidget* table() const { return table_; }

 private:
  void creep();
  void put(int row, int column, const QString& text);

  QLabel* told_;
  QProgressBar* progress_;
  QTableWidget* table_;
  QPlainTextEdit* advice_;
  QTimer creep_;
  QElapsedTimer since_;
  double share_ = 0, next_ = 0;  // as the bar has it, and where it would stop
};

}  // namespace mpm::gui
