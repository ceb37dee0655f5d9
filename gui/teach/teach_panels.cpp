// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/teach_panels.h"

#include <QColorDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QPixmap>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <exception>
#include <opencv2/core.hpp>

#include "gui/aside.h"
#include "gui/canvas/captions.h"
#include "gui/canvas/pictures.h"
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
          "One painted frame is enough to teach, but not to judge the result; paint another in "
          "different light.");
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
                 "%1% of %2 is mistaken for %3; are they painted apart on some frame, and the same "
                 "way on all?")
          .arg(QLocale().toString(100 * advice.share, 'f', 0), name,
               QString::fromStdString(advice.other));
  }
  return {};
}

}  // namespace

ClassList::ClassList(QWidget* parent) : QListWidget(parent) {
  setAccessibleName(tr("Classes"));
  setEditTriggers(DoubleClicked | EditKeyPressed);
  connect(this, &QListWidget::currentRowChanged, this, &ClassList::chosen);
  connect(this, &QListWidget::itemChanged, this, [this](const QListWidgetItem* item) {
    std::vector<PaintClass> classes = classes_;
    classes.at(static_cast<std::size_t>(row(item))).name = item->text();
    emit wanted(classes);
  });
}

void ClassList::setClasses(const std::vector<PaintClass>& classes) {
  classes_ = classes;
  const int before = currentRow();
  {
    const QSignalBlocker quiet(this);
    while (count() > static_cast<int>(classes.size())) delete takeItem(count() - 1);
    for (int k = 0; k < static_cast<int>(classes.size()); ++k) {
      if (k == count()) addItem(new QListWidgetItem);
      const PaintClass& each = classes[static_cast<std::size_t>(k)];
      item(k)->setText(each.name);
      item(k)->setIcon(iconOf(k, each.colour));
      item(k)->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsEditable);
    }
  }
  if (currentRow() < 0 && count() > 0) setCurrentRow(0);
  if (currentRow() != before) emit chosen(currentRow());
}

void ClassList::choose(int number) {
  if (number < count()) setCurrentRow(number);
}

QStringList ClassList::usualNames() {
  return {tr("person"), tr("path"),     tr("road"),  tr("lawn"), tr("vehicle"),
          tr("animal"), tr("building"), tr("water"), tr("snow"), tr("other")};
}

void ClassList::addClass(const QColor& colour, const QString& name) {
  std::vector<PaintClass> classes = classes_;
  QString own = name;
  for (std::size_t number = classes.size() + 1; own.isEmpty(); ++number) {
    own = tr("Class %1").arg(number);
    const auto has = [&](const PaintClass& each) { return each.name == own; };
    if (std::any_of(classes.begin(), classes.end(), has)) own.clear();
  }
  classes.push_back({own, colour});
  emit wanted(classes);
  if (count() != static_cast<int>(classes.size())) return;
  setCurrentRow(count() - 1);
  if (name.isEmpty()) rename();
}

void ClassList::rename() {
  if (currentItem() == nullptr) return;
  setFocus();
  editItem(currentItem());
}

void ClassList::remove() {
  if (currentRow() >= 0) emit removalWanted(currentRow());
}

void ClassList::recolour() {
  if (currentRow() < 0) return;
  std::vector<PaintClass> classes = classes_;
  PaintClass& each = classes[static_cast<std::size_t>(currentRow())];
  const QColor colour =
      QColorDialog::getColor(each.colour, this, tr("The colour of %1").arg(each.name));
  if (!colour.isValid()) return;
  each.colour = colour;
  emit wanted(classes);
}

QIcon ClassList::iconOf(int number, const QColor& colour) const {
  constexpr int kSide = 20, kKeys = 10, kBright = 140;
  const double ratio = devicePixelRatioF();
  QPixmap picture(QSize(kSide, kSide) * ratio);
  picture.setDevicePixelRatio(ratio);
  picture.fill(colour);
  if (number < kKeys) {
    QPainter painter(&picture);
    painter.setPen(qGray(colour.rgb()) > kBright ? Qt::black : Qt::white);
    painter.drawText(QRect(0, 0, kSide, kSide), Qt::AlignCenter,
                     QString::number((number + 1) % kKeys));
  }
  return picture;
}

FrameList::FrameList(QWidget* parent) : QListWidget(parent) {
  setAccessibleName(tr("Frames"));
  setIconSize(kRoom);
  setViewMode(IconMode);
  setFlow(TopToBottom);
  setWrapping(false);
  setMovement(Static);
  setSpacing(4);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(this, &QListWidget::currentRowChanged, this, [this](int row) {
    if (row < 0) return;
    emit chosen(nameAt(row));
    // Scrolls after the layout: a new frame is at the end.
    QTimer::singleShot(0, this, [this] { scrollToItem(currentItem()); });
  });
}

