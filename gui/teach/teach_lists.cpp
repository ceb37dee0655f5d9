// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/teach_lists.h"

#include <QtWidgets>
#include <algorithm>
#include <exception>
#include <opencv2/core.hpp>

#include "gui/aside.h"
#include "gui/canvas/pictures.h"

namespace mpm::gui {

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

void ClassList::addClass(const QColor& colour) {
  std::vector<PaintClass> classes = classes_;
  for (std::size_t number = classes.size() + 1;; ++number) {
    const QString name = tr("Class %1").arg(number);
    const auto has = [&](const PaintClass& each) { return each.name == name; };
    if (std::any_of(classes.begin(), classes.end(), has)) continue;
    classes.push_back({name, colour});
    break;
  }
  emit wanted(classes);
  if (count() != static_cast<int>(classes.size())) return;
  setCurrentRow(count() - 1);
  rename();
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
    // Once it is laid out: a frame that was just taken stands at the end.
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

}  // namespace mpm::gui
