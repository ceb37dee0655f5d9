// SPDX-License-Identifier: Apache-2.0
#include "gui/app/events_panel.h"

#include <gtest/gtest.h>

#include <string>

#include "gui/wait_for.h"
#include "monitor/record/sample_record.h"

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

}  // namespace
}  // namespace mpm::gui
