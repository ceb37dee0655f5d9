// SPDX-License-Identifier: Apache-2.0
// What a session leaves in its record, whatever befalls that.
#include "monitor/service/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cli/folder.h"
#include "monitor/clock/manual_clock.h"
#include "monitor/eventually.h"
#include "monitor/record/database.h"
#include "monitor/record/export.h"
#include "monitor/record/sample_record.h"
#include "monitor/service/stub_session.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;
using Json = nlohmann::json;

class HeardOfRecord : public EngineListener {
 public:
  void onEvent(std::size_t, const Event& event) override {
    if (event.kind != "record") return;
    const std::lock_guard lock(mutex_);
    names_.push_back(event.name);
  }
  std::vector<std::string> names() const {
    const std::lock_guard lock(mutex_);
    return names_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> names_;
};

TEST(Session, WhatBefallsTheRecordOfTwoSourcesIsToldOnceAlsoWithoutABroker) {
  const Folder folder;
  const std::string path = folder.at("a.sqlite");
  EngineOptions engine = stubReplay(60);
  engine.sources.push_back(engine.sources[0]);
  engine.sources[1].name = "hall";
  HeardOfRecord heard;
  {
    Session session(stubPrepared(engine, path), {&heard});
    ASSERT_TRUE(eventually([&] { return session.engine()->done(); }));
    ASSERT_TRUE(eventually([&] { return session.state().record->waiting == 0; }));
    std::filesystem::remove(path);
    EXPECT_TRUE(eventually([&] { return !heard.names().empty(); }));
  }
  EXPECT_EQ(heard.names(), std::vector<std::string>{"removed"});
  for (const char* source : {"gate", "hall"}) {
    const auto events = RecordReader(path).events(source, 0, kEver);
    EXPECT_EQ(std::count_if(events.begin(), events.end(),
                            [](const Event& event) { return event.kind == "record"; }),
              1)
        << source;
  }
}

TEST(Session, WithoutItsRecordItWatchesOnOrRefusesAsItIsAsked) {
  const Folder folder;
  PreparedSession prepared = stubPrepared(stubReplay(60), folder.at("nowhere/a.sqlite"));
  prepared.options.mustRecord = false;
  const Session session(std::move(prepared));
  EXPECT_NE(session.recordFault().find("There is no folder"), std::string::npos);
  EXPECT_TRUE(eventually([&] { return session.engine()->done(); }));
  EXPECT_EQ(session.engine()->frames(0), 60u);
  EXPECT_THROW(Session(stubPrepared(stubReplay(60), folder.at("nowhere/a.sqlite"))),
               std::runtime_error);
}

TEST(Session, WhatWaitsForABlockedRecordAtTheEndIsWrittenOrTold) {
  const Folder folder;
  const std::string path = folder.at("a.sqlite");
  Session session(stubPrepared(stubReplay(60), path));
  ASSERT_TRUE(eventually([&] { return session.engine()->done(); }));
  ASSERT_TRUE(eventually([&] { return session.state().record->waiting == 0; }));
  Database other(path, Database::Access::readWrite, kDiskMs);
  other.run("BEGIN IMMEDIATE");
  session.snapshot(0, "by hand");
  const auto blocked = session.endRecord(300);
  ASSERT_TRUE(blocked);
  EXPECT_GT(blocked->waiting, 0u);
  EXPECT_NE(blocked->fault.find("holds a lock"), std::string::npos) << blocked->fault;
}

TEST(Session, WhatWaitsAtTheEndIsWritten) {
  const Folder folder;
  Session session(stubPrepared(stubReplay(60), folder.at("a.sqlite")));
  ASSERT_TRUE(eventually([&] { return session.engine()->done(); }));
  ASSERT_TRUE(session.snapshot(0, "by hand"));
  const auto ended = session.endRecord(kDiskMs);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->waiting, 0u);
  EXPECT_EQ(RecordReader(folder.at("a.sqlite")).snapshots("gate", 0, kEver).size(), 1u);
  EXPECT_FALSE(Session(stubPrepared(stubReplay(1), "")).endRecord(1));
}

TEST(Session, ARulesClipIsInTheRecordAndInItsExport) {
  const Folder folder;
  EngineOptions engine = stubReplay(60);
  engine.sources[0].book.rules = {brightRule("bright")};
  engine.sources[0].book.rules[0].clip = true;
  {
    const Session session(stubPrepared(engine, folder.at("a.sqlite")));
    ASSERT_TRUE(eventually([&] { return session.engine()->done(); }));
  }
  std::ostringstream out;
  exportSnapshots(RecordReader(folder.at("a.sqlite")), {"gate", 0, kEver}, ExportFormat::json, out);
  const Json clip = Json::parse(out.str())["snapshots"].at(0);
  EXPECT_EQ(clip["reason"], "bright");
  EXPECT_TRUE(clip["labels"].is_null());
  EXPECT_GT(std::filesystem::file_size(clip["clip"].get<std::string>()), 1000u);
}

TEST(Session, OfOneQuarterOfAnHourOnePictureIsKeptHoweverOftenItBegins) {
  const Folder folder;
  const EngineOptions live = stubLive();
  ManualClock clock(1793534400000);
  for (int start = 0; start < 2; ++start) {
    PreparedSession prepared = stubPrepared(live, folder.at("a.sqlite"));
    prepared.options.pictures.perHour = 4;
    const Session session(std::move(prepared), {}, clock);
    for (int step = 0; step < 8; ++step) {  // longer than the light takes to settle
      const std::uint64_t frames = session.engine()->frames(0);
      clock.advance(10000);
      ASSERT_TRUE(eventually([&] { return session.engine()->frames(0) > frames + 1; }));
    }
  }
  EXPECT_EQ(RecordReader(folder.at("a.sqlite")).snapshots("gate", 0, kEver).size(), 1u);
}

TEST(Session, ASnapshotByHandNeedsARecordAndAFrame) {
  const Folder folder;
  Session without(stubPrepared(stubReplay(60), ""));
  ASSERT_TRUE(eventually([&] { return without.engine()->done(); }));
  EXPECT_FALSE(without.snapshot(0, "by hand"));
  {
    Session with(stubPrepared(stubReplay(60), folder.at("a.sqlite")));
    ASSERT_TRUE(eventually([&] { return with.engine()->done(); }));
    EXPECT_TRUE(with.snapshot(0, "by hand"));
  }
  const auto snapshots = RecordReader(folder.at("a.sqlite")).snapshots("gate", 0, kEver);
  ASSERT_EQ(snapshots.size(), 1u);
  EXPECT_EQ(snapshots[0].reason, "by hand");
  EXPECT_EQ(Json::parse(snapshots[0].facts)["schedule"], Json({2, 5}));
}

}  // namespace
}  // namespace mpm::test
