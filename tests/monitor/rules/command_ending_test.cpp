// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "cli/folder.h"
#include "monitor/process/processes.h"
#include "monitor/rules/commands.h"
#include "monitor/rules/words.h"

namespace mpm::test {
namespace {

using monitor::CommandFailure;
using monitor::CommandOptions;
using monitor::Commands;
using Words = std::vector<std::string>;

// Writes the number of a process that would go on for ten minutes, and waits for it.
const char* const kHang = "sleep 600 & echo $! > \"$1\"; wait";
// The same, deaf to SIGTERM, and so is what it starts.
const char* const kDeaf = "trap '' TERM; sleep 600 & echo $! > \"$1\"; wait";

class CommandEnding : public testing::Test {
 protected:
  void SetUp() override {
    if (statOf("self").empty()) GTEST_SKIP() << "there is no /proc";
    ASSERT_TRUE(reapsAll());
  }

  // At its end Commands waits for less than a second: on a busy machine what it killed may still be
  // there then, and is waited for here.
  static bool reapsAll() {
    return eventually([] {
      while (waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      return childrenOf(getpid()) == 0;
    });
  }

  Words hang(const char* script, const std::string& name) {
    return {"/bin/sh", "-c", script, "sh", folder_.at(name)};
  }
  pid_t pidOf(const std::string& name) {
    return static_cast<pid_t>(std::stol(lineOf(folder_.at(name))));
  }

  Folder folder_;
};

TEST_F(CommandEnding, AProgramThatHangsIsEnded) {
  Commands commands({200, 4, 64});
  commands.run({"sleep", "600"}, {});
  ASSERT_TRUE(eventually([&] { return commands.status().failed == 1; }));
  EXPECT_EQ(commands.status().fault, "The command 'sleep' ran longer than 0.2 s and was stopped.");
  EXPECT_TRUE(eventually([] { return childrenOf(getpid()) == 0; }));
}

// One that a busy machine is slow to start is stopped before it is deaf: the next has more time.
TEST_F(CommandEnding, OneThatIsDeafIsKilledWithItsGroup) {
  bool isDeaf = false;
  for (std::int64_t ms = 1000; !isDeaf && ms < 100000; ms *= 4) {
    Commands commands({ms, 4, 64});
    commands.run(hang(kDeaf, "pid"), {});
    ASSERT_TRUE(eventually([&] { return commands.status().failed == 1; }));
    EXPECT_EQ(commands.status().fault, "The command '/bin/sh' ran longer than " +
                                           monitor::durationText(ms) + " and was stopped.");
    isDeaf = std::filesystem::exists(folder_.at("pid"));
  }
  const pid_t other = pidOf("pid");
  EXPECT_TRUE(eventually([&] { return !isAlive(other); }));
}

TEST_F(CommandEnding, OthersGoOnMeanwhile) {
  Commands commands({30000, 2, 64});
  commands.run(hang(kHang, "pid"), {});
  const pid_t other = pidOf("pid");
  for (int i = 0; i < 5; ++i) commands.run({"true"}, {});
  EXPECT_TRUE(eventually([&] { return commands.status().begun == 6; }));
  EXPECT_TRUE(isAlive(other));
}

TEST_F(CommandEnding, AtTheEndNothingIsLeft) {
  auto commands = std::make_unique<Commands>(CommandOptions{30000, 3, 64});
  commands->run(hang(kHang, "a"), {});
  commands->run(hang(kDeaf, "b"), {});
  commands->run(hang(kHang, "c"), {});
  const pid_t others[] = {pidOf("a"), pidOf("b"), pidOf("c")};
  commands->run(hang(kHang, "waiting"), {});
  const auto before = std::chrono::steady_clock::now();
  commands.reset();
  const auto took = std::chrono::steady_clock::now() - before;
  EXPECT_LT(took, std::chrono::seconds(60)) << "they would go on for ten minutes";
  EXPECT_TRUE(reapsAll());
  for (const pid_t other : others) EXPECT_TRUE(eventually([&] { return !isAlive(other); }));
  EXPECT_FALSE(std::filesystem::exists(folder_.at("waiting"))) << "what waits is not begun";
}

TEST_F(CommandEnding, AtTheEndWhatRunsAndWhatWaitsIsToldAndCounted) {
  std::vector<std::string> told;  // by the thread that end() waits for
  Commands commands({30000, 2, 64}, [&](const CommandFailure& failure) {
    told.push_back(failure.values[0].second + ": " + failure.fault);
  });
  commands.run(hang(kHang, "a"), {{"rule", "a"}});
  commands.run(hang(kDeaf, "b"), {{"rule", "b"}});
  pidOf("a"), pidOf("b");
  commands.run({"/bin/true"}, {{"rule", "c"}});
  commands.end();
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[0], "c: The command '/bin/true' was not started: the monitor ended.");
  EXPECT_TRUE(told[1].starts_with("a: The command '/bin/sh' was stopped after ")) << told[1];
  EXPECT_TRUE(told[2].starts_with("b: The command '/bin/sh' was stopped after ")) << told[2];
  EXPECT_FALSE(commands.run({"/bin/true"}, {{"rule", "d"}}));
  EXPECT_EQ(commands.status().begun, 2u);
  EXPECT_EQ(commands.status().failed, 2u);
  EXPECT_EQ(commands.status().refused, 2u);
  commands.end();
  EXPECT_EQ(told.size(), 4u);
}

// As those of rules that end with the monitor: nobody would switch off what they switched on.
TEST_F(CommandEnding, AtTheEndWhatIsDoneInAMomentMayRun) {
  CommandOptions options;
  options.atOnce = 1;
  options.lastMs = 60000;
  Commands commands(options);
  for (const char* name : {"a", "b", "c"}) commands.run({"/bin/touch", folder_.at(name)}, {});
  commands.end();
  for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(std::filesystem::exists(folder_.at(name)));
  EXPECT_EQ(commands.status().refused, 0u);
  EXPECT_EQ(commands.status().failed, 0u) << commands.status().fault;
}

TEST_F(CommandEnding, AtTheEndWhatEndedByItselfHasNotFailed) {
  for (int time = 0; time < 20; ++time) {
    Commands commands;
    commands.run({"/bin/sh", "-c", "echo $$ > \"$1\"", "sh", folder_.at("pid")}, {});
    const pid_t pid = pidOf("pid");
    std::filesystem::remove(folder_.at("pid"));
    ASSERT_TRUE(eventually([&] { return !isAlive(pid); }));
    commands.end();
    EXPECT_EQ(commands.status().failed, 0u) << commands.status().fault;
  }
}

// For half a second, of which a busy machine may take all.
TEST_F(CommandEnding, AProgramMayTidyUp) {
  bool isTidy = false;
  for (int attempt = 0; attempt < 20 && !isTidy; ++attempt) {
    const std::string tidy = folder_.at("tidy" + std::to_string(attempt)),
                      ready = folder_.at("ready" + std::to_string(attempt));
    auto commands = std::make_unique<Commands>();
    commands->run({"/bin/sh", "-c",
                   "trap 'echo tidy > \"$1\"; exit' TERM; echo ready > \"$2\"; while :; do sleep "
                   "0.02; done",
                   "sh", tidy, ready},
                  {});
    ASSERT_EQ(lineOf(ready), "ready");
    commands.reset();
    isTidy = std::filesystem::exists(tidy) && bytesOf(tidy) == "tidy\n";
  }
  EXPECT_TRUE(isTidy);
}

TEST_F(CommandEnding, WithoutCommandsItEndsAtOnce) {
  for (int i = 0; i < 50; ++i) Commands{};
  EXPECT_EQ(childrenOf(getpid()), 0);
}

}  // namespace
}  // namespace mpm::test
