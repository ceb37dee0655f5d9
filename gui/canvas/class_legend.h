// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <QPointer>
#include <QTableView>
#include <vector>

#include "gui/canvas/class_settings.h"

class QSortFilterProxyModel;

namespace mpm::gui {

/// The classes as a table: a row for each, with its colour, whether it is shown, how much of the
/// picture it covers.
class ClassLegendModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kName, kArea, kColumns };  ///< kName has the colour and the check box

  enum Role {
    kSortRole = Qt::UserRole,  ///< what to sort by
    kSoloRole                  ///< bool
  };

  /// `classes` outlives the model, or the model is empty from then on.
  explicit ClassLegendModel(ClassSettings* classes, QObject* parent = nullptr);

  /// Each class's share of the picture, 0 to 1, NaN where it is not known, in the order of the
  /// classes; others than there are classes are refused (false).
  bool setAreas(const std::vector<double>& shares);
  void clearAreas();
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  static QString percent(double share);

  void tell();
  void resetAreas();
  QVariant nameData(int row, int role) const;
  static QVariant areaData(double area, int role);

  QPointer<ClassSettings> classes_;
  std::vector<double> areas_;  // NaN: not known
};

/// The classes in a table that can be sorted. The check box (or Space) shows and hides a class, a
/// double click or Enter shows it alone, once more all that were shown before; a menu shows or
/// hides all.
class ClassLegend : public QTableView {
  Q_OBJECT

 public:
  explicit ClassLegend(ClassSettings* classes, QWidget* parent = nullptr);
  ClassLegendModel* classModel() const { return model_; }

  /// Brings the rows into the order that is chosen, of what areas are now, unless somebody is at
  /// them: the largest comes first until another order is chosen.
  void sortAgain();

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
  bool sized_ = false, ordered_ = false;
};

}  // namespace mpm::gui
