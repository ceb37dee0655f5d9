// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QTableView>

#include "gui/canvas/class_legend_model.h"

namespace mpm::gui {

/// The classes in a table that can be sorted. The check box (or Space) shows and hides a class, a
/// double click or Enter shows it alone, once more all that were shown before; a menu shows or
/// hides all.
class ClassLegend : public QTableView {
  Q_OBJECT

 public:
  explicit ClassLegend(ClassSettings* classes, QWidget* parent = nullptr);
  ClassLegendModel* classModel() const { return model_; }

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void toggleSolo(const QModelIndex& index);
  void toggleShown(const QModelIndex& index);

  QPointer<ClassSettings> classes_;
  ClassLegendModel* model_;
  QSortFilterProxyModel* sorted_;
  bool sized_ = false;
};

/// Draws ClassLegendModel::kHistoryRole as a line from its least to its largest value. A gap where
/// values are not known.
class SparklineDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace mpm::gui
