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
  list.add({"source", "live", "long ago", 1000, {}, "gate"});
  list.add({"app", "", "said", 50'000});
  list.add({"light", "day", "just now", 50'000, {}, "gate"});
  list.add({"rule", "next", "still to come", 51'000, {}, "gate"});
  EXPECT_FALSE(list.wantsPicture("yard", 50'200)) << "of another source";
  EXPECT_TRUE(list.wantsPicture("gate", 50'200));
  list.addPicture("gate", 50'200, grey());
  EXPECT_TRUE(list.entry(0).picture.isNull());
  EXPECT_FALSE(list.entry(1).picture.isNull());
  EXPECT_TRUE(list.entry(2).picture.isNull()) << "no picture of the source";
  EXPECT_TRUE(list.entry(3).picture.isNull());
  EXPECT_FALSE(list.wantsPicture("gate", 50'300));
}

TEST(EventList, WhatKeptAClipHasASignOnItsPicture) {
  EventList list;
  const EventList::Entry alert{"rule", "cars", "Rule 'cars' began: it did.", 1000, {}, "gate"};
  list.add(alert);
  list.add({"rule", "cars", "Rule 'cars' ended after 2 s: it did not.", 1000, {}, "gate"});
  EXPECT_TRUE(list.entry(1).isAlert() && !list.entry(0).isAlert());
  EXPECT_EQ(list.entry(1).reason(), "it did.");
  const auto pictured = [&](int row) {
    return list.data(list.index(row, 0), Qt::DecorationRole).value<QImage>();
  };
  list.addPicture("gate", 1500, grey());
  EXPECT_EQ(pictured(1), pictured(0));
  list.keep(alert, {"a.avi", ""});
  EXPECT_EQ(list.entry(1).kept.clip, "a.avi");
  EXPECT_TRUE(list.entry(0).kept == EventList::Kept());
  EXPECT_NE(pictured(1), pictured(0));
  EXPECT_EQ(list.entry(1).picture, list.entry(0).picture) << "the picture itself has none";
  list.add({"rule", "blind", "Rule 'blind' began: it did.", 90'000, {}, "gate", {"b.avi", ""}});
  EXPECT_FALSE(pictured(0).isNull()) << "also without a picture";
}

TEST(EventList, WhatTheRecordKnowsComesInItsOrderAndGoesWithTheSource) {
  EventList list;
  list.add({"app", "", "said", 9000});
  list.addOlder(
      {{"rule", "b", "later", 8000, {}, "gate"}, {"rule", "a", "earlier", 7000, {}, "gate"}});
  list.addOlder(
      {{"rule", "d", "between", 7500, {}, "yard"}, {"rule", "c", "first", 6000, {}, "yard"}});
  const auto texts = [&] {
    QStringList all;
    for (int row = 0; row < list.rowCount(); ++row) all << list.entry(row).text;
    return all;
  };
  EXPECT_EQ(texts(), QStringList({"said", "later", "between", "earlier", "first"}));
  list.forget("gate");
  EXPECT_EQ(texts(), QStringList({"said", "between", "first"}));
}

TEST(EventList, SourcesAreNamedInWhatHappenedBeforeAsWell) {
  EventList list;
  list.add({"light", "day", "the light is day", 1000, {}, "gate"});
  const auto words = [&] { return list.item(0, 2)->text(); };
  EXPECT_EQ(words(), "the light is day");
  list.setNames({{"gate", "The gate"}});
  EXPECT_EQ(words(), "The gate: the light is day");
  list.add({"light", "day", "the light is night", 2000, {}, "gate"});
  EXPECT_EQ(words(), "The gate: the light is night");
  EXPECT_EQ(list.entry(0).text, "the light is night");
  list.add({"app", "", "said", 3000});
  EXPECT_EQ(words(), "said");
}

}  // namespace
}  // namespace mpm::gui
