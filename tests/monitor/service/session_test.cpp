// SPDX-License-Identifier: Apache-2.0
// What a session leaves in its record, whatever befalls that; what it publishes, also while its
// engine is replaced; what it does about rules; and in which precision its model computes.
#include "monitor/service/session.h"

#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "in_project.h"
#include "monitor/publish/pages.h"
#include "monitor/record/export.h"
#include "monitor/service/stub_session.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;
using Json = nlohmann::json;

class HeardEvents : public EngineListener {
 public:
  void onEvent(std::size_t, const Event& event) override {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
  }
  std::vector<Event> of(const std::string& kind) const {
    const std::lock_guard lock(mutex_);
    std::vector<Event> found;
    std::copy_if(events_.begin(), events_.end(), std::back_inserter(found),
                 [&](const Event& event) { return event.kind == kind; });
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Event> events_;
};

class SessionTest : public SessionCase {};

TEST_F(SessionTest, WhatBefallsTheRecordOfTwoSourcesIsToldOnceAlsoWithoutABroker) {
  HeardEvents heard;
  {
    Session session(prepared(watching({.frames = 60}, {named("gate"), named("hall")})), {&heard});
    ASSERT_TRUE(isDone(session));
    ASSERT_TRUE(eventually([&] { return session.state().record->waiting == 0; }));
    std::filesystem::remove(path_);
    EXPECT_TRUE(eventually([&] { return !heard.of("record").empty(); }));
  }
  ASSERT_EQ(heard.of("record").size(), 1u);
  EXPECT_EQ(heard.of("record")[0].name, "removed");
  EXPECT_EQ(events("record").size(), 1u);
  const auto hall = eventsIn(path_, "hall");
  EXPECT_EQ(std::count_if(hall.begin(), hall.end(),
                          [](const Event& event) { return event.kind == "record"; }),
            1);
}

TEST_F(SessionTest, WithoutItsRecordItWatchesOnOrRefusesAsItIsAsked) {
  const std::string nowhere = folder_ / "nowhere/a.sqlite";
  PreparedSession careless = stubPrepared(stubReplay(60), nowhere);
  careless.options.mustRecord = false;
  const Session session(std::move(careless));
  EXPECT_TRUE(has(session.recordFault(), "There is no folder"));
  EXPECT_TRUE(isDone(session));
  EXPECT_EQ(session.engine()->frames(0), 60u);
  EXPECT_THROW(Session(stubPrepared(stubReplay(60), nowhere)), std::runtime_error);
}

TEST_F(SessionTest, ARulesSnapshotAndClipAreInTheRecordAndItsExport) {
  Rule rule = brightRule();
  rule.snapshot = rule.clip = true;
  watch(stubReplay(60, {rule}));
  EXPECT_EQ(countIn(path_), 6u);
  EXPECT_EQ(events("rule").size(), 2u);
  std::ostringstream out;
  exportSnapshots(RecordReader(path_), {"gate", 0, kEver}, ExportFormat::json, out);
  const Json snapshots = Json::parse(out.str())["snapshots"];
  ASSERT_EQ(snapshots.size(), 2u);
  for (const Json& each : snapshots) {
    EXPECT_EQ(each["reason"], "bright");
    if (each["clip"].is_null()) {
      const cv::Mat labels = cv::imread(each["labels"], cv::IMREAD_UNCHANGED);
      EXPECT_EQ(labels.at<uchar>(0, 0), 3);
      EXPECT_EQ(each["facts"]["run"]["model_hash"], "1234");
    } else {
      EXPECT_TRUE(each["labels"].is_null());
      EXPECT_GT(std::filesystem::file_size(each["clip"].get<std::string>()), 1000u);
    }
  }
}

TEST_F(SessionTest, OfOneQuarterOfAnHourOnePictureIsKeptHoweverOftenItBegins) {
  ManualClock clock(kNoon);
  for (int start = 0; start < 2; ++start) {
    PreparedSession watching = prepared(stubLive());
    watching.options.pictures.perHour = 4;
    const Session session(std::move(watching), {}, clock);
    for (int step = 0; step < 8; ++step) {  // longer than the light takes to settle
      const std::uint64_t frames = session.engine()->frames(0);
      clock.advance(10000);
      ASSERT_TRUE(eventually([&] { return session.engine()->frames(0) > frames + 1; }));
    }
  }
  EXPECT_EQ(snapshotsIn(path_).size(), 1u);
}

TEST_F(SessionTest, ASnapshotByHandNeedsARecordAndAFrame) {
  Session without(stubPrepared(stubReplay(60), ""));
  ASSERT_TRUE(isDone(without));
  EXPECT_FALSE(without.snapshot(0, "by hand"));
  {
    Session with(prepared(stubReplay(60)));
    ASSERT_TRUE(isDone(with));
    EXPECT_TRUE(with.snapshot(0, "by hand"));
  }
  const auto snapshots = snapshotsIn(path_);
  ASSERT_EQ(snapshots.size(), 1u);
  EXPECT_EQ(snapshots[0].reason, "by hand");
  EXPECT_EQ(Json::parse(snapshots[0].facts)["schedule"], Json({2, 5}));
}

TEST_F(SessionTest, WhatIsPublished) {
  Rule untold = brightRule("untold");
  untold.publish = false;
  Session session(stubPrepared(stubReplay(60, {brightRule(), untold}), ""));
  ASSERT_TRUE(isDone(session));
  const PublishedState state = session.state();
  EXPECT_EQ(state.version, "1.2");
  EXPECT_EQ(state.model, "stub.onnx");
  EXPECT_FALSE(state.record || state.mqtt);
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
  EXPECT_TRUE(!source.rules[0].holds && source.rules[0].toBroker && !source.rules[1].toBroker);
  const cv::Mat picture = cv::imdecode(session.picture("gate"), cv::IMREAD_COLOR);
  EXPECT_EQ(picture.size(), cv::Size(64, 48));
  EXPECT_TRUE(session.picture("nobody").empty());
}

// While frames come on which the model fails.
TEST_F(SessionTest, FiguresThatAreAMinuteOldAreNotPublishedAsThoseOfNow) {
  ManualClock clock(1700000000000);
  PreparedSession live = stubPrepared(stubLive(), "");
  auto& network = static_cast<StubNetwork&>(*live.network);
  Session session(std::move(live), {}, clock);
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

TEST_F(SessionTest, WhatWasKnownIsStillSaidWhileItsEngineIsReplaced) {
  PreparedSession replay = stubPrepared(stubReplay(20), "");
  replay.options.model = inProject("tests/models/segmenter_mask.onnx");
  AskingClock clock;
  Session session(std::move(replay), {}, clock);
  ASSERT_TRUE(isDone(session));
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
TEST_F(SessionTest, PicturesOfOneColourChooseNoPrecision) {
  SessionOptions options;
  options.model = inProject("tests/models/segmenter_mask.onnx");
  options.choosePrecision = true;
  const PreparedSession chosen = prepare(options, {cv::Mat(48, 64, CV_8UC3, cv::Scalar(0, 0, 0))});
  EXPECT_TRUE(chosen.precisions.empty());
  EXPECT_EQ(chosen.options.segmenter.read.precision, "fp32");
  EXPECT_EQ(chosen.options.chosenFor, "") << "the next pictures may say more";
}

TEST_F(SessionTest, WhatHoldsAtTheEndEndsInTheRecordAndForTheCommand) {
  Rule rule = brightRule();
  rule.command = {"/bin/true"};
  {
    Session session(prepared(stubReplay(30, {rule})));  // the last two are bright
    ASSERT_TRUE(isDone(session));
    session.stop();
    const auto commands = *session.state().commands;
    EXPECT_EQ(commands.begun + commands.refused, 2u) << "one that began, one that ended";
    ASSERT_TRUE(session.endRecord(kDiskMs));
  }
  ASSERT_EQ(events("rule").size(), 2u);
  EXPECT_EQ(events("rule")[1].text,
            "Rule 'bright' ended after 0.1 s: the source is no longer watched.");
}

TEST_F(SessionTest, ACommandThatRunsAtTheEndIsLoggedCountedAndRecorded) {
  Rule rule = brightRule();
  rule.command = {"/bin/sleep", "600"};
  const auto isTold = [](const std::vector<Event>& events) {
    return std::any_of(events.begin(), events.end(), [](const Event& event) {
      return event.name == "bright" && has(event.text, "because the monitor ended");
    });
  };
  for (const bool asksForIt : {true, false}) {  // a service does, the app's window closes
    const std::string record = folder_ / (asksForIt ? "a" : "b");
    HeardEvents heard;
    {
      Session session(stubPrepared(stubReplay(60, {rule}), record), {&heard});
      ASSERT_TRUE(isDone(session));
      ASSERT_TRUE(eventually([&] { return session.state().commands->begun == 2; }));
      if (asksForIt) {
        session.stop();
        EXPECT_EQ(session.state().commands->failed, 2u);
        ASSERT_TRUE(session.endRecord(kDiskMs));
      }
    }
    EXPECT_TRUE(isTold(heard.of("command")));
    EXPECT_TRUE(isTold(eventsIn(record)));
  }
}

}  // namespace
}  // namespace mpm::test
