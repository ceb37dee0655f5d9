// SPDX-License-Identifier: Apache-2.0
// What stands beside the frame that is painted: classes, frames, and how good what was taught is.
#pragma once

#include <QElapsedTimer>
#include <QIcon>
#include <QImage>
#include <QListWidget>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <QWidget>
#include <algorithm>
#include <vector>

#include "gui/teach/paint_project.h"
#include "gui/teach/teach_worker.h"

class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QTableWidget;

namespace mpm::gui {

/// Lists the classes for painting: names, colours, keys, and the chosen one. It only requests
/// changes: the receiver of `wanted` answers with setClasses.
class ClassList : public QListWidget {
  Q_OBJECT

 public:
  explicit ClassList(QWidget* parent = nullptr);

  void setClasses(const std::vector<PaintClass>& classes);
  void choose(int number);

  /// A class without a name gets one, which is opened for editing.
  void addClass(const QColor& colour, const QString& name = {});
  static QStringList usualNames();  ///< of what many people watch, people first

  void rename();
  void remove();
  void recolour();

 signals:
  void wanted(const std::vector<mpm::gui::PaintClass>& classes);
  void removalWanted(int number);
  void chosen(int number);  ///< -1: none

 private:
  // Shows the class's key, from 1 to 9 and 0.
  QIcon iconOf(int number, const QColor& colour) const;

  std::vector<PaintClass> classes_;
};

/// Lists a project's frames with thumbnails and painted shares. A separate thread reads the files
/// one by one, the newest first; until then an empty thumbnail of the same size takes the place.
class FrameList : public QListWidget {
  Q_OBJECT

 public:
  explicit FrameList(QWidget* parent = nullptr);

  /// Shows another project, or the additions to it.
  void setProject(const PaintProject* project);

  QString nameAt(int row) const;
  void choose(const QString& name);
  void step(int by) { setCurrentRow(std::clamp(currentRow() + by, 0, std::max(0, count() - 1))); }
  /// Tells whether its thumbnail was read from the file.
  bool isRead(int row) const { return item(row)->data(kRead).toBool(); }

  /// Overrides the share that is read from the file.
  void setShare(const QString& name, double share);

  /// Reads all annotations again after they changed.
  void readAgain();

 signals:
  void chosen(const QString& name);

 private:
  static constexpr QSize kRoom{120, 84};
  static constexpr int kName = Qt::UserRole, kAsked = kName + 1, kRead = kName + 2,
                       kTold = kName + 3;

  struct Read {
    QImage picture;
    double share = 0;
    QString fault;  // instead of them
  };

  static Read read(const PaintProject& project, const QString& name, double ratio);
  static QString words(double share);
  QListWidgetItem* itemOf(const QString& name) const;

  // Centres images in the same room, whatever their shape, so that words below never move.
  QIcon placed(const QImage& picture) const;
  QImage blank(QSize frame) const;
  void readNext();
  void take(const QString& name, const Read& read);

  const PaintProject* project_ = nullptr;
  int projects_ = 0;
  bool reading_ = false;
};

/// Shows the progress of training, and the quality of the result.
class LessonPanel : public QWidget {
  Q_OBJECT

 public:
  explicit LessonPanel(QWidget* parent = nullptr);

  void clear();

  void begin();
  /// Sets the done share, and `next`, where the next report comes; until then the bar creeps.
  void showProgress(double share, double next);

  /// Null: it failed, or without `fault` was cancelled; the earlier result stays then.
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
