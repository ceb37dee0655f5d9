// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/sparkline_delegate.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QPainter>
#include <QStandardItemModel>
#include <limits>

#include "gui/canvas/class_legend_model.h"

namespace mpm::gui {
namespace {

class SparklineDelegateTest : public testing::Test {
 protected:
  // How many columns of the cell have something drawn in them.
  int drawn(const QVector<double>& values) {
    QStandardItemModel model(1, 1);
    model.setData(model.index(0, 0), QVariant::fromValue(values), ClassLegendModel::kHistoryRole);
    QImage image(132, 30, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    QStyleOptionViewItem option;
    option.rect = image.rect();
    SparklineDelegate().paint(&painter, option, model.index(0, 0));
    painter.end();
    int columns = 0;
    for (int x = 0; x < image.width(); ++x) {
      bool any = false;
      for (int y = 0; y < image.height(); ++y) any = any || qGray(image.pixel(x, y)) < 128;
      columns += any;
    }
    return columns;
  }
};

TEST_F(SparklineDelegateTest, DrawsValuesAndLeavesGaps) {
  EXPECT_EQ(drawn({}), 0);
  EXPECT_GE(drawn({0.5}), 1);
  QVector<double> values(ClassLegendModel::kMostPoints, 0.5);
  EXPECT_GE(drawn(values), 118);
  for (int i = 40; i < 80; ++i) values[i] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NEAR(drawn(values), 80, 4);
  EXPECT_EQ(drawn(QVector<double>(5, std::numeric_limits<double>::quiet_NaN())), 0);
}

}  // namespace
}  // namespace mpm::gui
