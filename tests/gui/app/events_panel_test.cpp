// SPDX-License-Identifier: Apache-2.0
#include "gui/app/events_panel.h"

#include <gtest/gtest.h>

#include <QMenu>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <cstdint>
#include <filesystem>
#include <opencv2/core.hpp>
#include <string>

#include "gui/app/clip_player.h"
#include "gui/wait_for.h"
#include "monitor/record/sample_record.h"
#include "monitor/service/clips.h"

namespace mpm::gui {
namespace {

// Seen: of a wall's cameras the first one's past alone was listed.
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
      yard{"rtsp://yard", "yard", "The yard"};
  EventsPanel panel;
  EventList& list = panel.list();
  const auto words = [&] {
    QStringList all;
    for (int row = 0; row < list.rowCount(); ++row) all << list.item(row, 2)->text();
    return all;
  };
  const auto comes = [&](const QStringList& wanted) {
    return waitFor([&] { return words() == wanted; });
  };
  const auto begin = [&](const QList<EventsPanel::Source>& sources) {
    panel.begin(QString::fromStdString(file), sources, monitor::kNoon + 5000);
  };
  list.add({"app", "", "said", monitor::kNoon + 9000});
  begin({gate});
  EXPECT_TRUE(comes({"said", "the light is day"}));
  begin({gate, yard});
  EXPECT_TRUE(comes({"said", "The gate: the light is day", "The yard: the light is day"}));
  EXPECT_EQ(list.entry(2).source, "rtsp://yard");
  begin({gate});
  EXPECT_TRUE(comes({"said", "the light is day", "The yard: the light is day"})) << "it did happen";
  begin({gate, yard});
  EXPECT_TRUE(comes({"said", "The gate: the light is day", "The yard: the light is day"}))
      << "once";
  begin({{"/dev/video0", "video0", "Another"}, yard});
  EXPECT_TRUE(comes({"said", "The yard: the light is day"}));
  begin({yard});
  begin({yard, gate});
  EXPECT_TRUE(comes({"said", "The gate: the light is day", "The yard: the light is day"}));
  begin({gate});
  EXPECT_TRUE(comes({"said", "the light is day", "The yard: the light is day"}))
      << "of the first one, which is watched no longer, it did happen as well";
}

class KeptEvents : public ::testing::Test {
 protected:
  static constexpr std::int64_t kAlertMs = monitor::kNoon + 2000;

  KeptEvents() {
    run_ = record_.beginRun(monitor::sampleRun("gate"));
    panel_.resize(600, 300);
    panel_.show();
  }
  void write(const std::string& rule) {
    record_.write(run_, eventOf(rule));
    ASSERT_TRUE(record_.flush(monitor::kDiskMs));
  }
  static monitor::Event eventOf(const std::string& rule) {
    return {{0, kAlertMs, 0, true}, "rule", rule, "Rule '" + rule + "' began: it did.", {}};
  }
  // A clip of these rules that goes on for so long after the alert.
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
    record_.write(run_, snapshot);
    ASSERT_TRUE(record_.flush(monitor::kDiskMs));
  }
  void writePicture(const std::string& reason) {
    monitor::Snapshot snapshot{{0, kAlertMs, 0, true},
                               reason,
                               cv::Mat(8, 8, CV_8U, cv::Scalar(1)),
                               cv::Mat(8, 8, CV_8UC3, cv::Scalar::all(99)),
                               "{}"};
    record_.write(run_, snapshot);
    ASSERT_TRUE(record_.flush(monitor::kDiskMs));
  }
  void begin() {
    panel_.begin(QString::fromStdString(folder_ / "a.sqlite"), {{"rtsp://gate", "gate", "Gate"}},
                 monitor::kNoon + 60'000);
  }
  void click() {
    QTableView* view = panel_.view();
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                      view->visualRect(panel_.list().index(0, 2)).center());
  }

