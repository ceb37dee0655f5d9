// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/class_legend.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLocale>
#include <QMenu>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mpm::gui {
namespace {

// Emphasizes the name of the class that is shown alone.
class NameDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    option->font.setBold(index.data(ClassLegendModel::kSoloRole).toBool());
    // Styles derive a check box's frame from the window's colour; a dark colour hides it.
    const QColor text = option->palette.color(QPalette::Text);
    const QColor base = option->palette.color(QPalette::Base);
    option->palette.setColor(
        QPalette::Window, QColor((text.red() + base.red()) / 2, (text.green() + base.green()) / 2,
                                 (text.blue() + base.blue()) / 2));
  }
};

}  // namespace

ClassLegendModel::ClassLegendModel(ClassSettings* classes, QObject* parent)
    : QAbstractTableModel(parent), classes_(classes) {
  resetAreas();
  const auto reset = [this] {
    beginResetModel();
    resetAreas();
    endResetModel();
  };
  connect(classes, &ClassSettings::classesReset, this, reset);
  connect(classes, &QObject::destroyed, this, reset);
  connect(classes, &ClassSettings::changed, this, [this](int first, int last) {
    emit dataChanged(index(first, kName), index(last, kArea));
  });
}

bool ClassLegendModel::setAreas(const std::vector<double>& shares) {
  if (shares.size() != areas_.size() || areas_.empty()) return false;
  areas_ = shares;
  tell();
  return true;
}

void ClassLegendModel::clearAreas() {
  resetAreas();
  tell();
}

int ClassLegendModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(areas_.size());
}

int ClassLegendModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant ClassLegendModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid) || !classes_) return {};
  if (role == kSoloRole) return classes_->solo() == index.row();
  return index.column() == kName ? nameData(index.row(), role)
                                 : areaData(areas_[static_cast<std::size_t>(index.row())], role);
}

bool ClassLegendModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid) || !classes_ || index.column() != kName ||
      role != Qt::CheckStateRole) {
    return false;
  }
  classes_->setVisible(index.row(), value.toInt() == Qt::Checked);
  return true;
}

QVariant ClassLegendModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == kName ? tr("Class") : tr("Area");
}

Qt::ItemFlags ClassLegendModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  return index.isValid() && index.column() == kName ? flags | Qt::ItemIsUserCheckable : flags;
}

QString ClassLegendModel::percent(double share) {
  return tr("%1%").arg(QLocale().toString(share * 100, 'f', 1));
}

void ClassLegendModel::tell() {
  if (!areas_.empty()) emit dataChanged(index(0, kArea), index(rowCount() - 1, kArea));
}

void ClassLegendModel::resetAreas() {
  areas_.assign(classes_ ? static_cast<std::size_t>(classes_->count()) : 0,
                std::numeric_limits<double>::quiet_NaN());
}

QVariant ClassLegendModel::nameData(int row, int role) const {
  switch (role) {
    case Qt::DisplayRole:
    case kSortRole:
      return classes_->name(row);
    case Qt::DecorationRole:
      return classes_->colour(row);
    case Qt::CheckStateRole:
      return classes_->isVisible(row) ? Qt::Checked : Qt::Unchecked;
    case Qt::ToolTipRole:
      return classes_->solo() == row ? tr("%1: shown alone").arg(classes_->name(row))
                                     : classes_->name(row);
    default:
      return {};
  }
}

QVariant ClassLegendModel::areaData(double area, int role) {
  switch (role) {
    case Qt::DisplayRole:
      return std::isfinite(area) ? percent(area) : tr("–");
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case kSortRole:
      return std::isfinite(area) ? area : -1.0;
    default:
      return {};
  }
}

ClassLegend::ClassLegend(ClassSettings* classes, QWidget* parent)
    : QTableView(parent),
      classes_(classes),
      model_(new ClassLegendModel(classes, this)),
      sorted_(new QSortFilterProxyModel(this)) {
  sorted_->setSourceModel(model_);
  sorted_->setSortRole(ClassLegendModel::kSortRole);
  sorted_->setSortCaseSensitivity(Qt::CaseInsensitive);
  sorted_->setDynamicSortFilter(false);  // rows do not jump under the cursor
  setModel(sorted_);
  setItemDelegateForColumn(ClassLegendModel::kName, new NameDelegate(this));
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setShowGrid(false);
  setTabKeyNavigation(false);
  setWordWrap(false);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setSectionResizeMode(ClassLegendModel::kName, QHeaderView::Stretch);
  horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  horizontalHeader()->setSortIndicatorClearable(true);
  setSortingEnabled(true);
  setAccessibleName(tr("Classes"));
  setAccessibleDescription(
      tr("Space shows or hides a class, Enter shows only that class; the menu key offers more."));
  connect(this, &QTableView::doubleClicked, this, &ClassLegend::toggleSolo);
}

void ClassLegend::sortAgain() {
  if (underMouse() || hasFocus()) return;
  if (!std::exchange(ordered_, true) && horizontalHeader()->sortIndicatorSection() < 0)
    return sortByColumn(ClassLegendModel::kArea, Qt::DescendingOrder);
  sorted_->sort(sorted_->sortColumn(), sorted_->sortOrder());
}

void ClassLegend::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
      return toggleSolo(currentIndex());
    case Qt::Key_Space:
      return toggleShown(currentIndex());
    default:
      QTableView::keyPressEvent(event);
  }
}

void ClassLegend::contextMenuEvent(QContextMenuEvent* event) {
  if (!classes_) return;
  QMenu menu(this);
  const QModelIndex index = currentIndex();
  QAction* alone = menu.addAction(tr("Show &only this, or all again"), this,
                                  [this, index] { toggleSolo(index); });
  alone->setEnabled(index.isValid());
  menu.addAction(tr("&Show all"), this, [this] { classes_->setAllVisible(true); });
  menu.addAction(tr("&Hide all"), this, [this] { classes_->setAllVisible(false); });
  menu.exec(event->globalPos());
}

void ClassLegend::showEvent(QShowEvent* event) {
  if (!sized_) {
    sized_ = true;
    const int areaWidth = fontMetrics().horizontalAdvance(tr("%1%").arg(QStringLiteral("100.0")));
    constexpr int kMargins = 26;
    setColumnWidth(ClassLegendModel::kArea,  // a title may be long in a language
                   std::max(areaWidth + kMargins,
                            horizontalHeader()->sectionSizeHint(ClassLegendModel::kArea)));
  }
  QTableView::showEvent(event);
}

void ClassLegend::toggleSolo(const QModelIndex& index) {
  if (!classes_ || !index.isValid()) return;
  const int row = sorted_->mapToSource(index).row();
  classes_->setSolo(classes_->solo() == row ? -1 : row);
}

void ClassLegend::toggleShown(const QModelIndex& index) {
  if (!classes_ || !index.isValid()) return;
  const int row = sorted_->mapToSource(index).row();
  classes_->setVisible(row, !classes_->isVisible(row));
}

}  // namespace mpm::gui
