// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/pages.h"

#include <gtest/gtest.h>

#include <bitset>
#include <string>

#include "digest/sha256.h"
#include "monitor/publish/sample_state.h"

namespace mpm::monitor {
namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
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
  EXPECT_TRUE(holds(page, "href=\"/metrics?token=a%26b%22c\""));
  EXPECT_TRUE(holds(page, "href=\"/healthz?token=a%26b%22c\""));
  EXPECT_TRUE(holds(page, "data-from=\"/picture/north.jpg?token=a%26b%22c\""));
  EXPECT_TRUE(holds(page, "data-from=\"/picture/south.jpg?token=a%26b%22c\""));
  EXPECT_FALSE(holds(indexPage(state, ""), "token="));
}

TEST(IndexPage, WhatIsShownIsEscaped) {
  PublishedState state = sampleState();
  state.model = "<script>alert(1)</script>";
  state.sources[0].capture.fault = "\"&'";
  const std::string page = indexPage(state, "");
  EXPECT_FALSE(holds(page, "<script>alert"));
  EXPECT_TRUE(holds(page, "&lt;script&gt;alert(1)"));
  EXPECT_TRUE(holds(page, "&quot;&amp;&#39;"));
}

TEST(IndexPage, ItsPolicyNamesItsOwnStyleAndScript) {
  const std::string page = indexPage(sampleState(), "");
  EXPECT_TRUE(holds(page, "default-src 'none'"));
  EXPECT_TRUE(holds(page, "style-src " + sourceOf(page, "style"))) << sourceOf(page, "style");
  EXPECT_TRUE(holds(page, "script-src " + sourceOf(page, "script"))) << sourceOf(page, "script");
}

TEST(Pages, EachPathHasItsOwn) {
  PageContent content;
  content.state = [] {
    PublishedState state = sampleState();
    state.sources.push_back(sampleSource("dark"));
    return state;
  };
  content.picture = [](const std::string& source) {
    return source == "north" ? std::vector<unsigned char>{0xFF, 0xD8, 0, 0xFF, 0xD9}
                             : std::vector<unsigned char>();
  };
  EXPECT_EQ(pageAt("/", "", content).text, indexPage(content.state(), ""));
  EXPECT_EQ(pageAt("/metrics", "", content).text, prometheusText(content.state()));
  EXPECT_EQ(pageAt("/healthz", "", content).text, healthOf(content.state()).text);
  EXPECT_EQ(pageAt("/picture.jpg", "", content).text, std::string("\xFF\xD8\0\xFF\xD9", 5));
  EXPECT_STREQ(pageAt("/picture/dark.jpg", "", content).header.first, "Retry-After");
  EXPECT_EQ(pageAt("", "", content).status, 404);
}

}  // namespace
}  // namespace mpm::monitor
