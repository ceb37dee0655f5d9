// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/plot.h"

#include <gtest/gtest.h>

#include <QClipboard>
#include <QDialog>
#include <QGuiApplication>
#include <QPushButton>
#include <QTableView>

#include "gui/plot/palettes.h"
#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

/// One number, drawn as a stroke along the diagonal.
class OneNumber : public Plot {
 public:
  OneNumber() : Plot({100, 60}, {10, 10}) { changed(); }
  void set(int number) {
    number_ = number;
    changed();
  }
  bool exportCsv(QIODevice& device) const override { return device.write("number\r\n") > 0; }
  QString summary() const override { return QString("It is %1.").arg(number_); }

  mutable int drawn = 0;
  mutable double ratio = 0;

 protected:
  void draw(QPainter& painter, QSize size) const override {
    ++drawn;
    ratio = painter.device()->devicePixelRatioF();
    painter.setPen(palette().color(QPalette::Text));
    painter.drawLine(0, 0, size.width() - 1, size.height() - 1);
  }
  PlotTable::Contents contents() const override {
    return {{"Number"}, {{0, 0}}, [number = number_](int, int) {
              return PlotTable::Cell{QString::number(number), number};
            }};
  }

 private:
  int number_ = 1;
};

TEST(Plot, AnImageIsOfTheSizeAskedFor) {
  OneNumber plot;
  plot.setPalette(testing::darkPalette());
  const QImage image = plot.image({300, 150});
  EXPECT_EQ(image.size(), QSize(300, 150));
  EXPECT_EQ(image.pixelColor(0, 149), testing::darkPalette().color(QPalette::Base));
  EXPECT_EQ(image.pixelColor(0, 0), testing::darkPalette().color(QPalette::Text));
  EXPECT_TRUE(plot.image({}).isNull());
  EXPECT_TRUE(plot.image({-3, 10}).isNull());
}

TEST(Plot, DrawsAgainOnlyWhenSomethingChanged) {
  OneNumber plot;
  plot.resize(100, 60);
  plot.grab();
  const int before = plot.drawn;
  plot.grab();
  EXPECT_EQ(plot.drawn, before);
  plot.set(2);
  plot.grab();
  EXPECT_EQ(plot.drawn, before + 1);
  plot.setPalette(testing::darkPalette());
  plot.grab();
  EXPECT_EQ(plot.drawn, before + 2);
  plot.resize(120, 60);
  plot.grab();
  EXPECT_EQ(plot.drawn, before + 3);
}

TEST(Plot, TheTableFollows) {
  OneNumber plot;
  QAbstractTableModel* table = plot.table();
  EXPECT_EQ(table->index(0, 0).data().toString(), "1");
  plot.set(2);
  EXPECT_TRUE(waitFor([&] { return table->index(0, 0).data().toString() == "2"; }));
  plot.set(3);
  EXPECT_EQ(plot.table()->index(0, 0).data().toString(), "3");
  EXPECT_EQ(plot.table(), table);
}

TEST(Plot, DescribesItself) {
  OneNumber plot;
  EXPECT_EQ(plot.accessibleDescription(), "It is 1.");
  plot.set(2);
  EXPECT_EQ(plot.accessibleDescription(), "It is 1.");  // not every time
}

TEST(Plot, AKeyShowsTheTableInAWindowAndCopiesIt) {
  OneNumber plot;
  plot.setAccessibleName("Steps");
  plot.show();
  plot.tableAction()->trigger();
  auto* dialog = plot.findChild<QDialog*>();
  ASSERT_TRUE(dialog);
  EXPECT_TRUE(dialog->isVisible());
  EXPECT_EQ(dialog->windowTitle(), "Steps");
  EXPECT_EQ(dialog->findChild<QTableView*>()->model()->rowCount(), 1);
  for (QPushButton* button : dialog->findChildren<QPushButton*>()) {
    if (button->text().contains("CSV")) button->click();
  }
  EXPECT_EQ(QGuiApplication::clipboard()->text(), "number\r\n");
  dialog->close();
}

}  // namespace
}  // namespace mpm::gui
