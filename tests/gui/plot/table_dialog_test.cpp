// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/table_dialog.h"

#include <gtest/gtest.h>

#include <QClipboard>
#include <QGuiApplication>
#include <QPushButton>
#include <QTest>

#include "gui/plot/step_bars.h"

namespace mpm::gui {
namespace {

TEST(TableDialog, AKeyShowsWhatThePlotShowsAndCopiesIt) {
  StepBars bars;
  bars.setAccessibleName("Steps");
  bars.setSteps({{"Prepare", 2, 0}, {"Network", 30, 0}});
  bars.show();
  bars.setFocus();
  bars.tableAction()->trigger();
  auto* dialog = bars.findChild<TableDialog*>();
  ASSERT_TRUE(dialog);
  EXPECT_TRUE(dialog->isVisible());
  EXPECT_EQ(dialog->windowTitle(), "Steps");
  EXPECT_EQ(dialog->table()->model()->rowCount(), 2);
  for (QPushButton* button : dialog->findChildren<QPushButton*>()) {
    if (button->text().contains("CSV")) button->click();
  }
  EXPECT_TRUE(QGuiApplication::clipboard()->text().startsWith("step,depth,ms\r\n"));
  dialog->close();
}

}  // namespace
}  // namespace mpm::gui
