// SPDX-License-Identifier: Apache-2.0
// What a session leaves in its record, whatever befalls that; what it publishes, also while its
// engine is replaced; and in which precision its model computes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/folder.h"
#include "in_project.h"
#include "monitor/clock/manual_clock.h"
#include "monitor/eventually.h"
#include "monitor/publish/pages.h"
#include "monitor/record/database.h"
#include "monitor/record/export.h"
#include "monitor/record/sample_record.h"
#include "monitor/service/session.h"
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
  ManualClock clock(1700000000000);
  PreparedSession prepared = stubPrepared(stubLive(), "");
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

// Asks what a session says whenever this thread looks at it while there is no engine.
class AskingClock : public ManualClock {
 public:
  Moment now() override {
    if (std::this_thread::get_id() == thread_ && session != nullptr && !session->engine()) {
      Session& asked = *std::exchange(session, nullptr);
      states.push_back(asked.state());
      session = &asked;
    }
    return ManualClock::now();
  }

  Session* session = nullptr;
  std::vector<PublishedState> states;

 private:
  std::thread::id thread_ = std::this_thread::get_id();
};

TEST(SessionReplacing, WhatWasKnownIsStillSaid) {
  PreparedSession prepared = stubPrepared(stubReplay(20), "");
  prepared.options.model = inProject("tests/models/segmenter_mask.onnx");
  AskingClock clock;
  Session session(std::move(prepared), {}, clock);
  ASSERT_TRUE(eventually([&] { return session.engine()->done(); }));
  clock.session = &session;
  RuleBook book;
  book.zones = {{"left", {{0, 0}, {0.5, 0}, {0.5, 1}}}};
  EXPECT_TRUE(session.setBooks({book}));
  clock.session = nullptr;
  ASSERT_FALSE(clock.states.empty());
  for (const PublishedState& state : clock.states) {
    EXPECT_EQ(state.version, "1.2");
    EXPECT_EQ(state.model, "segmenter_mask.onnx");
    ASSERT_EQ(state.sources.size(), 1u);
    EXPECT_EQ(state.sources[0].name, "gate");
    EXPECT_EQ(state.sources[0].frames, 20u);
  }
}

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

}  // namespace
}  // namespace mpm::test
