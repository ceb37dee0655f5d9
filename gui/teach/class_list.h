// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <vector>

#include "gui/teach/paint_project.h"

namespace mpm::gui {

/// The classes that one paints with: the chosen one, their names and colours, and the key of each.
/// Changes are wishes: whoever hears `wanted` answers with setClasses.
class ClassList : public QListWidget {
  Q_OBJECT

 public:
  explicit ClassList(QWidget* parent = nullptr) : QListWidget(parent) {
    setAccessibleName(tr("Classes"));
    setEditTriggers(DoubleClicked | EditKeyPressed);
    connect(this, &QListWidget::currentRowChanged, this, &ClassList::chosen);
    connect(this, &QListWidget::itemChanged, this, [this](const QListWidgetItem* item) {
      std::vector<PaintClass> classes = classes_;
      classes.at(static_cast<std::size_t>(row(item))).name = item->text();
      emit wanted(classes);
    });
  }

  void setClasses(const std::vector<PaintClass>& classes) {
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

  void choose(int number) {
    if (number < count()) setCurrentRow(number);
  }

  /// With a name of its own, which is written over at once.
  void addClass(const QColor& colour) {
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

  void rename() {
    if (currentItem() == nullptr) return;
    setFocus();
    editItem(currentItem());
  }

  void remove() {
    if (currentRow() >= 0) emit removalWanted(currentRow());
  }

  void recolour() {
    if (currentRow() < 0) return;
    std::vector<PaintClass> classes = classes_;
    PaintClass& each = classes[static_cast<std::size_t>(currentRow())];
    const QColor colour =
        QColorDialog::getColor(each.colour, this, tr("The colour of %1").arg(each.name));
    if (!colour.isValid()) return;
    each.colour = colour;
    emit wanted(classes);
  }

 signals:
  void wanted(const std::vector<mpm::gui::PaintClass>& classes);
  void removalWanted(int number);
  void chosen(int number);  ///< -1: none

 private:
  // With its key, from 1 to 9 and 0.
  QIcon iconOf(int number, const QColor& colour) const {
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

  std::vector<PaintClass> classes_;
};

}  // namespace mpm::gui
