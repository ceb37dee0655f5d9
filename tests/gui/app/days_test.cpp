// SPDX-License-Identifier: Apache-2.0
#include "gui/app/days.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QTemporaryDir>
#include <QTest>

#include "gui/app/main_window.h"
#include "gui/app/small_street.h"
#include "gui/hands.h"
#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

// Seen: the days were of the first metric and a week again after every start.
TEST(DaysOfTheWindow, MetricAndSpanAreFoundAgain) {
  const QTemporaryDir folder;
  AppOptions options = smallStreet();
  options.record = folder.filePath("record.sqlite");
  Settings settings = withOptions({}, options);
  MainWindow window(settings);
  window.show();
  ASSERT_TRUE(waitFor([&] { return window.live().newest() != nullptr; }));
  ASSERT_TRUE(hands::press(window, QKeySequence(Qt::Key_F3)));
  DaysWindow* days = window.days().window();
  ASSERT_NE(days, nullptr);
  const auto boxes = days->findChildren<QComboBox*>();
  QComboBox* metric = boxes[0]->accessibleName() == "Metric of the days" ? boxes[0] : boxes[1];
  QComboBox* span = metric == boxes[0] ? boxes[1] : boxes[0];
  ASSERT_TRUE(waitFor([&] {
    days->refresh();
    QTest::qWait(200);
    return metric->count() > 2;
  }));
  for (QComboBox* box : {metric, span}) {
    box->setFocus();
    QTest::keyClick(box, Qt::Key_Down);
    QTest::keyClick(box, Qt::Key_Down);
  }
  const QString chosen = metric->currentData().toString();
  EXPECT_NE(chosen, metric->itemData(0).toString());
  EXPECT_EQ(span->currentIndex(), 2);
  ASSERT_TRUE(
      waitFor([&] { return readSettings().daysMetric == chosen && readSettings().daysSpan == 2; }));
  DaysWindow next;
  next.choose(readSettings().daysMetric, readSettings().daysSpan);
  next.setRecord(folder.filePath("record.sqlite"), sourceName(*options.source), 4);
  next.show();
  QComboBox* found = nullptr;
  for (QComboBox* box : next.findChildren<QComboBox*>())
    if (box->accessibleName() == "Metric of the days") found = box;
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(waitFor([&] { return found->currentData().toString() == chosen; }));
}

}  // namespace
}  // namespace mpm::gui
