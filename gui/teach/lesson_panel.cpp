// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/lesson_panel.h"

#include <QtWidgets>
#include <algorithm>
#include <cmath>

#include "gui/canvas/captions.h"
#include "gui/unbroken.h"

namespace mpm::gui {
namespace {

constexpr int kCreepMs = 200;

QString number(double value) { return QLocale().toString(value, 'f', 1); }

QString wordsOf(const Advice& advice) {
  const QString name = QString::fromStdString(advice.name);
  switch (advice.kind) {
    case Advice::Kind::oneFrame:
      return LessonPanel::tr(
          "One painted frame is enough to teach, but not to judge the result; paint another one, "
          "in another light.");
    case Advice::Kind::unpainted:
      return LessonPanel::tr("%1 is painted nowhere, so it will not be found.").arg(name);
    case Advice::Kind::once:
      return LessonPanel::tr(
                 "%1 is painted on only one frame, so how well it is found cannot be measured; "
                 "paint it on another one.")
          .arg(name);
    case Advice::Kind::tooSeldom:
      return LessonPanel::tr(
                 "%1 is painted on too few frames to tell how well it is found; paint it on "
                 "another one.")
          .arg(name);
    case Advice::Kind::weak:
      return LessonPanel::tr("%1 is found poorly; paint it on another frame.").arg(name);
    case Advice::Kind::mixed:
      return LessonPanel::tr(
                 "%1% of %2 is mistaken for %3; are they apart on any frame, and painted the same "
                 "way on all?")
          .arg(QLocale().toString(100 * advice.share, 'f', 0), name,
               QString::fromStdString(advice.other));
  }
  return {};
}

}  // namespace

LessonPanel::LessonPanel(QWidget* parent)
    : QWidget(parent),
      told_(new QLabel),
      progress_(new QProgressBar),
      table_(new QTableWidget),
      advice_(new QPlainTextEdit) {
  told_->setWordWrap(true);
  told_->setAlignment(Qt::AlignTop);
  progress_->setRange(0, 1000);
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
  creep_.setInterval(kCreepMs);
  connect(&creep_, &QTimer::timeout, this, &LessonPanel::creep);
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

void LessonPanel::clear() {
  told_->setText(tr("Paint some of each class on three frames or more that differ, then teach."));
  table_->setRowCount(0);
  table_->hide();
  advice_->hide();
}

void LessonPanel::begin() {
  told_->setText(tr("Teaching; painting can go on meanwhile."));
  share_ = next_ = 0;
  since_.start();
  showProgress(0, TeachWorker::kRead);
  creep_.start();
  progress_->show();
}

void LessonPanel::showProgress(double share, double next) {
  share_ = std::max(share_, std::min(share, 1.0));
  next_ = std::clamp(next, share_, 1.0);
  creep();
}

// By a little of what is left until more is told, so that it is seen to go on and never waits at
// a whole step. How long it will take follows from how long it took so far.
void LessonPanel::creep() {
  constexpr double kPart = 0.01;
  constexpr qint64 kRound = 5000;
  share_ += kPart * (next_ - share_);
  progress_->setValue(static_cast<int>(share_ * 1000));
  if (share_ < TeachWorker::kRead) return progress_->setFormat(tr("%p%"));
  const double left = static_cast<double>(since_.elapsed()) * (1 - share_) / share_;
  const qint64 rounded = (1 + static_cast<qint64>(left) / kRound) * kRound;
  progress_->setFormat(tr("%p%, about %1 left").arg(spokenAge(rounded)));
}

void LessonPanel::end(const TeachWorker::TaughtPtr& taught, const QString& fault) {
  creep_.stop();
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

QString LessonPanel::told() const { return told_->text(); }

void LessonPanel::put(int row, int column, const QString& text) {
  auto* item = new QTableWidgetItem(text);
  if (column > 0) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  table_->setItem(row, column, item);
}

}  // namespace mpm::gui
