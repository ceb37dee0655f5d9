// SPDX-License-Identifier: Apache-2.0
// What the record says of a run and of what its camera shows, and how runs of earlier versions are
// read.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/folder.h"
#include "monitor/eventually.h"
#include "monitor/record/export.h"
#include "monitor/record/old_record.h"
#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"
#include "monitor/service/session.h"
#include "monitor/service/stub_session.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;
using Json = nlohmann::json;

// 60 frames in 6 seconds of a file.
void watchAndEnd(const std::string& record) {
  const Session session(stubPrepared(stubReplay(60), record));
  ASSERT_TRUE(eventually([&] { return session.engine()->done(); }));
  EXPECT_EQ(session.recordFault(), "");
}

std::string exported(const std::string& record, Resolution resolution) {
  std::ostringstream out;
  const RecordReader reader(record);
  exportSeries(reader, {"gate", 1000000, kEver}, resolution, {}, ExportFormat::csv, out);
  exportEvents(reader, {"gate", 1000000, kEver}, ExportFormat::json, out);
  return out.str();
}

TEST(Session, ARunSaysWithWhatItWasMade) {
  const Folder folder;
  EngineOptions engine = stubReplay(60);
  engine.sources[0].book.zones = {{"left", {{0, 0}, {0.5, 0}, {0.5, 1}}}};
  engine.light.nightLuma = 0.125;
  {
    const Session session(stubPrepared(engine, folder.at("a.sqlite")));
    ASSERT_TRUE(eventually([&] { return session.engine()->done(); }));
    EXPECT_EQ(session.modelHash(), "1234");
  }
  const auto runs = RecordReader(folder.at("a.sqlite")).runs("gate");
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].facts.model, "stub.onnx");
  EXPECT_EQ(runs[0].facts.modelHash, "1234");
  EXPECT_EQ(runs[0].facts.version, "1.2");
  const Json settings = Json::parse(runs[0].facts.settings);
  EXPECT_EQ(settings["merge_before"], Json({2, 5}));
  EXPECT_EQ(settings["precision"], "fp32");
  EXPECT_EQ(settings["replay"], true);
  EXPECT_EQ(settings["memory"], false);  // a stub cannot
  EXPECT_EQ(settings["max_fps"], 0);
  EXPECT_NE(settings["light"].get<std::string>().find("night=0.125,"), std::string::npos);
  EXPECT_EQ(settings["zones"][0]["name"], "left");
  EXPECT_EQ(settings["zones"][0]["corners"], Json::parse("[[0.0,0.0],[0.5,0.0],[0.5,1.0]]"));
  EXPECT_FALSE(settings.contains("device"));
  EXPECT_FALSE(settings.contains("taught"));
}

// Who looks at the session finds it again in the record: a zone on the ground is the same zone.
TEST(Session, ItsRunIsTheOneOfTheRecord) {
  const Folder folder;
  EngineOptions engine = stubReplay(6);
  engine.sources[0].book.zones = {{"left", {{0.1, 0}, {0.5, 1.0 / 3}, {0.5, 1}}, true}};
  PastRun now;
  {
    const Session session(stubPrepared(engine, folder.at("a.sqlite")));
    now = pastRun(session.facts(0));
    ASSERT_TRUE(eventually([&] { return session.engine()->done(); }));
  }
  const auto runs = pastRuns(RecordReader(folder.at("a.sqlite")), "gate");
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(now.begunUtcMs, runs[0].begunUtcMs);
  EXPECT_EQ(now.model, "stub.onnx");
  EXPECT_TRUE(now.hasModelOf(runs[0]));
  EXPECT_EQ(now.zones, runs[0].zones);
  EXPECT_EQ(now.first, runs[0].first);
  EXPECT_EQ(now.first.schedule, "2,5");
  const Session without(stubPrepared(engine, {}));
  EXPECT_EQ(pastRun(without.facts(0)).zones, now.zones);
}

TEST(Session, ARunOfATaughtModelSaysFromWhatItWasTaught) {
  const Folder folder;
  PreparedSession prepared = stubPrepared(stubReplay(6), folder.at("a.sqlite"));
  auto network = std::make_unique<StubNetwork>();
  network->taughtFrom = "12 frames";
  prepared.network = std::move(network);
  {
    const Session session(std::move(prepared));
    ASSERT_TRUE(eventually([&] { return session.engine()->done(); }));
  }
  const auto runs = RecordReader(folder.at("a.sqlite")).runs("gate");
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(Json::parse(runs[0].facts.settings)["taught"], "12 frames");
}

