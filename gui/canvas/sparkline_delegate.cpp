// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/sparkline_delegate.h"

#include <QApplication>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/canvas/class_legend_model.h"

namespace mpm::gui {
namespace {

constexpr double kLeastRange = 0.01;  // of the picture: less is shown as nearly flat

QPainterPath lineThrough(const QVector<double>& values, const QRectF& box) {
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

}  // namespace

void SparklineDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const {
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

QSize SparklineDelegate::sizeHint(const QStyleOptionViewItem& option,
                                  const QModelIndex& index) const {
  constexpr int kWidth = 90;
  return {kWidth, QStyledItemDelegate::sizeHint(option, index).height()};
}

}  // namespace mpm::gui
