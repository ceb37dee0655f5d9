// SPDX-License-Identifier: Apache-2.0
// What the record says of a run and of what its camera shows, and how runs of earlier versions are
// read.
#include <nlohmann/json.hpp>

#include "monitor/record/export.h"
#include "monitor/record/old_record.h"
#include "monitor/service/stub_session.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;
using Json = nlohmann::json;

class SessionRun : public SessionCase {
 protected:
  std::vector<RecordedRun> runs() const { return RecordReader(path_).runs("gate"); }
};

TEST_F(SessionRun, SaysWithWhatItWasMade) {
  EngineOptions engine = stubReplay(60);
  engine.sources[0].book.zones = {{"left", {{0, 0}, {0.5, 0}, {0.5, 1}}}};
  engine.light.nightLuma = 0.125;
  watch(engine);
  PreparedSession taught = prepared(stubReplay(6));
  static_cast<StubNetwork&>(*taught.network).taughtFrom = "12 frames";
  {
    const Session session(std::move(taught));
    ASSERT_TRUE(isDone(session));
    EXPECT_EQ(session.modelHash(), "1234");
  }
  ASSERT_EQ(runs().size(), 2u);
  const RunFacts facts = runs()[0].facts;
  EXPECT_EQ(facts.model + " " + facts.modelHash + " " + facts.version, "stub.onnx 1234 1.2");
  const Json settings = Json::parse(facts.settings);
  const std::pair<const char*, Json> expected[] = {
      {"/merge_before", {2, 5}},
      {"/precision", "fp32"},
      {"/replay", true},
      {"/memory", false},  // a stub cannot
      {"/max_fps", 0},
      {"/zones/0/name", "left"},
      {"/zones/0/corners", Json::parse("[[0.0,0.0],[0.5,0.0],[0.5,1.0]]")}};
  for (const auto& [path, value] : expected)
    EXPECT_EQ(settings.at(Json::json_pointer(path)), value) << path;
  EXPECT_TRUE(has(settings["light"], "night=0.125,"));
  EXPECT_FALSE(settings.contains("device") || settings.contains("taught"));
  EXPECT_EQ(Json::parse(runs()[1].facts.settings)["taught"], "12 frames");
}

// Who looks at the session finds it again in the record: a zone on the ground is the same zone.
TEST_F(SessionRun, IsTheOneOfTheRecord) {
  EngineOptions engine = stubReplay(6);
  engine.sources[0].book.zones = {{"left", {{0.1, 0}, {0.5, 1.0 / 3}, {0.5, 1}}, true}};
  PastRun now;
  {
    const Session session(prepared(engine));
    now = pastRun(session.facts(0));
    ASSERT_TRUE(isDone(session));
  }
  const auto past = pastRuns(RecordReader(path_), "gate");
  ASSERT_EQ(past.size(), 1u);
  EXPECT_EQ(now.begunUtcMs, past[0].begunUtcMs);
  EXPECT_EQ(now.model, "stub.onnx");
  EXPECT_TRUE(now.hasModelOf(past[0]));
  EXPECT_EQ(now.zones, past[0].zones);
  EXPECT_EQ(now.first, past[0].first);
  EXPECT_EQ(now.first.schedule, "2,5");
  EXPECT_EQ(pastRun(Session(stubPrepared(engine, {})).facts(0)).zones, now.zones);
}

