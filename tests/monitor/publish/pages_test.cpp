// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/pages.h"

#include <gtest/gtest.h>

#include <bitset>
#include <functional>
#include <string>

#include "digest/sha256.h"
#include "monitor/publish/sample_state.h"

namespace mpm::monitor {
namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string indexPage(const PublishedState& state, const std::string& token = "") {
  return pageAt("/", token, {[&] { return state; }, nullptr}).text;
}

/// Of hexadecimal digits.
std::string base64(const std::string& hex) {
  constexpr const char* kSigns = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bits, text;
  for (const char digit : hex)
    bits += std::bitset<4>(std::stoul(std::string(1, digit), nullptr, 16)).to_string();
  while (bits.size() % 6 != 0) bits += '0';
  for (std::size_t i = 0; i < bits.size(); i += 6)
    text += kSigns[std::bitset<6>(bits, i, 6).to_ulong()];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

/// What a page's policy has to name for what stands between these tags.
std::string sourceOf(const std::string& page, const std::string& tag) {
  const std::string open = '<' + tag + '>';
  const std::size_t begin = page.find(open) + open.size(), end = page.find("</" + tag, begin);
  return "'sha256-" + base64(digest::sha256Of(page.substr(begin, end - begin))) + "'";
}

TEST(IndexPage, LinksCarryTheToken) {
  PublishedState state = sampleState();
  state.sources.push_back(sampleSource("south"));
  const std::string page = indexPage(state, "a&b\"c");
  for (const char* link : {"href=\"/metrics", "href=\"/healthz", "data-from=\"/picture/north.jpg",
                           "data-from=\"/picture/south.jpg"})
    EXPECT_TRUE(holds(page, std::string(link) + "?token=a%26b%22c\"")) << link;
  EXPECT_FALSE(holds(indexPage(state), "token="));
}

TEST(IndexPage, WhatIsShownIsEscapedAndNothingElseRuns) {
  PublishedState state = sampleState();
  state.model = "<script>alert(1)</script>";
  state.sources[0].capture.fault = "\"&'";
  const std::string page = indexPage(state);
  EXPECT_FALSE(holds(page, "<script>alert"));
  EXPECT_TRUE(holds(page, "&lt;script&gt;alert(1)"));
  EXPECT_TRUE(holds(page, "&quot;&amp;&#39;"));
  EXPECT_TRUE(holds(page, "default-src 'none'"));
  EXPECT_TRUE(holds(page, "style-src " + sourceOf(page, "style"))) << sourceOf(page, "style");
  EXPECT_TRUE(holds(page, "script-src " + sourceOf(page, "script"))) << sourceOf(page, "script");
}

TEST(Health, SaysWhatIsWrong) {
  const struct {
    std::function<void(PublishedState&)> change;
    bool healthy;
    const char* text;
  } cases[] = {
      {[](auto&) {}, true, "north: ok\nmodel: ok\nrecord: ok\n"},
      {[](auto& state) { state.sources[0].capture.state = CaptureState::ended; }, true,
       "north: ok\nmodel: ok\nrecord: ok\n"},
      {[](auto& state) {
         state.record.reset();
         state.sources[0].capture.state = CaptureState::opening;
       },
       false, "north: opening\nmodel: ok\n"},
      {[](auto& state) {
         state.sources[0].capture.state = CaptureState::stale;
         state.sources[0].capture.msSinceFrame = 7400;
       },
       false, "north: no new frame for 7 s\nmodel: ok\nrecord: ok\n"},
      {[](auto& state) {
         state.sources[0].capture.state = CaptureState::waiting;
         state.sources[0].capture.msToNextTry = 12000;
         state.sources[0].capture.fault = "the camera does not answer";
       },
       false,
       "north: not available, next try in 12 s: the camera does not answer\nmodel: ok\n"
       "record: ok\n"},
      {[](auto& state) { state.sources[0].netFault = "the net is out of order"; }, false,
       "north: the model fails on its frames: the net is out of order\nmodel: ok\nrecord: ok\n"},
      {[](auto& state) { state.netStillMs = 75400; }, false,
       "north: ok\nmodel: has been working on one frame for 75 s\nrecord: ok\n"},
      {[](auto& state) { state.record->backupFault = "the disk is full"; }, false,
       "north: ok\nmodel: ok\nrecord: ok\nbackup: the disk is full\n"},
      {[](auto& state) { state.record->fault = "the disk is full:\nno space"; }, false,
       "north: ok\nmodel: ok\nrecord: the disk is full: no space\n"}};
  for (const auto& each : cases) {
    PublishedState state = sampleState();
    each.change(state);
    EXPECT_EQ(healthOf(state).text, each.text);
    EXPECT_EQ(healthOf(state).healthy, each.healthy) << each.text;
  }
}

}  // namespace
}  // namespace mpm::monitor
