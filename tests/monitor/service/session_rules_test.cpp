// SPDX-License-Identifier: Apache-2.0
// What a session does about rules, and about the commands that they start.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "monitor/eventually.h"
#include "monitor/publish/pages.h"
#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"
#include "monitor/service/stub_session.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;

class Heard : public EngineListener {
 public:
  void onEvent(std::size_t source, const Event& event) override {
    EXPECT_EQ(source, 0u);
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

TEST(SessionRules, WhatHoldsAtTheEndEndsInTheRecordAndForTheCommand) {
  const Folder folder;
  EngineOptions engine = stubReplay(30);  // the last two are bright
  Rule rule = brightRule("bright");
  rule.command = {"/bin/true"};
  engine.sources[0].book.rules = {rule};
  {
    Session session(stubPrepared(engine, folder.at("a.sqlite")));
    ASSERT_TRUE(eventually([&] { return session.engine()->done(); }));
    session.stop();
    const auto commands = *session.state().commands;
    EXPECT_EQ(commands.begun + commands.refused, 2u) << "one that began, one that ended";
    ASSERT_TRUE(session.endRecord(kDiskMs));
  }
  std::vector<std::string> told;
  for (const Event& event : RecordReader(folder.at("a.sqlite")).events("gate", 0, kEver)) {
    if (event.kind == "rule") told.push_back(event.text);
  }
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[1], "Rule 'bright' ended after 0.1 s: the source is no longer watched.");
}

TEST(SessionRules, ACommandThatRunsAtTheEndIsLoggedCountedAndRecorded) {
  const Folder folder;
  EngineOptions engine = stubReplay(60);
  Rule rule = brightRule("bright");
  rule.command = {"/bin/sleep", "600"};
  engine.sources[0].book.rules = {rule};
  const auto isTold = [](const std::vector<Event>& events) {
    return std::any_of(events.begin(), events.end(), [](const Event& event) {
      return event.kind == "command" && event.name == "bright" &&
             event.text.find("because the monitor ended") != std::string::npos;
    });
  };
  for (const bool asksForIt : {true, false}) {  // a service does, the app's window closes
    const std::string record = folder.at(asksForIt ? "a.sqlite" : "b.sqlite");
    Heard heard;
    {
      Session session(stubPrepared(engine, record), {&heard});
      ASSERT_TRUE(eventually([&] { return session.engine()->done(); }));
      ASSERT_TRUE(eventually([&] { return session.state().commands->begun == 2; }));
      if (asksForIt) {
        session.stop();
        EXPECT_EQ(session.state().commands->failed, 2u);
        ASSERT_TRUE(session.endRecord(kDiskMs));
      }
    }
    EXPECT_TRUE(isTold(heard.of("command")));
    EXPECT_TRUE(isTold(RecordReader(record).events("gate", 0, kEver)));
  }
}

}  // namespace
}  // namespace mpm::test
