// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <cmath>

#include "gui/teach/teach_worker.h"
#include "gui/unbroken.h"

namespace mpm::gui {

/// How teaching goes, and how good what was taught is.
class LessonPanel : public QWidget {
  Q_OBJECT

 public:
  explicit LessonPanel(QWidget* parent = nullptr)
      : QWidget(parent),
        told_(new QLabel),
        progress_(new QProgressBar),
        table_(new QTableWidget),
        advice_(new QPlainTextEdit) {
    told_->setWordWrap(true);
    told_->setAlignment(Qt::AlignTop);
    progress_->setRange(0, 1000);
    progress_->setFormat(tr("%p%"));
    progress_->setAccessibleName(tr("Teaching"));
    progress_->hide();
    table_->setAccessibleName(tr("How well each class is found"));
    table_->setColumnCount(4);
    table_->setHorizontalHeaderLabels({tr("Class"), tr("Frames"), tr("Paint %"), tr("IoU %")});
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setTabKeyNavigation(false);
    table_->setToolTip(
        tr("IoU on held-out frames: where what is painted as a class and what is found overlap, as "
           "a share of both together."));
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    advice_->setReadOnly(true);
    advice_->setTabChangesFocus(true);
    advice_->setAccessibleName(tr("Advice"));
    advice_->setMaximumHeight(fontMetrics().height() * 7);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(progress_);
    column->addWidget(told_);
    column->addWidget(table_, 1);
    column->addWidget(advice_);
    clear();
  }

  void clear() {
    told_->setText(tr("Paint some of each class on three frames or more that differ, then teach."));
    table_->setRowCount(0);
    table_->hide();
    advice_->hide();
  }

  void begin() {
    told_->setText(tr("Teaching; painting can go on meanwhile."));
    progress_->setValue(0);
    progress_->show();
  }
  void showProgress(double share) { progress_->setValue(static_cast<int>(share * 1000)); }

  /// Null: it failed, or was cancelled where there is no fault; what was taught before stays.
  void end(const TeachWorker::TaughtPtr& taught, const QString& fault) {
    progress_->hide();
    if (!taught) return told_->setText(fault.isEmpty() ? tr("Cancelled.") : breakable(fault));
    const Lesson& lesson = taught->lesson;
    QString text =
        std::isnan(lesson.meanIou)
            ? tr("Taught in %1 s.").arg(number(taught->seconds))
            : tr("Taught in %1 s; mean IoU %2% on held-out frames, %3% of the pixels right.")
                  .arg(number(taught->seconds), number(100 * lesson.meanIou),
                       number(100 * lesson.pixelAccuracy));
    if (lesson.knowsPlaces)
      text += QLatin1Char(' ') + tr("It relies on where things are in the picture; teach again "
                                    "when the camera looks elsewhere.");
    told_->setText(unbroken(text));
    table_->setRowCount(static_cast<int>(lesson.classes.size()));
    for (int row = 0; row < table_->rowCount(); ++row) {
      const TaughtClass& each = lesson.classes[static_cast<std::size_t>(row)];
      put(row, 0, QString::fromStdString(each.name));
      put(row, 1, QLocale().toString(each.frames));
      put(row, 2, number(100 * each.share));
      put(row, 3, std::isnan(each.iou) ? QStringLiteral("-") : number(100 * each.iou));
    }
    QStringList advice;
    for (const Advice& each : lesson.advice) advice << wordsOf(each);
    if (taught->doubts.size() > 1) {
      advice << tr("Least sure of %1 (%2%): paint more on it next.")
                    .arg(PaintProject::spoken(taught->doubts.front().first),
                         number(100 * taught->doubts.front().second));
    }
    advice_->setPlainText(advice.join('\n'));
    table_->show();
    advice_->setVisible(!advice.isEmpty());
  }

  QString told() const { return told_->text(); }
  const QTableWidget* table() const { return table_; }

 private:
  static QString wordsOf(const Advice& advice) {
    const QString name = QString::fromStdString(advice.name);
    switch (advice.kind) {
      case Advice::Kind::oneFrame:
        return tr(
            "One painted frame is enough to teach, but not to judge the result; paint another one, "
            "in another light.");
      case Advice::Kind::unpainted:
        return tr("%1 is painted nowhere, so it will not be found.").arg(name);
      case Advice::Kind::once:
        return tr("%1 is painted on only one frame, so how well it is found cannot be measured; "
                  "paint it on another one.")
            .arg(name);
      case Advice::Kind::tooSeldom:
        return tr("%1 is painted on too few frames to tell how well it is found; paint it on "
                  "another one.")
            .arg(name);
      case Advice::Kind::weak:
        return tr("%1 is found poorly; paint it on another frame.").arg(name);
      case Advice::Kind::mixed:
        return tr("%1% of %2 is mistaken for %3; are they apart on any frame, and painted the same "
                  "way on all?")
            .arg(QLocale().toString(100 * advice.share, 'f', 0), name,
                 QString::fromStdString(advice.other));
    }
    return {};
  }

  static QString number(double value) { return QLocale().toString(value, 'f', 1); }

  void put(int row, int column, const QString& text) {
    auto* item = new QTableWidgetItem(text);
    if (column > 0) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    table_->setItem(row, column, item);
  }

  QLabel* told_;
  QProgressBar* progress_;
  QTableWidget* table_;
  QPlainTextEdit* advice_;
};

}  // namespace mpm::gui
