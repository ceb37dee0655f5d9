// SPDX-License-Identifier: Apache-2.0
// What a session tells a broker, a real one.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/folder.h"
#include "monitor/eventually.h"
#include "monitor/publish/broker.h"
#include "monitor/record/record_reader.h"
#include "monitor/service/stub_session.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;
using Json = nlohmann::json;

class SessionMqtt : public testing::Test {
 protected:
  void SetUp() override {
    if (!Broker::isInstalled()) GTEST_SKIP() << "mosquitto is not installed";
    broker_.emplace();
    hearer_.emplace(broker_->options(), "mpm/+/event");
  }

  PreparedSession prepared(EngineOptions engine, const std::string& record) const {
    PreparedSession prepared = stubPrepared(std::move(engine), record);
    prepared.options.mqtt = broker_->options();
    return prepared;
  }

  bool hears(const std::string& part) const { return hearer_->waitFor("mpm/gate/event", part); }

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

  Folder folder_;
  std::optional<Broker> broker_;
  std::optional<Hearer> hearer_;
};

EngineOptions withRule(EngineOptions engine, const std::string& name, bool publishes) {
  Rule rule;
  rule.name = name;
  rule.metric = "area.bright";
  rule.above = 0.5;
  rule.publish = publishes;
  rule.command = {"/nowhere/alert"};
  engine.sources[0].book.rules.push_back(rule);
  return engine;
}

// A replay tells each of them once or twice, and the record has them all: what the broker heard is
// held against that.
TEST_F(SessionMqtt, AllThatIsRecordedIsPublishedOnce) {
  const EngineOptions engine = withRule(withRule(stubReplay(60), "told", true), "untold", false);
  const std::string record = folder_.at("a.sqlite");
  {
    Session session(prepared(engine, record));
    ASSERT_TRUE(eventually([&] { return session.engine()->done(); }));
    ASSERT_TRUE(eventually([&] { return session.state().commands->failed == 4; }));
    session.stop();
    ASSERT_TRUE(session.endRecord(120000));
    // A publisher that ends gives up what a busy broker has not taken within half a second.
    ASSERT_TRUE(eventually([&] { return session.state().mqtt->waiting == 0; }));
  }
  std::map<std::string, int> recorded;
  for (const Event& event : RecordReader(record).events("gate", 0, std::int64_t{1} << 60)) {
    ++recorded[event.kind + " " + event.name];
  }
  EXPECT_EQ(recorded.count("command told"), 1u);
  EXPECT_EQ(recorded.count("source ended"), 1u);
  EXPECT_EQ(recorded["rule told"], 2);
  EXPECT_EQ(recorded["rule untold"], 2);
  recorded.erase("rule untold");
  EXPECT_TRUE(eventually([&] { return heard() == recorded; })) << Json(heard()) << Json(recorded);
}

TEST_F(SessionMqtt, WhatBefallsTheRecordIsPublished) {
  const std::string record = folder_.at("a.sqlite");
  Session session(prepared(stubReplay(60), record));
  ASSERT_TRUE(eventually([&] { return session.engine()->done(); }));
  ASSERT_TRUE(eventually([&] { return session.state().record->waiting == 0; }));
  std::filesystem::remove(record);
  EXPECT_TRUE(hears("The record is not where it was")) << session.recordFault();
  EXPECT_EQ(heard()["record removed"], 1);
}

}  // namespace
}  // namespace mpm::test
