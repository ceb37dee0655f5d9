// SPDX-License-Identifier: Apache-2.0
#include "gui/app/event_list.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

namespace mpm::gui {
namespace {

QImage grey() {
  QImage image(8, 6, QImage::Format_RGB32);
  image.fill(Qt::gray);
  return image;
}

TEST(EventList, KeepsTheLastThousandTheNewestFirst) {
  EventList list;
  const QAbstractItemModelTester tester(&list,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  for (int i = 0; i < 1200; ++i) list.add({"light", "day", QString::number(i), i * 1000, grey()});
  EXPECT_EQ(list.rowCount(), 1000);
  EXPECT_EQ(list.data(list.index(0, 2)).toString(), "1199");
  EXPECT_EQ(list.data(list.index(999, 2)).toString(), "200");
  EXPECT_EQ(list.data(list.index(0, 1)).toString(), "light");
  EXPECT_FALSE(list.headerData(2, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
  EXPECT_FALSE(list.entry(199).picture.isNull());
  EXPECT_TRUE(list.entry(200).picture.isNull()) << "pictures are few, so that memory is";
}

// The plot and whoever compares look at what the monitor said.
TEST(EventList, KeepsWhatTheMonitorSaidBesideWhatIsShown) {
  EventList list;
  list.add({"light", "no_signal", "the light is no_signal", 0});
  EXPECT_EQ(list.data(list.index(0, 2)).toString(), "the light is without signal");
  EXPECT_EQ(list.entry(0).text, "the light is no_signal");
  EXPECT_EQ(list.entry(0).kind, "light");
}

TEST(EventList, TellsTheSecond) {
  EventList list;
  const QDateTime at(QDate(2026, 11, 23), QTime(13, 4, 59));
  list.add({"rule", "gate", "Rule 'gate' began.", at.toMSecsSinceEpoch()});
  EXPECT_TRUE(list.data(list.index(0, 0)).toString().endsWith("13:04:59"));
  EXPECT_EQ(list.entry(0).name, "gate");
}

TEST(EventList, APictureIsThatOfWhatHappenedJustBefore) {
  EventList list;
  list.add({"source", "live", "long ago", 1000});
  list.add({"app", "", "said", 50'000, {}, false});
  list.add({"light", "day", "just now", 50'000});
  list.add({"rule", "next", "still to come", 51'000});
  EXPECT_TRUE(list.wantsPicture(50'200));
  list.addPicture(50'200, grey());
  EXPECT_TRUE(list.entry(0).picture.isNull());
  EXPECT_FALSE(list.entry(1).picture.isNull());
  EXPECT_TRUE(list.entry(2).picture.isNull()) << "no picture of the source";
  EXPECT_TRUE(list.entry(3).picture.isNull());
  EXPECT_FALSE(list.wantsPicture(50'300));
}

TEST(EventList, WhatTheRecordKnowsComesBehindAndGoesWithTheSource) {
  EventList list;
  list.add({"app", "", "said", 9000, {}, false});
  list.addOlder({{"rule", "b", "later", 8000}, {"rule", "a", "earlier", 7000}});
  ASSERT_EQ(list.rowCount(), 3);
  EXPECT_EQ(list.entry(1).text, "later");
  EXPECT_EQ(list.entry(2).text, "earlier");
  list.forgetSource();
  ASSERT_EQ(list.rowCount(), 1);
  EXPECT_EQ(list.entry(0).text, "said");
}

}  // namespace
}  // namespace mpm::gui
