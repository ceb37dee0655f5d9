// SPDX-License-Identifier: Apache-2.0
// What happened: as it is listed, with its picture and its clip, and as it is told on the desktop.
#include "gui/app/events_panel.h"

#include <gtest/gtest.h>

#include "gui/app/clips.h"
#include "gui/app/watched.h"
#include "gui/hands.h"
#include "monitor/record/sample_record.h"
#include "monitor/service/clips.h"

namespace mpm::gui {
namespace {

QStringList wordsOf(const EventList& list) {
  QStringList all;
  for (int row = 0; row < list.rowCount(); ++row) all << list.words(row);
  return all;
}

QImage grey() {
  QImage image(8, 6, QImage::Format_RGB32);
  image.fill(Qt::gray);
  return image;
}

// Guards against listing only the first camera's past on a wall.
TEST(EventsPanel, WhatHappenedBeforeIsListedOfEachSource) {
  const monitor::Folder folder;
  const std::string file = folder / "a.sqlite";
  {
    monitor::Record record(file);
    for (const std::string source : {"gate", "yard"}) {
      const std::int64_t run = record.beginRun(monitor::sampleRun(source));
      const std::int64_t at = monitor::kNoon + (source == "gate" ? 2000 : 1000);
      record.write(run, monitor::Event{{0, at, 0, true}, "light", "", "the light is day", {}});
    }
    ASSERT_TRUE(record.flush(monitor::kDiskMs));
  }
  const EventsPanel::Source gate{"rtsp://gate", "gate", "The gate"},
      yard{"rtsp://yard", "yard", "The yard"}, other{"/dev/video0", "video0", "Another"};
  Watched watched;
  EventsPanel panel(watched.session);
  panel.list().add({"app", "", "said", monitor::kNoon + 9000});
  const QString first = "the light is day", ofGate = "The gate: " + first,
                ofYard = "The yard: " + first;
  const std::pair<QList<EventsPanel::Source>, QStringList> sequence[]{
      {{gate}, {"said", first}},
      {{gate, yard}, {"said", ofGate, ofYard}},
      {{gate}, {"said", first, ofYard}},         // it did happen
      {{gate, yard}, {"said", ofGate, ofYard}},  // once
      {{other, yard}, {"said", ofYard}},
      {{yard, gate}, {"said", ofGate, ofYard}},
      {{gate}, {"said", first, ofYard}}};
  for (const auto& [sources, words] : sequence) {
    panel.begin(QString::fromStdString(file), sources, monitor::kNoon + 5000);
    EXPECT_TRUE(waitFor([&, &wanted = words] { return wordsOf(panel.list()) == wanted; }))
        << qPrintable(wordsOf(panel.list()).join("; "));
  }
  EXPECT_EQ(panel.list().entry(2).source, "rtsp://yard");
}

class KeptEvents : public ::testing::Test {
 protected:
  static constexpr std::int64_t kAlertMs = monitor::kNoon + 2000;