TEST(Session, RecordsOfBothEarlierKindsAreReadTheSameAndGoOn) {
  const Folder folder;
  std::vector<std::string> before, after;
  for (const std::string settings : kOldSettings) {
    const std::string record = folder.at(std::to_string(before.size()) + ".sqlite");
    makeOldRecord(record, "gate", settings);
    before.push_back(exported(record, Resolution::second));
    EXPECT_NE(
        before.back().find("2026-11-01T12:00:00.000Z,1793534400000,0,day,1,0,0,0,0,0,0,1,512,"),
        std::string::npos)
        << before.back();
    EXPECT_NE(before.back().find("An old event."), std::string::npos);

    watchAndEnd(record);
    after.push_back(exported(record, Resolution::hour));
    EXPECT_NE(after.back().find("An old event."), std::string::npos);
    const RecordReader reader(record);
    EXPECT_EQ(reader.sources(), std::vector<std::string>{"gate"});
    const auto runs = reader.runs("gate");
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_EQ(runs[0].facts.settings, settings);
    EXPECT_EQ(Json::parse(runs[1].facts.settings)["merge_before"], Json({2, 5}));
    const auto seconds = reader.buckets("gate", Resolution::second, 0, kEver, {"live_rows"});
    ASSERT_EQ(seconds.size(), 7u);  // the old one, and 6 of the replay
    EXPECT_EQ(seconds[0].tallies[0].sum, 512);
    EXPECT_EQ(reader.snapshots("gate", 1000000, kEver).size(), 1u);
  }
  EXPECT_EQ(before[0], before[1]);
  EXPECT_EQ(after[0], after[1]);
}

// They were drawn for what the camera shows now, wherever it was before.
TEST(Session, ZonesThatFollowAndWereDrawnAnewBeginANewView) {
  const Folder folder;
  const auto watch = [&](double left, bool follows) {
    EngineOptions live = stubLive();
    live.sources[0].book.zones = {{"half", {{left, 0}, {1, 0}, {1, 1}}}};
    live.sources[0].book.followCamera = follows;
    const Session session(stubPrepared(live, folder.at("a.sqlite")));
    EXPECT_TRUE(eventually([&] { return session.engine()->frames(0) > 0; }));
    return session.engine()->source(0).view.empty();
  };
  EXPECT_TRUE(watch(0.5, true));
  EXPECT_FALSE(watch(0.5, true));
  EXPECT_TRUE(watch(0.4, true));
  EXPECT_FALSE(watch(0.3, false));
  const std::vector<PastRun> runs = pastRuns(RecordReader(folder.at("a.sqlite")), "gate");
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_TRUE(runs[0].hasModelOf(runs[1]));
  EXPECT_FALSE(runs[1].hasModelOf(runs[2]));
  EXPECT_TRUE(runs[2].hasModelOf(runs[3]));
}

TEST(Session, HowBrightDaysAreIsKnownFromTheRecord) {
  const Folder folder;
  {
    Record record(folder.at("a.sqlite"));
    RunFacts facts;
    facts.source = "gate";
    facts.settings = "{}";
    facts.metrics = {"luma"};
    std::vector<Series::Changed> hours;
    for (const auto& [light, luma] :
         {std::pair{LightState::day, 0.5}, {LightState::day, 0.25}, {LightState::night, 0.1}}) {
      Bucket& hour = hours.emplace_back(Series::Changed{Resolution::hour, {}}).bucket;
      hour.startUtcMs =
          (systemClock().now().utcMs / 3600000 - static_cast<std::int64_t>(hours.size())) * 3600000;
      hour.frames[static_cast<std::size_t>(light)] = 1;
      hour.tallies.emplace_back().add(luma);
    }
    record.write(record.beginRun(facts), hours);
    ASSERT_TRUE(record.flush(10000));
  }
  const Session session(stubPrepared(stubLive(), folder.at("a.sqlite")));
  EXPECT_NEAR(session.engine()->source(0).dayLevel, 0.375, 1e-9);
}

TEST(Session, WhatACameraShowsIsKeptForTheNextOne) {
  const Folder folder;
  const EngineOptions live = stubLive();
  const auto watch = [&](bool knows) {
    PreparedSession prepared = stubPrepared(live, folder.at("a.sqlite"));
    prepared.options.knowsCameras = knows;
    const Session session(std::move(prepared));
    EXPECT_TRUE(eventually([&] { return session.engine()->frames(0) > 0; }));
    return session.engine()->source(0).view;
  };
  EXPECT_EQ(watch(true), "");
  EXPECT_NE(watch(true), "");
  EXPECT_EQ(watch(false), "");
  EXPECT_EQ(RecordReader(folder.at("a.sqlite")).view("gate", kEver), "") << "one from long ago";
}

}  // namespace
}  // namespace mpm::test
