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

TEST(SessionRules, OtherRulesGoOnWithTheEngineThatRuns) {
  EngineOptions engine = stubReplay(60);
  engine.sources[0].book.rules = {brightRule("first")};
  Session session(stubPrepared(engine, ""));
  const Engine* before = session.engine().get();
  RuleBook book;
  book.rules = {brightRule("second")};
  EXPECT_FALSE(session.setBooks({book}));
  EXPECT_EQ(session.engine().get(), before);
  EXPECT_TRUE(eventually([&] {
    const auto rules = session.engine()->rules(0);
    return rules.size() == 1 && rules[0].first == "second";
  }));
  RuleBook wrong = book;
  wrong.rules[0].metric = "area.brigth";
  EXPECT_THROW(session.setBooks({wrong}), std::runtime_error);
  EXPECT_EQ(session.engine()->rules(0)[0].first, "second");
  // Other zones need the model anew, and there is none: all goes on.
  book.zones = {{"left", {{0, 0}, {0.5, 0}, {0.5, 1}}}};
  EXPECT_ANY_THROW(session.setBooks({book}));
  EXPECT_EQ(session.engine().get(), before);
}

TEST(SessionRules, ACommandThatFailsIsLoggedCountedAndRecorded) {
  const Folder folder;
  EngineOptions engine = stubReplay(60);
  Rule rule = brightRule("bright");
  rule.command = {"/nowhere/alert", "{rule}"};
  engine.sources[0].book.rules = {rule};
  const std::string told =
      "The command '/nowhere/alert' was not started: No such file or directory.";
  Heard heard;
  {
    Session session(stubPrepared(engine, folder.at("a.sqlite")), {&heard});
    ASSERT_TRUE(eventually([&] { return session.engine()->done(); }));
    // It began and ended to be bright: two failed, and one is told within a minute.
    ASSERT_TRUE(eventually([&] { return session.state().commands->failed == 2; }));
    EXPECT_NE(prometheusText(session.state()).find("\nmpm_commands_failed_total 2\n"),
              std::string::npos);
    ASSERT_TRUE(eventually([&] { return !heard.of("command").empty(); }));
  }
  ASSERT_EQ(heard.of("command").size(), 2u);
  EXPECT_EQ(heard.of("command")[0].name, "bright");
  EXPECT_EQ(heard.of("command")[0].text, told);
  EXPECT_EQ(heard.of("command")[1].text,
            "1 more command of this rule failed or did not start since the last report.");
  const auto events = RecordReader(folder.at("a.sqlite")).events("gate", 0, kEver);
  EXPECT_EQ(std::count_if(
                events.begin(), events.end(),
                [&](const Event& event) { return event.kind == "command" && event.text == told; }),
            1);
}

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