void FrameList::setProject(const PaintProject* project) {
  const QSignalBlocker quiet(this);
  const bool other = project_ != project;
  project_ = project;
  if (other) {
    clear();
    ++projects_;
  }
  if (project_ == nullptr) return;
  for (int row = count(); row < project_->frames().size(); ++row) {
    const QString& name = project_->frames()[row];
    auto* item = new QListWidgetItem(PaintProject::spoken(name, '\n'));
    item->setData(kName, name);
    item->setIcon(placed(blank(project_->sizeOf(name))));
    item->setTextAlignment(Qt::AlignHCenter);
    item->setSizeHint({kRoom.width() + 12, kRoom.height() + 3 * fontMetrics().height() + 12});
    addItem(item);
  }
  readNext();
}

QString FrameList::nameAt(int row) const {
  return item(row) ? item(row)->data(kName).toString() : QString();
}

void FrameList::choose(const QString& name) {
  if (project_ != nullptr) setCurrentRow(static_cast<int>(project_->frames().indexOf(name)));
}

void FrameList::setShare(const QString& name, double share) {
  QListWidgetItem* at = itemOf(name);
  if (at == nullptr) return;
  at->setData(kTold, true);
  at->setText(PaintProject::spoken(name, '\n') + '\n' + words(share));
}

void FrameList::readAgain() {
  for (int row = 0; row < count(); ++row)
    for (const int fact : {kAsked, kTold}) item(row)->setData(fact, false);
  readNext();
}

FrameList::Read FrameList::read(const PaintProject& project, const QString& name, double ratio) {
  Read read;
  try {
    const cv::Mat frame = project.frame(name);
    read.picture = thumbnailOf(frame, kRoom * ratio);
    read.picture.setDevicePixelRatio(ratio);
    read.share = paintedShare(project.labels(name, frame.size()));
  } catch (const std::exception& fault) {
    read.fault = QString::fromUtf8(fault.what());
  }
  return read;
}

QString FrameList::words(double share) {
  const double percent = share * 100;
  const int digits = percent > 0 && percent < 10 ? 1 : 0;
  return tr("%1% painted").arg(QLocale().toString(percent, 'f', digits));
}

QListWidgetItem* FrameList::itemOf(const QString& name) const {
  return item(static_cast<int>(project_->frames().indexOf(name)));
}

QIcon FrameList::placed(const QImage& picture) const {
  const double ratio = devicePixelRatioF();
  QPixmap room(kRoom * ratio);
  room.setDevicePixelRatio(ratio);
  room.fill(Qt::transparent);
  const QSizeF size = picture.deviceIndependentSize();
  QPainter(&room).drawImage(
      QPointF((kRoom.width() - size.width()) / 2, (kRoom.height() - size.height()) / 2), picture);
  return room;
}

QImage FrameList::blank(QSize frame) const {
  const double ratio = devicePixelRatioF();
  const QSize room = kRoom * ratio;
  QImage picture(frame.isEmpty() ? room : thumbnailSize(frame, room), QImage::Format_RGB32);
  picture.setDevicePixelRatio(ratio);
  picture.fill(palette().color(QPalette::Midlight));
  return picture;
}

void FrameList::readNext() {
  int row = count() - 1;
  while (row >= 0 && item(row)->data(kAsked).toBool()) --row;
  if (reading_ || row < 0) return;
  reading_ = true;
  item(row)->setData(kAsked, true);
  computeAside(
      this,
      [project = *project_, name = nameAt(row), ratio = devicePixelRatioF()] {
        return read(project, name, ratio);
      },
      [this, name = nameAt(row), of = projects_](const Read& read) {
        reading_ = false;
        if (of == projects_) take(name, read);
        readNext();
      });
}

void FrameList::take(const QString& name, const Read& read) {
  QListWidgetItem* at = itemOf(name);
  if (at == nullptr) return;
  at->setData(kRead, true);
  at->setToolTip(read.fault);
  if (!read.picture.isNull()) at->setIcon(placed(read.picture));
  if (read.fault.isEmpty() && !at->data(kTold).toBool()) {
    setShare(name, read.share);
    at->setData(kTold, false);
  }
}

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
      tr("IoU on held-out frames: the overlap of what is painted as a class and what is found, as "
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
  told_->setText(tr("Teaching; you can go on painting."));
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

// Advances by a little of the remainder until the next report, so that the bar never stops at a
// step. The duration is estimated from the past.
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
    text += QLatin1Char(' ') +
            tr("It relies on where things are in the picture; teach again if the camera moves.");
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
    advice << tr("Least sure of %1 (%2%): paint more on that frame.")
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
