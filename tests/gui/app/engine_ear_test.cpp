// SPDX-License-Identifier: Apache-2.0
#include "gui/app/engine_ear.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mpm::gui {
namespace {

class EngineEarTest : public ::testing::Test {
 protected:
  void happens(std::size_t source, const std::string& text) {
    monitor::Event event;
    event.text = text;
    ear_.onEvent(source, event);
  }

  using Told = std::vector<std::pair<std::size_t, std::string>>;
  int results_ = 0;
  Told told_;
  EngineEar ear_{2, [this] { ++results_; },
                 [this](std::size_t source, const monitor::Event& event) {
                   told_.emplace_back(source, event.text);
                 }};
};

TEST_F(EngineEarTest, WhatHappensBeforeItIsOpenedWaits) {
  happens(1, "first");
  happens(0, "second");
  EXPECT_TRUE(told_.empty());
  ear_.open();
  EXPECT_EQ(told_, (Told{{1, "first"}, {0, "second"}}));
  happens(1, "third");
  EXPECT_EQ(told_.back(), std::pair(std::size_t{1}, std::string("third")));
  ear_.open();
  EXPECT_EQ(told_.size(), 3U) << "once";
}

TEST_F(EngineEarTest, KeepsTheNewestOfEachSourceAndTheNewestWithFullTokens) {
  EXPECT_EQ(ear_.newest(0), nullptr);
  const auto compared = std::make_shared<monitor::FrameResult>();
  compared->full.emplace();
  const auto plain = std::make_shared<monitor::FrameResult>();
  ear_.onResult(1, compared);
  ear_.onResult(1, plain);
  EXPECT_EQ(ear_.newest(1), plain);
  EXPECT_EQ(ear_.compared(1), compared);
  EXPECT_EQ(ear_.newest(0), nullptr);
  EXPECT_EQ(ear_.compared(0), nullptr);
  EXPECT_EQ(results_, 2) << "also before it is opened";
}

}  // namespace
}  // namespace mpm::gui