TEST_F(SessionRun, RecordsOfBothEarlierKindsAreReadTheSameAndGoOn) {
  const auto exported = [&](Resolution resolution) {
    std::ostringstream out;
    const RecordReader reader(path_);
    exportSeries(reader, {"gate", 1000000, kEver}, resolution, {}, ExportFormat::csv, out);
    exportEvents(reader, {"gate", 1000000, kEver}, ExportFormat::json, out);
    EXPECT_TRUE(has(out.str(), "An old event."));
    return out.str();
  };
  std::set<std::string> before, after;
  for (const std::string settings : kOldSettings) {
    std::filesystem::remove(path_);
    makeOldRecord(path_, "gate", settings);
    before.insert(exported(Resolution::second));
    EXPECT_TRUE(
        has(*before.begin(), "2026-11-01T12:00:00.000Z,1793534400000,0,day,1,0,0,0,0,0,0,1,512,"));
    watch(stubReplay(60));
    after.insert(exported(Resolution::hour));
    EXPECT_EQ(RecordReader(path_).sources(), std::vector<std::string>{"gate"});
    ASSERT_EQ(runs().size(), 2u);
    EXPECT_EQ(runs()[0].facts.settings, settings);
    EXPECT_EQ(Json::parse(runs()[1].facts.settings)["merge_before"], Json({2, 5}));
    const auto seconds =
        RecordReader(path_).buckets("gate", Resolution::second, 0, kEver, {"live_rows"});
    ASSERT_EQ(seconds.size(), 7u);  // the old one, and 6 of the replay
    EXPECT_EQ(seconds[0].tallies[0].sum, 512);
    EXPECT_EQ(snapshotsIn(path_).size(), 1u);
  }
  EXPECT_EQ(before.size() + after.size(), 2u);
}

// They were drawn for what the camera shows now, wherever it was before.
TEST_F(SessionRun, ZonesThatFollowAndWereDrawnAnewBeginANewView) {
  const auto beginsAnew = [&](double left, bool follows) {
    EngineOptions live = stubLive();
    live.sources[0].book.zones = {{"half", {{left, 0}, {1, 0}, {1, 1}}}};
    live.sources[0].book.followCamera = follows;
    const Session session(prepared(live));
    EXPECT_TRUE(eventually([&] { return session.engine()->frames(0) > 0; }));
    return session.engine()->source(0).view.empty();
  };
  EXPECT_TRUE(beginsAnew(0.5, true));
  EXPECT_FALSE(beginsAnew(0.5, true));
  EXPECT_TRUE(beginsAnew(0.4, true));
  EXPECT_FALSE(beginsAnew(0.3, false));
  const auto past = pastRuns(RecordReader(path_), "gate");
  ASSERT_EQ(past.size(), 4u);
  EXPECT_TRUE(past[0].hasModelOf(past[1]));
  EXPECT_FALSE(past[1].hasModelOf(past[2]));
  EXPECT_TRUE(past[2].hasModelOf(past[3]));
}

TEST_F(SessionRun, WhatACameraShowsIsKeptForTheNextOne) {
  const auto viewOf = [&](bool knows) {
    PreparedSession live = prepared(stubLive());
    live.options.knowsCameras = knows;
    const Session session(std::move(live));
    EXPECT_TRUE(eventually([&] { return session.engine()->frames(0) > 0; }));
    return session.engine()->source(0).view;
  };
  EXPECT_EQ(viewOf(true), "");
  EXPECT_NE(viewOf(true), "");
  EXPECT_EQ(viewOf(false), "");
  EXPECT_EQ(RecordReader(path_).view("gate", kEver), "") << "one from long ago";
}

TEST_F(SessionRun, HowBrightDaysAreIsKnownFromTheRecord) {
  {
    Record record(path_);
    std::vector<Series::Changed> hours;
    for (const auto& [light, luma] :
         {std::pair{LightState::day, 0.5}, {LightState::day, 0.25}, {LightState::night, 0.1}}) {
      Bucket& hour = hours.emplace_back(Series::Changed{Resolution::hour, {}}).bucket;
      hour.startUtcMs =
          (systemClock().now().utcMs / 3600000 - static_cast<std::int64_t>(hours.size())) * 3600000;
      hour.frames[static_cast<std::size_t>(light)] = 1;
      hour.tallies.emplace_back().add(luma);
    }
    record.write(record.beginRun(sampleRun("gate", {"luma"})), hours);
    ASSERT_TRUE(record.flush(10000));
  }
  const Session session(prepared(stubLive()));
  EXPECT_NEAR(session.engine()->source(0).dayLevel, 0.375, 1e-9);
}

}  // namespace
}  // namespace mpm::test
