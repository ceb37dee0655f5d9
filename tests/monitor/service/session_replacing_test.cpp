// SPDX-License-Identifier: Apache-2.0
// What a session says while its engine is replaced.
#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "in_project.h"
#include "monitor/clock/manual_clock.h"
#include "monitor/eventually.h"
#include "monitor/service/stub_session.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;

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

}  // namespace
}  // namespace mpm::test
