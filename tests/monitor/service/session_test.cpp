// SPDX-License-Identifier: Apache-2.0
// What a session leaves in its record, whatever befalls that, and says there of a run; what it
// publishes, also while its engine is replaced; what it does about rules; and in which precision it
// computes.
#include "monitor/service/session.h"

#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "in_project.h"
#include "monitor/publish/published.h"
#include "monitor/record/export.h"
#include "monitor/record/old_record.h"
#include "monitor/service/stub_session.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;
using Json = nlohmann::json;

class SessionTest : public SessionCase {};

TEST_F(SessionTest, WhatBefallsTheRecordOfTwoSourcesIsToldOnceAlsoWithoutABroker) {
  HeardEvents heard;
  {
    const auto loaded = stubLoaded();
    Session session(stubOptions(path_),
                    {stubCamera(stubReplay(60), loaded),
                     stubCamera(watching({.frames = 60}, named("hall")), loaded)},
                    {&heard});
    ASSERT_TRUE(isDone(session));
    ASSERT_TRUE(eventually([&] { return session.state().record->waiting == 0; }));
    std::filesystem::remove(path_);
    EXPECT_TRUE(eventually([&] { return !heard.of("record").empty(); }));
  }
  ASSERT_EQ(heard.of("record").size(), 1u);
  EXPECT_EQ(heard.of("record")[0].name, "removed");
  EXPECT_EQ(events("record").size(), 1u);
  EXPECT_EQ(events("record", "hall").size(), 1u);
}

TEST_F(SessionTest, WithoutItsRecordItWatchesOnOrRefusesAsItIsAsked) {
  const std::string nowhere = folder_ / "nowhere/a.sqlite";
  SessionOptions careless = stubOptions(nowhere);
  careless.mustRecord = false;
  const Session session(careless, {stubCamera(stubReplay(60))});
  EXPECT_TRUE(has(session.recordFault(), "There is no folder"));
  EXPECT_TRUE(isDone(session));
  EXPECT_EQ(session.engine("gate")->frames(), 60u);
  EXPECT_THROW(Session(stubOptions(nowhere), {stubCamera(stubReplay(60))}), std::runtime_error);
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
      EXPECT_EQ(each["facts"]["run"]["model_hash"], "hash of stub");
    } else {
      EXPECT_TRUE(each["labels"].is_null());
      EXPECT_GT(std::filesystem::file_size(each["clip"].get<std::string>()), 1000u);
    }
  }
}

TEST_F(SessionTest, OfOneQuarterOfAnHourOnePictureIsKeptHoweverOftenItBegins) {
  ManualClock clock(kNoon);
  SessionOptions options = stubOptions(path_);
  options.pictures.perHour = 4;
  for (int start = 0; start < 2; ++start) {
    const Session session(options, {stubCamera(stubLive())}, {}, clock);
    for (int step = 0; step < 8; ++step) {  // longer than the light takes to settle
      clock.advance(10000);
      ASSERT_TRUE(goesOn(session, "gate"));
    }
  }
  EXPECT_EQ(snapshotsIn(path_).size(), 1u);
}

TEST_F(SessionTest, ASnapshotByHandNeedsARecordAndAFrame) {
  Session without(stubOptions(), {stubCamera(stubReplay(60))});
  ASSERT_TRUE(isDone(without));
  EXPECT_FALSE(without.snapshot("gate", "by hand"));
  {
    Session with(stubOptions(path_), {stubCamera(stubReplay(60))});
    ASSERT_TRUE(isDone(with));
    EXPECT_TRUE(with.snapshot("gate", "by hand"));
  }
  const auto snapshots = snapshotsIn(path_);
  ASSERT_EQ(snapshots.size(), 1u);
  EXPECT_EQ(snapshots[0].reason, "by hand");
  EXPECT_EQ(Json::parse(snapshots[0].facts)["schedule"], Json({2, 5}));
}

TEST_F(SessionTest, WhatIsPublished) {
  Rule untold = brightRule("untold");
  untold.publish = false;
  Session session(stubOptions(), {stubCamera(stubReplay(60, {brightRule(), untold}))});
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
  const auto network = std::make_shared<StubNetwork>();
  Session session(stubOptions(), {stubCamera(stubLive(), stubLoaded(network))}, {}, clock);
  const auto source = [&] { return session.state().sources[0]; };
  ASSERT_TRUE(eventually([&] { return source().hasFreshFigures(); }));
  network->failing = true;
  ASSERT_TRUE(eventually([&] { return !source().netFault.empty(); }));
  clock.advance(60000);
  ASSERT_TRUE(eventually([&] { return source().capture.msSinceFrame == 0; }));
  EXPECT_TRUE(source().hasFreshFigures());
  clock.advance(1);
  EXPECT_FALSE(source().hasFreshFigures());
  network->failing = false;
  EXPECT_TRUE(eventually([&] { return source().hasFreshFigures(); }));
}

