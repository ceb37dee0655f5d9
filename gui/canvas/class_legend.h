// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <QPointer>
#include <QTableView>
#include <vector>

#include "gui/canvas/class_settings.h"

class QSortFilterProxyModel;

namespace mpm::gui {

/// Lists the classes as a table with each class's colour, whether it is shown, and its share of the
/// frame.
class ClassLegendModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kName, kArea, kColumns };  ///< kName has the colour and the check box

  enum Role {
    kSortRole = Qt::UserRole,  ///< what to sort by
    kSoloRole                  ///< bool
  };

  /// The model is empty as soon as `classes` is deleted.
  explicit ClassLegendModel(ClassSettings* classes, QObject* parent = nullptr);

  /// Sets each class's share of the frame, 0 to 1, NaN if unknown, in the order of the classes.
  /// Returns false for a different number of shares.
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

/// Shows the classes in a sortable table. The check box (or Space) shows or hides a class. A double
/// click or Enter shows it alone, and again restores the others. A menu shows or hides all.
class ClassLegend : public QTableView {
  Q_OBJECT

 public:
  explicit ClassLegend(ClassSettings* classes, QWidget* parent = nullptr);
  ClassLegendModel* classModel() const { return model_; }

  /// Sorts the rows by current areas in the chosen order, unless the user is at them. Initially the
  /// largest comes first.
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
