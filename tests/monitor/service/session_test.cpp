// SPDX-License-Identifier: Apache-2.0
// All of it together: what a session leaves in its record, and what it publishes.
#include "monitor/service/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "in_project.h"
#include "monitor/clock/manual_clock.h"
#include "monitor/eventually.h"
#include "monitor/publish/pages.h"
#include "monitor/record/database.h"
#include "monitor/record/export.h"
#include "monitor/record/old_record.h"
#include "monitor/record/past_runs.h"
#include "monitor/service/stub_session.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;
using Json = nlohmann::json;

constexpr std::int64_t kEver = std::int64_t{1} << 60;

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
// Of a lid on the lens, say: they would say yes to every precision.
TEST(Session, PicturesOfOneColourChooseNoPrecision) {
  SessionOptions options;
  options.model = inProject("tests/models/segmenter_mask.onnx");
  options.choosePrecision = true;
  const PreparedSession prepared =
      prepare(options, {cv::Mat(48, 64, CV_8UC3, cv::Scalar(0, 0, 0))});
  EXPECT_TRUE(prepared.precisions.empty());
  EXPECT_EQ(prepared.options.segmenter.read.precision, "fp32");
  EXPECT_EQ(prepared.options.chosenFor, "") << "the next pictures may say more";
}

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
    EXPECT_NE(before.back().find("2026-11-01T12:00:00.000Z,1793534400000,0,day,1,0,0,0,0,0,1,512,"),
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
  Database other(path, Database::Access::readWrite, 20000);
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
  const auto ended = session.endRecord(20000);
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

EngineOptions stubLive() {
  EngineOptions live = stubReplay(0);
  live.capture.everyFrame = false;
  live.makeReader = [](const NamedSource&) {
    StubReaderPlan plan;
    plan.live = true;
    plan.frames = 1 << 30;
    return std::make_unique<StubReader>(plan);
  };
  return live;
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

TEST(Session, WhatIsPublished) {
  EngineOptions engine = stubReplay(60);
  engine.sources[0].book.rules = {brightRule("bright"), brightRule("untold")};
  engine.sources[0].book.rules[1].publish = false;
  Session session(stubPrepared(engine, ""));
  ASSERT_TRUE(eventually([&] { return session.engine()->done(); }));
  const PublishedState state = session.state();
  EXPECT_EQ(state.version, "1.2");
  EXPECT_EQ(state.model, "stub.onnx");
  EXPECT_FALSE(state.record);
  EXPECT_FALSE(state.mqtt);
  ASSERT_EQ(state.sources.size(), 1u);
  const PublishedSource& source = state.sources[0];
  EXPECT_EQ(source.name, "gate");
  EXPECT_EQ(source.frames, 60u);
  std::uint64_t frames = 0;
  for (const std::uint64_t light : source.lightFrames) frames += light;
  EXPECT_EQ(frames, 60u);
  ASSERT_TRUE(source.latest);
  EXPECT_EQ(source.latest->values.size(), source.metrics.size());
  ASSERT_EQ(source.rules.size(), 2u);
  EXPECT_EQ(source.rules[0].name, "bright");
  EXPECT_FALSE(source.rules[0].holds);
  EXPECT_TRUE(source.rules[0].toBroker);
  EXPECT_FALSE(source.rules[1].toBroker);
  const cv::Mat picture = cv::imdecode(session.picture("gate"), cv::IMREAD_COLOR);
  EXPECT_EQ(picture.size(), cv::Size(64, 48));
  EXPECT_TRUE(session.picture("nobody").empty());
}

// While frames come on which the model fails.
TEST(Session, FiguresThatAreAMinuteOldAreNotPublishedAsThoseOfNow) {
  EngineOptions engine = stubReplay(0);
  engine.capture.everyFrame = false;
  engine.makeReader = [](const NamedSource&) {
    StubReaderPlan plan;
    plan.frames = 1 << 30;
    plan.live = true;
    return std::make_unique<StubReader>(plan);
  };
  ManualClock clock(1700000000000);
  PreparedSession prepared = stubPrepared(engine, "");
  auto& network = static_cast<StubNetwork&>(*prepared.network);
  Session session(std::move(prepared), {}, clock);
  const auto source = [&] { return session.state().sources[0]; };
  ASSERT_TRUE(eventually([&] { return source().hasFreshFigures(); }));
  network.failing = true;
  ASSERT_TRUE(eventually([&] { return !source().netFault.empty(); }));
  clock.advance(60000);
  ASSERT_TRUE(eventually([&] { return source().capture.msSinceFrame == 0; }));
  EXPECT_TRUE(source().hasFreshFigures());
  clock.advance(1);
  EXPECT_FALSE(source().hasFreshFigures());
  network.failing = false;
  EXPECT_TRUE(eventually([&] { return source().hasFreshFigures(); }));
}

TEST(Session, AModelThatFailsOnFramesIsNotHealthy) {
  EngineOptions engine = stubReplay(60);
  PreparedSession prepared = stubPrepared(engine, "");
  static_cast<StubNetwork&>(*prepared.network).failing = true;
  Session failing(std::move(prepared));
  ASSERT_TRUE(eventually([&] { return failing.engine()->done(); }));
  const Health health = healthOf(failing.state());
  EXPECT_FALSE(health.healthy);
  EXPECT_NE(health.text.find("gate: the model fails on its frames: the net is out of order\n"),
            std::string::npos)
      << health.text;
}

}  // namespace
}  // namespace mpm::test
