// SPDX-License-Identifier: Apache-2.0
// What a session tells a broker, a real one.
#include <nlohmann/json.hpp>

#include "monitor/publish/broker.h"
#include "monitor/service/stub_session.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;
using Json = nlohmann::json;

class SessionMqtt : public SessionCase {
 protected:
  void SetUp() override {
    if (!Broker::isInstalled()) GTEST_SKIP() << "mosquitto is not installed";
    broker_.emplace();
    hearer_.emplace(broker_->options(), "mpm/+/event");
  }
  SessionOptions publishing() const {
    SessionOptions options = stubOptions(path_);
    options.mqtt = broker_->options();
    return options;
  }

  // How often each kind and name was heard.
  std::map<std::string, int> heard() const {
    std::map<std::string, int> times;
    for (const auto& message : hearer_->heard("mpm/gate/event")) {
      const Json event = Json::parse(message.payload);
      EXPECT_EQ(event["source"], "gate");
      ++times[event["kind"].get<std::string>() + " " + event["name"].get<std::string>()];
    }
    return times;
  }

  std::optional<Broker> broker_;
  std::optional<Hearer> hearer_;
};

// A replay tells each of them once or twice, and the record has them all: what the broker heard is
// held against that.
TEST_F(SessionMqtt, AllThatIsRecordedIsPublishedOnce) {
  Rule told = brightRule("told"), untold = brightRule("untold");
  untold.publish = false;
  told.command = untold.command = {"/nowhere/alert"};
  {
    Session session(publishing(), {stubCamera(stubReplay(60, {told, untold}))});
    ASSERT_TRUE(isDone(session));
    ASSERT_TRUE(eventually([&] { return session.state().commands->failed == 4; }));
    session.stop();
    ASSERT_TRUE(session.endRecord(120000));
    // A publisher that ends gives up what a busy broker has not taken within half a second.
    ASSERT_TRUE(eventually([&] { return session.state().mqtt->waiting == 0; }));
  }
  std::map<std::string, int> recorded;
  for (const Event& event : eventsIn(path_)) ++recorded[event.kind + " " + event.name];
  EXPECT_EQ(recorded.count("command told"), 1u);
  EXPECT_EQ(recorded.count("source ended"), 1u);
  EXPECT_EQ(recorded["rule told"], 2);
  EXPECT_EQ(recorded["rule untold"], 2);
  recorded.erase("rule untold");
  EXPECT_TRUE(eventually([&] { return heard() == recorded; })) << Json(heard()) << Json(recorded);
}

TEST_F(SessionMqtt, WhatBefallsTheRecordIsPublished) {
  Session session(publishing(), {stubCamera(stubReplay(60))});
  ASSERT_TRUE(isDone(session));
  ASSERT_TRUE(eventually([&] { return session.state().record->waiting == 0; }));
  std::filesystem::remove(path_);
  EXPECT_TRUE(hearer_->waitFor("mpm/gate/event", "The record is not where it was"))
      << session.recordFault();
  EXPECT_EQ(heard()["record removed"], 1);
}

}  // namespace
}  // namespace mpm::test
