// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/class_legend.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLocale>
#include <QMenu>
#include <QPainter>
#include <QPainterPath>
#include <QSortFilterProxyModel>
#include <QStyle>
#include <QStyledItemDelegate>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mpm::gui {
namespace {

/// Draws ClassLegendModel::kHistoryRole as a line from its least to its largest value. A gap where
/// values are not known.
class SparklineDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    QStyleOptionViewItem ground = option;
    initStyleOption(&ground, index);
    ground.text.clear();
    const QStyle* style = option.widget ? option.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &ground, painter, option.widget);
    const auto values = index.data(ClassLegendModel::kHistoryRole).value<QVector<double>>();
    const bool selected = option.state & QStyle::State_Selected;
    const QPainterPath line = lineThrough(values, QRectF(option.rect).adjusted(6, 5, -6, -5));
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(Qt::NoBrush);
    painter->setPen(
        QPen(option.palette.color(selected ? QPalette::HighlightedText : QPalette::Text), 1.4));
    painter->drawPath(line);
    painter->restore();
  }

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    constexpr int kWidth = 90;
    return {kWidth, QStyledItemDelegate::sizeHint(option, index).height()};
  }

 private:
  static constexpr double kLeastRange = 0.01;  // of the picture: less is shown as nearly flat
  static QPainterPath lineThrough(const QVector<double>& values, const QRectF& box) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const double value : values) {
      if (std::isnan(value)) continue;
      least = std::min(least, value);
      most = std::max(most, value);
    }
    QPainterPath path;
    if (!(most >= least)) return path;
    const double range = std::max(most - least, kLeastRange), middle = (least + most) / 2;
    // The newest value stands at the right border, however few there are.
    const double step = box.width() / (ClassLegendModel::kMostPoints - 1);
    bool open = false;
    for (qsizetype i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) {
        open = false;
        continue;
      }
      const QPointF point(box.right() - static_cast<double>(values.size() - 1 - i) * step,
                          box.center().y() - (values[i] - middle) / range * box.height());
      open ? path.lineTo(point) : path.moveTo(point);
      if (!open) path.lineTo(point + QPointF(0.5, 0));  // one value alone is a dot
      open = true;
    }
    return path;
  }
};

// The name of the class that is shown alone stands out.
class NameDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    option->font.setBold(index.data(ClassLegendModel::kSoloRole).toBool());
    // Styles derive a check box's frame from the window's colour, which a dark one hides.
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
    emit dataChanged(index(first, kName), index(last, kHistory));
  });
}

bool ClassLegendModel::addAreas(const std::vector<double>& shares, qint64 steadyMs) {
  if (shares.size() != areas_.size() || areas_.empty()) return false;
  if (pointSinceMs_ < 0 || steadyMs < pointSinceMs_) pointSinceMs_ = steadyMs;
  // A gap is as many unknown points, and no more than there is room for.
  for (int i = 0; i <= kMostPoints && steadyMs - pointSinceMs_ >= kStepMs; ++i) {
    finishPoint();
    pointSinceMs_ += kStepMs;
  }
  if (steadyMs - pointSinceMs_ >= kStepMs) pointSinceMs_ = steadyMs;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    areas_[i].known = std::isfinite(shares[i]);
    areas_[i].now = areas_[i].known ? shares[i] : 0;
    if (!areas_[i].known) continue;
    areas_[i].sum += shares[i];
    ++areas_[i].count;
  }
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
  const Area& area = areas_[static_cast<std::size_t>(index.row())];
  switch (index.column()) {
    case kName:
      return nameData(index.row(), role);
    case kArea:
      return areaData(area, role);
    case kHistory:
      return historyData(area, role);
    default:
      return {};
  }
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
  switch (section) {
    case kName:
      return tr("Class");
    case kArea:
      return tr("Area");
    case kHistory:
      return tr("Recent");
    default:
      return {};
  }
}

Qt::ItemFlags ClassLegendModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  return index.isValid() && index.column() == kName ? flags | Qt::ItemIsUserCheckable : flags;
}

QString ClassLegendModel::percent(double share) {
  return tr("%1%").arg(QLocale().toString(share * 100, 'f', 1));
}

void ClassLegendModel::tell() {
  if (!areas_.empty()) emit dataChanged(index(0, kArea), index(rowCount() - 1, kHistory));
}

void ClassLegendModel::resetAreas() {
  areas_.assign(classes_ ? static_cast<std::size_t>(classes_->count()) : 0, {});
  pointSinceMs_ = -1;
}

void ClassLegendModel::finishPoint() {
  for (Area& area : areas_) {
    if (area.history.size() >= kMostPoints) area.history.removeFirst();
    area.history.push_back(area.count > 0 ? area.sum / area.count
                                          : std::numeric_limits<double>::quiet_NaN());
    area.sum = 0;
    area.count = 0;
  }
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

QVariant ClassLegendModel::areaData(const Area& area, int role) const {
  switch (role) {
    case Qt::DisplayRole:
      return area.known ? percent(area.now) : tr("–");
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case kSortRole:
      return area.known ? area.now : -1.0;
    default:
      return {};
  }
}

QVariant ClassLegendModel::historyData(const Area& area, int role) const {
  if (role == kHistoryRole) return QVariant::fromValue(area.history);
  if (role != Qt::AccessibleTextRole && role != Qt::ToolTipRole && role != kSortRole) return {};
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const double value : area.history) {
    if (std::isnan(value)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (role == kSortRole) return most >= least ? most - least : -1.0;
  return most >= least ? tr("from %1 to %2").arg(percent(least), percent(most))
                       : tr("not known yet");
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
  setItemDelegateForColumn(ClassLegendModel::kHistory, new SparklineDelegate(this));
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
      tr("Space shows or hides a class, Enter shows it alone, the menu key has more."));
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
  QAction* alone =
      menu.addAction(tr("Show &alone, or all again"), this, [this, index] { toggleSolo(index); });
  alone->setEnabled(index.isValid());
  menu.addAction(tr("&Show all"), this, [this] { classes_->setAllVisible(true); });
  menu.addAction(tr("&Hide all"), this, [this] { classes_->setAllVisible(false); });
  menu.exec(event->globalPos());
}

void ClassLegend::resizeEvent(QResizeEvent* event) {
  constexpr int kLeastForHistory = 250;
  setColumnHidden(ClassLegendModel::kHistory, width() < kLeastForHistory);
  QTableView::resizeEvent(event);
}

void ClassLegend::showEvent(QShowEvent* event) {
  if (!sized_) {
    sized_ = true;
    const int areaWidth = fontMetrics().horizontalAdvance(tr("%1%").arg(QStringLiteral("100.0")));
    constexpr int kMargins = 26, kHistoryWidth = 72;
    const auto atLeast = [this](int column, int width) {  // a title may be long in a language
      setColumnWidth(column, std::max(width, horizontalHeader()->sectionSizeHint(column)));
    };
    atLeast(ClassLegendModel::kArea, areaWidth + kMargins);
    atLeast(ClassLegendModel::kHistory, kHistoryWidth);
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
