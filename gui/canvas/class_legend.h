// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gui/canvas/class_legend_model.h"

namespace mpm::gui {

/// Draws ClassLegendModel::kHistoryRole as a line from its least to its largest value. A gap where
/// values are not known.
class SparklineDelegate : public QStyledItemDelegate {
  Q_OBJECT

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

/// The classes in a table that can be sorted. The check box (or Space) shows and hides a class, a
/// double click or Enter shows it alone, once more all that were shown before; a menu shows or
/// hides all.
class ClassLegend : public QTableView {
  Q_OBJECT

 public:
  explicit ClassLegend(ClassSettings* classes, QWidget* parent = nullptr)
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

  ClassLegendModel* classModel() const { return model_; }

  /// Brings the rows into the order that is chosen, of what areas are now, unless somebody is at
  /// them: the largest comes first until another order is chosen.
  void sortAgain() {
    if (underMouse() || hasFocus()) return;
    if (!std::exchange(ordered_, true) && horizontalHeader()->sortIndicatorSection() < 0)
      return sortByColumn(ClassLegendModel::kArea, Qt::DescendingOrder);
    sorted_->sort(sorted_->sortColumn(), sorted_->sortOrder());
  }

 protected:
  void keyPressEvent(QKeyEvent* event) override {
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

  void contextMenuEvent(QContextMenuEvent* event) override {
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

  // A narrow table has names instead of lines.
  void resizeEvent(QResizeEvent* event) override {
    constexpr int kLeastForHistory = 250;
    setColumnHidden(ClassLegendModel::kHistory, width() < kLeastForHistory);
    QTableView::resizeEvent(event);
  }

  void showEvent(QShowEvent* event) override {
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

 private:
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

  void toggleSolo(const QModelIndex& index) {
    if (!classes_ || !index.isValid()) return;
    const int row = sorted_->mapToSource(index).row();
    classes_->setSolo(classes_->solo() == row ? -1 : row);
  }

  void toggleShown(const QModelIndex& index) {
    if (!classes_ || !index.isValid()) return;
    const int row = sorted_->mapToSource(index).row();
    classes_->setVisible(row, !classes_->isVisible(row));
  }

  QPointer<ClassSettings> classes_;
  ClassLegendModel* model_;
  QSortFilterProxyModel* sorted_;
  bool sized_ = false, ordered_ = false;
};

}  // namespace mpm::gui
