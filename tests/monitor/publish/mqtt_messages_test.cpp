// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/mqtt_messages.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "monitor/publish/sample_state.h"

namespace mpm::monitor {
namespace {

using nlohmann::json;

TEST(MqttMessages, AStateHoldsFiguresLightRowsAndCapture) {
  const json state = json::parse(stateJson(sampleSource()));
  EXPECT_EQ(state["source"], "north");
  EXPECT_EQ(state["address"], "rtsp://***@camera.example/north");
  EXPECT_EQ(state["time"], "2026-03-01T17:05:09.250Z");
  EXPECT_EQ(state["fresh"], true);
  EXPECT_EQ(state["light"], "dusk");
  EXPECT_EQ(state["rows"], json({1024, 700}));
  EXPECT_EQ(state["figures"]["area.car"], 0.125);
  EXPECT_EQ(state["figures"]["zone.gate.area.car"], 0.5);
  EXPECT_TRUE(state["figures"]["area.tree"].is_null());
  EXPECT_EQ(state["figures"].count("rows.0"), 0u);
  EXPECT_EQ(state["figures"].count("drops"), 0u);
  EXPECT_EQ(state["capture"]["state"], "live");
  EXPECT_EQ(state["capture"]["fps"], 25);
  EXPECT_EQ(state["capture"]["dropped"], 250);
  EXPECT_EQ(state["capture"]["since_frame_ms"], 40);
  EXPECT_EQ(state["frames"], 750);
  EXPECT_EQ(state["light_frames"]["dusk"], 200);
  EXPECT_EQ(state["rules"]["car at the gate"], true);
  EXPECT_EQ(state["rules"]["dark"], false);
}

TEST(MqttMessages, FiguresHaveSixDigits) {
  PublishedSource source = sampleSource();
  source.latest->values[2] = 1.0 / 3;
  source.latest->values[4] = 1234567.0;
  source.latest->values[5] = 1e-9;
  source.latest->values[8] = INFINITY;
  const std::string text = stateJson(source);
  EXPECT_NE(text.find("\"merged_share\":0.333333,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"confidence\":1234570,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"area.car\":1e-09,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"luma\":null,"), std::string::npos) << text;
}

TEST(MqttMessages, ASourceWithoutFramesSaysSo) {
  PublishedSource source = sampleSource();
  source.latest.reset();
  source.capture = {};
  source.capture.state = CaptureState::waiting;
  source.capture.fault = "no route";
  const json state = json::parse(stateJson(source));
  EXPECT_EQ(state["fresh"], false);
  EXPECT_EQ(state.count("figures"), 0u);
  EXPECT_TRUE(state["capture"]["since_frame_ms"].is_null());
  EXPECT_EQ(state["capture"]["fault"], "no route");
}

TEST(MqttMessages, OldFiguresAreNotFresh) {
  PublishedSource source = sampleSource();
  source.capture.msSinceFrame = 60001;
  EXPECT_EQ(json::parse(stateJson(source))["fresh"], false);
}

TEST(MqttMessages, FiguresFromBeforeTheModelFailedAreNotFresh) {
  PublishedSource source = sampleSource();
  EXPECT_EQ(json::parse(stateJson(source))["model_fault"], "");
  source.netFault = "no memory";
  source.latestAgeMs = 60000;
  EXPECT_EQ(json::parse(stateJson(source))["model_fault"], "no memory");
  EXPECT_EQ(json::parse(stateJson(source))["fresh"], true);
  source.latestAgeMs = 60001;
  EXPECT_EQ(json::parse(stateJson(source))["fresh"], false);
}

TEST(MqttMessages, ARuleThatIsNotForTheBrokerIsNotInAState) {
  PublishedSource source = sampleSource();
  source.rules.push_back({"untold", true, false});
  EXPECT_EQ(stateJson(source), stateJson(sampleSource()));
}

TEST(MqttMessages, TextsOfAnyBytesGoOut) {
  PublishedSource source = sampleSource();
  source.rules = {{"B\xE4ume \"\n", true}};
  source.capture.fault = "\xFF";
  const json state = json::parse(stateJson(source));
  EXPECT_EQ(state["capture"]["fault"], "\xEF\xBF\xBD");
  Event event;
  event.text = "\xFF";
  EXPECT_EQ(json::parse(eventJson("north", event))["text"], "\xEF\xBF\xBD");
}

TEST(MqttMessages, AnEventHoldsWhatHappened) {
  Event event;
  event.at.utcMs = kSampleUtcMs;
  event.at.synchronised = false;
  event.kind = "rule";
  event.name = "car at the gate";
  event.text = "A car is at the gate.";
  event.value = 0.25;
  json told = json::parse(eventJson("north", event));
  EXPECT_EQ(told["source"], "north");
  EXPECT_EQ(told["time"], "2026-03-01T17:05:09.250Z");
  EXPECT_EQ(told["utc_ms"], kSampleUtcMs);
  EXPECT_EQ(told["synchronised"], false);
  EXPECT_EQ(told["kind"], "rule");
  EXPECT_EQ(told["name"], "car at the gate");
  EXPECT_EQ(told["text"], "A car is at the gate.");
  EXPECT_EQ(told["value"], 0.25);
  event.value.reset();
  told = json::parse(eventJson("north", event));
  EXPECT_TRUE(told["value"].is_null());
}

TEST(MqttMessages, TimesAreUtcToTheMillisecond) {
  EXPECT_EQ(utcText(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(utcText(951782399999), "2000-02-28T23:59:59.999Z");
  EXPECT_EQ(utcText(951782400001), "2000-02-29T00:00:00.001Z");
  EXPECT_EQ(utcText(-1), "1969-12-31T23:59:59.999Z");
}

}  // namespace
}  // namespace mpm::monitor
