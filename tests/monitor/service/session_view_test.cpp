// SPDX-License-Identifier: Apache-2.0
// What a session keeps of what its cameras show, for the next one.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/folder.h"
#include "monitor/eventually.h"
#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"
#include "monitor/service/session.h"
#include "monitor/service/stub_session.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;

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

}  // namespace
}  // namespace mpm::test