// Asks what a session says whenever this thread looks at it while there is no engine.
class AskingClock : public ManualClock {
 public:
  Moment now() override {
    if (std::this_thread::get_id() == thread_ && session != nullptr && !session->engine("gate")) {
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
  AskingClock clock;
  Session session(stubOptions(), {stubCamera(stubReplay(20))}, {}, clock);
  ASSERT_TRUE(isDone(session));
  clock.session = &session;
  RuleBook book;
  book.zones = {{"left", {{0, 0}, {0.5, 0}, {0.5, 1}}}};
  EXPECT_TRUE(session.setBooks({book}));
  clock.session = nullptr;
  ASSERT_FALSE(clock.states.empty());
  for (const PublishedState& state : clock.states) {
    EXPECT_EQ(state.version, "1.2");
    EXPECT_EQ(state.model, "stub.onnx");
    ASSERT_EQ(state.sources.size(), 1u);
    EXPECT_EQ(state.sources[0].name, "gate");
    EXPECT_EQ(state.sources[0].frames, 20u);
  }
}

// Of a lid on the lens, say: they would say yes to every precision.
TEST(LoadedNetwork, PicturesOfOneColourChooseNoPrecision) {
  NetworkOptions options;
  options.model = inProject("tests/models/segmenter_mask.onnx");
  options.choosePrecision = true;
  const auto chosen = loadNetwork(
      options, [] { return std::vector{cv::Mat(48, 64, CV_8UC3, cv::Scalar(0, 0, 0))}; });
  EXPECT_TRUE(chosen->precisions.empty());
  EXPECT_EQ(chosen->options.segmenter.read.precision, "fp32");
  EXPECT_EQ(chosen->options.chosenFor, "") << "the next pictures may say more";
}

// Cameras need not be opened for a precision that is known.
TEST(LoadedNetwork, AsksForPicturesOnlyToChooseAPrecision) {
  NetworkOptions options;
  options.model = inProject("tests/models/segmenter_mask.onnx");
  int asked = 0;
  const auto pictures = [&] {
    ++asked;
    return std::vector<cv::Mat>();
  };
  options.chosenFor = loadNetwork(options, pictures)->hash;
  EXPECT_EQ(asked, 0);
  options.choosePrecision = true;
  options.segmenter.read.precision = "int8";
  EXPECT_EQ(loadNetwork(options, pictures)->options.segmenter.read.precision, "int8");
  EXPECT_EQ(asked, 0);
  options.chosenFor = "another";
  EXPECT_EQ(loadNetwork(options, pictures)->options.segmenter.read.precision, "fp32");
  EXPECT_EQ(asked, 1);
}

TEST(PreparedCamera, RulesThatDoNotFitTheModelAreLeftOutOrRefused) {
  const EngineOptions engine =
      stubLive("gate", {metricRule("on a car", "area.car", 0.5), brightRule(),
                        metricRule("by zone", "zone.left.area.dark", 0.5)});
  const PreparedCamera camera = prepareCamera(engine, stubLoaded(), false);
  EXPECT_EQ(camera.leftOut.size(), 2u);
  for (const std::string& sentence : camera.leftOut)
    EXPECT_TRUE(has(sentence, "'on a car'") || has(sentence, "'by zone'"));
  ASSERT_EQ(camera.engine.source.book.rules.size(), 1u);
  EXPECT_EQ(camera.engine.source.book.rules[0].name, "bright");
  EXPECT_TRUE(has(refusal([&] { prepareCamera(engine, stubLoaded()); }), "'on a car'"));
}

TEST_F(SessionTest, WhatHoldsAtTheEndEndsInTheRecordAndForTheCommand) {
  Rule rule = brightRule();
  rule.command = {"/bin/true"};
  {
    // The last two are bright.
    Session session(stubOptions(path_), {stubCamera(stubReplay(30, {rule}))});
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
      Session session(stubOptions(record), {stubCamera(stubReplay(60, {rule}))}, {&heard});
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

class SessionRun : public SessionCase {};

TEST_F(SessionRun, SaysWithWhatItWasMade) {
  EngineOptions engine = stubReplay(60);
  engine.source.book.zones = {{"left", {{0, 0}, {0.5, 0}, {0.5, 1}}}};
  engine.light.nightLuma = 0.125;
  watch(engine);
  const auto taught = std::make_shared<StubNetwork>();
  taught->taughtFrom = "12 frames";
  {
    const Session session(stubOptions(path_), {stubCamera(stubReplay(6), stubLoaded(taught))});
    ASSERT_TRUE(isDone(session));
  }
  ASSERT_EQ(runs().size(), 2u);
  const RunFacts facts = runs()[0].facts;
  EXPECT_EQ(facts.model + " " + facts.modelHash + " " + facts.version,
            "stub.onnx hash of stub 1.2");
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
  engine.source.book.zones = {{"left", {{0.1, 0}, {0.5, 1.0 / 3}, {0.5, 1}}, true}};
  PastRun now;
  {
    const Session session(stubOptions(path_), {stubCamera(engine)});
    now = pastRun(session.facts("gate"));
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
  EXPECT_EQ(pastRun(Session(stubOptions(), {stubCamera(engine)}).facts("gate")).zones, now.zones);
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
    live.source.book.zones = {{"half", {{left, 0}, {1, 0}, {1, 1}}}};
    live.source.book.followCamera = follows;
    const Session session(stubOptions(path_), {stubCamera(live)});
    EXPECT_TRUE(goesOn(session, "gate", 1));
    return session.engine("gate")->source().view.empty();
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
    SessionOptions options = stubOptions(path_);
    options.knowsCameras = knows;
    const Session session(options, {stubCamera(stubLive())});
    EXPECT_TRUE(goesOn(session, "gate", 1));
    return session.engine("gate")->source().view;
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
  const Session session(stubOptions(path_), {stubCamera(stubLive())});
  EXPECT_NEAR(session.engine("gate")->source().dayLevel, 0.375, 1e-9);
}

}  // namespace
}  // namespace mpm::test