  KeptEvents() {
    run_ = record_.beginRun(monitor::sampleRun("gate"));
    panel_.resize(600, 300);
    panel_.show();
  }
  static monitor::Event eventOf(const std::string& rule) {
    return {{0, kAlertMs, 0, true}, "rule", rule, "Rule '" + rule + "' began: it did.", {}};
  }
  template <class What>
  void write(const What& what) {
    record_.write(run_, what);
    ASSERT_TRUE(record_.flush(monitor::kDiskMs));
  }
  // Writes a clip of these rules that ends this long after the alert.
  void writeClip(const std::string& reason, std::int64_t afterMs) {
    monitor::Snapshot snapshot;
    snapshot.taken = {0, kAlertMs - 1000, 0, true};
    snapshot.reason = reason;
    snapshot.facts = "{\"from_utc_ms\": " + std::to_string(kAlertMs - 6000) +
                     ", \"to_utc_ms\": " + std::to_string(kAlertMs + afterMs) + "}";
    snapshot.clip =
        record_.snapshotFolder() / ("growing-" + std::to_string(++clips_) + ".clip.avi");
    std::filesystem::create_directories(snapshot.clip.parent_path());
    monitor::ClipWriter(snapshot.clip.string(), 10).add(cv::Mat(48, 64, CV_8UC3, cv::Scalar(9)), 5);
    write(snapshot);
  }
  void writePicture(const std::string& reason) {
    write(monitor::Snapshot{{0, kAlertMs, 0, true},
                            reason,
                            cv::Mat(8, 8, CV_8U, cv::Scalar(1)),
                            cv::Mat(8, 8, CV_8UC3, cv::Scalar::all(99)),
                            "{}"});
  }
  // Begins and waits until this many events are listed.
  void begin(int rows = 1) {
    panel_.begin(QString::fromStdString(folder_ / "a.sqlite"), {{"rtsp://gate", "gate", "Gate"}},
                 monitor::kNoon + 60'000);
    ASSERT_TRUE(waitFor([&] { return panel_.list().rowCount() == rows; }));
  }
  QPoint row() { return panel_.view()->visualRect(panel_.list().index(0, 2)).center(); }
  // Returns what a click on the only event shows: "nothing", "a clip" or "a picture".
  std::string clicked() {
    QTest::mouseClick(panel_.view()->viewport(), Qt::LeftButton, {}, row());
    if (panel_.player() == nullptr) return said_.isEmpty() ? "not a word" : "nothing";
    EXPECT_EQ(panel_.player()->fault(), QString());
    EXPECT_TRUE(panel_.player()->isVisible() && said_.isEmpty());
    if (panel_.player()->frames() > 0) return "a clip";
    return panel_.player()->picture().isNull() ? "an empty one" : "a picture";
  }

  const monitor::Folder folder_;
  monitor::Record record_{folder_ / "a.sqlite"};
  std::int64_t run_ = 0;
  int clips_ = 0;
  Watched watched_;
  EventsPanel panel_{watched_.session};
  QSignalSpy said_{&watched_.session, &Session::said};
};

TEST_F(KeptEvents, AClickPlaysTheClipOfAnAlertOfTheRecord) {
  write(eventOf("cars, all"));
  writeClip("dogs, cars, all", 10'000);
  begin();
  EXPECT_EQ(clicked(), "a clip");
  EXPECT_TRUE(panel_.player()->windowTitle().contains("cars, all"));
}

TEST_F(KeptEvents, AClipOfAnotherRuleOrTimeIsNone) {
  write(eventOf("cars"));
  writeClip("cars of others", 10'000);
  writeClip("cars", -3'000);
  begin();
  EXPECT_EQ(clicked(), "nothing") << "its moment is to be shown, of a camera that is not watched";
}

// Guards against showing the moment in the plot although a picture was kept.
TEST_F(KeptEvents, ASnapshotOfATroubleOfTheCameraIsShownAsAPicture) {
  write(monitor::Event{{0, kAlertMs, 0, true}, "camera", "covered", "the camera is covered", {}});
  writePicture("camera covered");
  begin();
  EXPECT_EQ(clicked(), "a picture");
}

TEST_F(KeptEvents, ASnapshotOfAnAlertIsShownAndTheMenuOffersThePlotAsWell) {
  write(eventOf("cars"));
  writePicture("cars");
  begin();
  emit panel_.view()->customContextMenuRequested(row());
  auto* menu = panel_.findChild<QMenu*>();
  ASSERT_TRUE(menu != nullptr && menu->actions().size() == 2);
  menu->actions()[1]->trigger();
  EXPECT_EQ(said_.size(), 1);
  EXPECT_EQ(panel_.player(), nullptr);
  menu->actions()[0]->trigger();
  EXPECT_NE(panel_.player(), nullptr);
  menu->close();
  said_.clear();
  EXPECT_EQ(clicked(), "a picture");
}

TEST_F(KeptEvents, AClipThatComesLaterIsFound) {
  begin(0);
  panel_.hear(eventOf("cars"), "rtsp://gate", nullptr);
  ASSERT_EQ(panel_.list().rowCount(), 1);
  const EventList::Entry alert = panel_.list().entry(0);
  panel_.reveal(alert);
  EXPECT_EQ(said_.size(), 1) << "nothing is kept yet";
  writeClip("cars", 10'000);
  const auto row = [&] { return panel_.list().rowOf(alert); };
  EXPECT_TRUE(waitFor([&] { return !panel_.list().entry(row()).kept.clip.isEmpty(); }));
  panel_.reveal(alert);
  EXPECT_EQ(panel_.view()->currentIndex().row(), row());
  ASSERT_NE(panel_.player(), nullptr);
  EXPECT_TRUE(panel_.player()->isPlaying()) << qPrintable(panel_.player()->fault());
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

// The plot and the comparison read the monitor's own words.
TEST(EventList, TellsTheSecondTheNameOfTheSourceAndWhatTheMonitorSaidInItsWords) {
  EventList list;
  const QDateTime at(QDate(2026, 11, 23), QTime(13, 4, 59));
  list.add({"light", "no_signal", "the light is no_signal", at.toMSecsSinceEpoch(), {}, "gate"});
  EXPECT_TRUE(list.data(list.index(0, 0)).toString().endsWith("13:04:59"));
  EXPECT_EQ(list.words(0), "the light is without signal");
  EXPECT_EQ(list.data(list.index(0, 2)).toString(), list.words(0));
  EXPECT_EQ(list.entry(0).text, "the light is no_signal");
  list.setNames({{"gate", "The gate"}});
  list.add({"light", "day", "the light is night", 2000, {}, "gate"});
  list.add({"app", "", "said", 3000});
  EXPECT_EQ(wordsOf(list), (QStringList{"said", "The gate: the light is night",
                                        "The gate: the light is without signal"}));
}

TEST(EventList, APictureIsThatOfWhatHappenedJustBefore) {
  EventList list;
  list.add({"source", "live", "long ago", 1000, {}, "gate"});
  list.add({"app", "", "said", 50'000});  // no picture of the source
  list.add({"light", "day", "just now", 50'000, {}, "gate"});
  list.add({"rule", "next", "still to come", 51'000, {}, "gate"});
  EXPECT_FALSE(list.wantsPicture("yard", 50'200)) << "of another source";
  EXPECT_TRUE(list.wantsPicture("gate", 50'200));
  list.addPicture("gate", 50'200, grey());
  for (int row = 0; row < 4; ++row) EXPECT_EQ(list.entry(row).picture.isNull(), row != 1) << row;
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
  EXPECT_EQ(wordsOf(list), QStringList({"said", "later", "between", "earlier", "first"}));
  list.forget("gate");
  EXPECT_EQ(wordsOf(list), QStringList({"said", "between", "first"}));
}

EventList::Entry alertOf(const QString& rule) {
  monitor::Rule of;
  of.name = rule.toStdString();
  of.metric = "area.car";
  of.above = 0.25;
  monitor::RuleSight sight;
  sight.value = 0.31;
  return {"rule", rule, QString::fromStdString(monitor::beganText(of, sight)), 1000, {}, "gate"};
}

TEST(NotifierWants, TheBeginningOfARuleThatAsksForIt) {
  std::vector<monitor::Rule> rules(2);
  rules[0].name = "loud";
  rules[0].notify = true;
  rules[1].name = "quiet";
  EventList::Entry ended = alertOf("loud"), failed = alertOf("loud");
  ended.text = QString::fromStdString(monitor::unwatchedText(rules[0], 1000));
  failed.kind = "command";
  EXPECT_TRUE(Notifier::wants(alertOf("loud"), rules));
  for (const EventList::Entry& none : {alertOf("quiet"), alertOf("gone"), ended, failed})
    EXPECT_FALSE(Notifier::wants(none, rules)) << qPrintable(none.name);
}

class NotifierTest : public ::testing::Test {
 protected:
  void begin(int restMs) {
    notifier_ = new Notifier(&window_, restMs);
    notifier_->setTelling([this](const Notifier::Message& message) { told_.push_back(message); });
  }
  QWidget window_;
  Notifier* notifier_ = nullptr;
  std::vector<Notifier::Message> told_;
};

TEST_F(NotifierTest, TellsTheRuleTheCameraAndWhatHappenedAndAClickBringsBoth) {
  begin(Notifier::kRestMs);
  QSignalSpy clicked(notifier_, &Notifier::clicked);
  notifier_->open();
  EXPECT_EQ(clicked.size(), 0) << "nothing was told yet";
  window_.hide();
  EventList::Entry alert = alertOf("cars");
  alert.picture = grey();
  notifier_->notify(alert, "The gate");
  notifier_->notify(alertOf("later"), {});
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_EQ(told_[0].title, "cars");
  EXPECT_EQ(told_[0].text.toStdString(), "The gate: the share of car is 31%, above 25%.");
  EXPECT_EQ(told_[0].picture, grey());
  notifier_->open();
  EXPECT_TRUE(window_.isVisible());
  ASSERT_EQ(clicked.size(), 1);
  EXPECT_EQ(clicked[0][0].value<EventList::Entry>().name, "cars");
}

TEST_F(NotifierTest, ABurstIsOneMessageAndThenTheNewest) {
  begin(200);
  for (const char* rule : {"first", "second", "third"}) notifier_->notify(alertOf(rule), {});
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_EQ(told_[0].title, "first");
  ASSERT_TRUE(waitFor([&] { return told_.size() == 2; }));
  EXPECT_EQ(told_[1].title, "third");
}

TEST(NotifierOnTheDesktop, WithoutATrayThereIsNoMessage) {
  if (QSystemTrayIcon::isSystemTrayAvailable()) GTEST_SKIP() << "there is a tray";
  QWidget window;
  Notifier notifier(&window);
  QSignalSpy clicked(&notifier, &Notifier::clicked);
  notifier.notify(alertOf("cars"), "The gate");
  EXPECT_EQ(notifier.findChild<QSystemTrayIcon*>(), nullptr);
  notifier.open();
  EXPECT_EQ(clicked.size(), 1) << "it counts as told: the task bar called for attention";
}

}  // namespace
}  // namespace mpm::gui
