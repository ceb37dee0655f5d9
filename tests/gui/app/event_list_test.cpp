// SPDX-License-Identifier: Apache-2.0
#include "gui/app/event_list.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

namespace mpm::gui {
namespace {

TEST(EventList, KeepsTheLastThousandTheNewestFirst) {
  EventList list;
  const QAbstractItemModelTester tester(&list,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  for (int i = 0; i < 1200; ++i) list.add("light", QString::number(i), i * 1000);
  EXPECT_EQ(list.rowCount(), 1000);
  EXPECT_EQ(list.data(list.index(0, 2)).toString(), "1199");
  EXPECT_EQ(list.data(list.index(999, 2)).toString(), "200");
  EXPECT_EQ(list.data(list.index(0, 1)).toString(), "light");
  EXPECT_FALSE(list.headerData(2, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
}

}  // namespace
}  // namespace mpm::gui