  const monitor::Folder folder_;
  monitor::Record record_{folder_ / "a.sqlite"};
  std::int64_t run_ = 0;
  int clips_ = 0;
  EventsPanel panel_;
};

TEST_F(KeptEvents, AClickPlaysTheClipOfAnAlertOfTheRecord) {
  write("cars, all");
  writeClip("dogs, cars, all", 10'000);
  begin();
  ASSERT_TRUE(waitFor([&] { return panel_.list().rowCount() == 1; }));
  QSignalSpy jumped(&panel_, &EventsPanel::jumped);
  click();
  ASSERT_NE(panel_.player(), nullptr);
  EXPECT_TRUE(panel_.player()->isVisible() && panel_.player()->frames() > 0)
      << qPrintable(panel_.player()->fault());
  EXPECT_TRUE(panel_.player()->windowTitle().contains("cars, all"));
  EXPECT_EQ(jumped.size(), 0);
}

TEST_F(KeptEvents, AClipOfAnotherRuleOrTimeIsNone) {
  write("cars");
  writeClip("cars of others", 10'000);
  writeClip("cars", -3'000);
  begin();
  ASSERT_TRUE(waitFor([&] { return panel_.list().rowCount() == 1; }));
  QSignalSpy jumped(&panel_, &EventsPanel::jumped);
  click();
  EXPECT_EQ(panel_.player(), nullptr);
  EXPECT_GE(jumped.size(), 1) << "its moment is shown";
}

TEST_F(KeptEvents, ASnapshotIsShownAsAPicture) {
  write("cars");
  writePicture("cars");
  begin();
  ASSERT_TRUE(waitFor([&] { return panel_.list().rowCount() == 1; }));
  click();
  ASSERT_NE(panel_.player(), nullptr);
  EXPECT_EQ(panel_.player()->fault(), QString());
  EXPECT_FALSE(panel_.player()->picture().isNull());
  EXPECT_EQ(panel_.player()->frames(), 0);
}

TEST_F(KeptEvents, AClipThatComesLaterIsFound) {
  begin();
  panel_.hear(eventOf("cars"), "rtsp://gate", nullptr);
  ASSERT_EQ(panel_.list().rowCount(), 1);
  const EventList::Entry alert = panel_.list().entry(0);
  QSignalSpy jumped(&panel_, &EventsPanel::jumped);
  panel_.reveal(alert);
  EXPECT_EQ(jumped.size(), 1) << "nothing is kept yet";
  writeClip("cars", 10'000);
  EXPECT_TRUE(waitFor([&] { return !panel_.list().entry(0).kept.clip.isEmpty(); }));
  panel_.list().add({"app", "", "said", monitor::kNoon + 9000});
  panel_.reveal(alert);
  EXPECT_EQ(panel_.view()->currentIndex().row(), 1);
  ASSERT_NE(panel_.player(), nullptr);
  EXPECT_TRUE(panel_.player()->isPlaying()) << qPrintable(panel_.player()->fault());
}

TEST_F(KeptEvents, TheMenuOffersThePlotAsWell) {
  write("cars");
  writePicture("cars");
  begin();
  ASSERT_TRUE(waitFor([&] { return panel_.list().rowCount() == 1; }));
  emit panel_.view()->customContextMenuRequested(
      panel_.view()->visualRect(panel_.list().index(0, 2)).center());
  auto* menu = panel_.findChild<QMenu*>();
  ASSERT_TRUE(menu != nullptr && menu->actions().size() == 2);
  QSignalSpy jumped(&panel_, &EventsPanel::jumped);
  menu->actions()[1]->trigger();
  EXPECT_EQ(jumped.size(), 1);
  EXPECT_EQ(panel_.player(), nullptr);
  menu->actions()[0]->trigger();
  EXPECT_NE(panel_.player(), nullptr);
  menu->close();
}

}  // namespace
}  // namespace mpm::gui
