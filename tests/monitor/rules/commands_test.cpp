// SPDX-License-Identifier: Apache-2.0
// Commands: how they run and end, and their words and those for people.
#include "monitor/rules/commands.h"

#include <sys/wait.h>
#include <unistd.h>

#include "cli/folder.h"
#include "files/text.h"
#include "monitor/process/processes.h"
#include "monitor/rules/words.h"
#include "monitor/says.h"

namespace mpm::test {
namespace {

using monitor::CommandFailure;
using monitor::Commands;
using Words = std::vector<std::string>;

Words shell(const std::string& script, const Words& words = {}) {
  Words all{"/bin/sh", "-c", script, "sh"};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}
// Writes the number of a process that would go on for ten minutes, and waits for it; the second is
// deaf to SIGTERM, and so is what it starts.
const std::string kHang = "sleep 600 & echo $! > \"$1\"; wait", kDeaf = "trap '' TERM; " + kHang;

class CommandsTest : public testing::Test {
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
  Words hang(const std::string& script, const std::string& name) {
    return shell(script, {folder_.at(name)});
  }
  pid_t pidOf(const std::string& name) {
    return static_cast<pid_t>(std::stol(lineOf(folder_.at(name))));
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_.at(name)); }
  static bool isGone(pid_t pid) {
    return eventually([&] { return !isAlive(pid); });
  }

  Folder folder_;
};

TEST_F(CommandsTest, ValuesArriveLiterally) {
  const std::string odd = "a \"b\" 'c' $(id) `id` $HOME\n; rm x\\ {rule} *",
                    out = folder_.at("out");
  Commands commands;
  EXPECT_TRUE(
      commands.run(shell("printf '%s\\0' \"$2\" \"$3\" > \"$1.new\"; mv \"$1.new\" \"$1\"",
                         {"{folder}", "{value}", "<{rule}|{state}|{unknown}>"}),
                   {{"folder", out}, {"value", odd}, {"rule", "{value}"}, {"state", "began"}}));
  ASSERT_TRUE(eventually([&] { return exists("out"); }));
  EXPECT_EQ(bytesOf(out), odd + '\0' + "<{value}|began|{unknown}>" + '\0');
}

TEST_F(CommandsTest, WhatFailsIsNamed) {
  const struct {
    Words command;
    std::uint64_t begun;
    const char* fault;
  } cases[] = {
      {{"mpm-no-such-program", "x"},
       0,
       "The command 'mpm-no-such-program' (looked for on PATH) was not started: No such file or "
       "directory."},
      {{"/nowhere/at all"}, 0, "'/nowhere/at all' was not started: No such file or directory."},
      {shell("exit 9"), 1, "The command '/bin/sh' ended with status 9."},
      {shell("kill -KILL $$"), 2, "The command '/bin/sh' was ended by signal 9 (Killed)."},
      {{}, 2, "A command without a program cannot be started."},
      {{""}, 2, "A command without a program cannot be started."},
      {{"echo", std::string("a\0b", 3)}, 2, "an argument cannot contain a zero byte."},
      {{"echo", std::string(1 << 22, 'x')}, 2, "was not started: Argument list too long."}};
  Commands commands;
  for (std::uint64_t failed = 0; const auto& [command, begun, fault] : cases) {
    EXPECT_TRUE(commands.run(command, {}));
    ++failed;
    EXPECT_TRUE(eventually([&] { return commands.status().failed == failed; }));
    EXPECT_TRUE(has(commands.status().fault, fault));
    EXPECT_EQ(commands.status().begun, begun);
  }
}

TEST_F(CommandsTest, AThousandLeaveNothingBehind) {
  const std::size_t before = openDescriptors();
  {
    Commands commands({30000, 8, 1000});
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(commands.run({"true"}, {}));
    EXPECT_TRUE(commands.run(shell("echo done > \"$1\"", {folder_.at("out")}), {}));
    EXPECT_EQ(lineOf(folder_.at("out")), "done");
    EXPECT_TRUE(eventually([&] { return childrenOf(getpid()) == 0; }));
    EXPECT_EQ(openDescriptors(), before);
    const Commands::Status status = commands.status();
    EXPECT_EQ(status.begun, 1001U);
    EXPECT_EQ(status.failed, 0U) << status.fault;
    EXPECT_EQ(status.refused, 0U);
  }
  EXPECT_EQ(openDescriptors(), before);
  EXPECT_EQ(childrenOf(getpid()), 0);
}

TEST_F(CommandsTest, SoManyAtOnceAndNoMore) {
  Commands commands({30000, 2, 64});
  for (int i = 0; i < 10; ++i)
    commands.run(shell("printf b >> \"$1\"; sleep 0.03; printf e >> \"$1\"", {folder_.at("log")}),
                 {});
  std::string log;
  ASSERT_TRUE(eventually([&] {
    if (exists("log")) log = bytesOf(folder_.at("log"));
    return std::count(log.begin(), log.end(), 'e') == 10;
  })) << log;
  int running = 0;
  for (const char c : log) {
    running += c == 'b' ? 1 : -1;
    EXPECT_LE(running, 2) << log;
  }
}

TEST_F(CommandsTest, WhereTooManyWaitMoreAreRefused) {
  Commands commands({30000, 1, 2});
  const Words wait = shell("while [ ! -e \"$1\" ]; do sleep 0.01; done", {folder_.at("go")});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(commands.run(wait, {}));
  EXPECT_FALSE(commands.run(wait, {}));
  EXPECT_FALSE(commands.run({"true"}, {}));
  EXPECT_EQ(commands.status().refused, 2U);
  folder_.write("go", "");
  EXPECT_TRUE(eventually([&] { return commands.run({"true"}, {}); })) << "there is room again";
  EXPECT_TRUE(eventually([&] { return commands.status().begun == 4; }));
  EXPECT_EQ(commands.status().failed, 0U) << commands.status().fault;
}

TEST_F(CommandsTest, OtherChildrenOfTheProcessAreLeftAlone) {
  const pid_t child = fork();
  if (child == 0) _exit(7);
  ASSERT_GT(child, 0);
  Commands commands;
  for (int i = 0; i < 20; ++i) commands.run({"true"}, {});
  EXPECT_TRUE(eventually([&] { return commands.status().begun == 20; }));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(CommandsTest, AProgramThatHangsIsEnded) {
  Commands commands({200, 4, 64});
  commands.run({"sleep", "600"}, {});
  ASSERT_TRUE(eventually([&] { return commands.status().failed == 1; }));
  EXPECT_EQ(commands.status().fault, "The command 'sleep' ran longer than 0.2 s and was stopped.");
  EXPECT_TRUE(eventually([] { return childrenOf(getpid()) == 0; }));
}

// One that a busy machine is slow to start is stopped before it is deaf: the next has more time.
TEST_F(CommandsTest, OneThatIsDeafIsKilledWithItsGroup) {
  for (std::int64_t ms = 1000; !exists("pid") && ms < 100000; ms *= 4) {
    Commands commands({ms, 4, 64});
    commands.run(hang(kDeaf, "pid"), {});
    ASSERT_TRUE(eventually([&] { return commands.status().failed == 1; }));
    EXPECT_TRUE(has(commands.status().fault, "ran longer than " + monitor::durationText(ms)));
  }
  EXPECT_TRUE(isGone(pidOf("pid")));
}

TEST_F(CommandsTest, OthersGoOnMeanwhile) {
  Commands commands({30000, 2, 64});
  commands.run(hang(kHang, "pid"), {});
  const pid_t other = pidOf("pid");
  for (int i = 0; i < 5; ++i) commands.run({"true"}, {});
  EXPECT_TRUE(eventually([&] { return commands.status().begun == 6; }));
  EXPECT_TRUE(isAlive(other));
}

TEST_F(CommandsTest, AtTheEndNothingIsLeftAndWhatRunsAndWaitsIsToldAndCounted) {
  Words told;  // by the thread that end() waits for
  auto commands = std::make_unique<Commands>(
      monitor::CommandOptions{30000, 2, 64}, [&](const CommandFailure& failure) {
        told.push_back(failure.values[0].second + ": " + failure.fault);
      });
  commands->run(hang(kHang, "a"), {{"rule", "a"}});
  commands->run(hang(kDeaf, "b"), {{"rule", "b"}});
  const pid_t others[] = {pidOf("a"), pidOf("b")};
  commands->run(hang(kHang, "waiting"), {{"rule", "c"}});
  const auto before = std::chrono::steady_clock::now();
  commands->end();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(60))
      << "they would go on for ten minutes";
  EXPECT_TRUE(reapsAll());
  for (const pid_t other : others) EXPECT_TRUE(isGone(other));
  EXPECT_FALSE(exists("waiting")) << "what waits is not begun";
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[0], "c: The command '/bin/sh' was not started: the monitor ended.");
  EXPECT_TRUE(told[1].starts_with("a: The command '/bin/sh' was stopped after ")) << told[1];
  EXPECT_TRUE(told[2].starts_with("b: The command '/bin/sh' was stopped after ")) << told[2];
  EXPECT_FALSE(commands->run({"/bin/true"}, {{"rule", "d"}}));
  EXPECT_EQ(commands->status().begun, 2u);
  EXPECT_EQ(commands->status().failed, 2u);
  EXPECT_EQ(commands->status().refused, 2u);
  commands.reset();
  EXPECT_EQ(told.size(), 4u);
}

// As those of rules that end with the monitor: nobody would switch off what they switched on.
TEST_F(CommandsTest, AtTheEndWhatIsDoneInAMomentMayRun) {
  monitor::CommandOptions options;
  options.atOnce = 1;
  options.lastMs = 60000;
  Commands commands(options);
  for (const char* name : {"a", "b", "c"}) commands.run({"/bin/touch", folder_.at(name)}, {});
  commands.end();
  for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(exists(name));
  EXPECT_EQ(commands.status().refused, 0u);
  EXPECT_EQ(commands.status().failed, 0u) << commands.status().fault;
}

TEST_F(CommandsTest, AtTheEndWhatEndedByItselfHasNotFailed) {
  for (int time = 0; time < 20; ++time) {
    Commands commands;
    commands.run(hang("echo $$ > \"$1\"", "pid"), {});
    const pid_t pid = pidOf("pid");
    std::filesystem::remove(folder_.at("pid"));
    ASSERT_TRUE(isGone(pid));
    commands.end();
    EXPECT_EQ(commands.status().failed, 0u) << commands.status().fault;
  }
}

// For half a second, of which a busy machine may take all.
TEST_F(CommandsTest, AProgramMayTidyUp) {
  bool isTidy = false;
  for (int attempt = 0; attempt < 20 && !isTidy; ++attempt) {
    const std::string tidy = folder_.at("tidy" + std::to_string(attempt)), ready = tidy + "ready";
    auto commands = std::make_unique<Commands>();
    commands->run(shell("trap 'echo tidy > \"$1\"; exit' TERM; echo ready > \"$2\"; while :; do "
                        "sleep 0.02; done",
                        {tidy, ready}),
                  {});
    ASSERT_EQ(lineOf(ready), "ready");
    commands.reset();
    isTidy = std::filesystem::exists(tidy) && bytesOf(tidy) == "tidy\n";
  }
  EXPECT_TRUE(isTidy);
}

using namespace monitor;

TEST(Words, ListsReadAsASentence) {
  EXPECT_EQ(files::listed({}), "");
  EXPECT_EQ(files::listed({"a"}), "a");
  EXPECT_EQ(files::listed({"a", "b"}), "a and b");
  EXPECT_EQ(files::listed({"a", "b", "c"}, "or"), "a, b or c");
}

TEST(Words, ADurationIsToldInTheUnitsThatMatter) {
  std::string told;
  for (const std::int64_t ms :
       {-5LL, 0LL, 99LL, 500LL, 1000LL, 9999LL, 12900LL, 60000LL, 125000LL, 3600000LL,
        3600000LL * 3 + 60000 * 12 + 59999, 86400000LL * 9 + 3600000 * 4})
    told += durationText(ms) + ", ";
  EXPECT_EQ(told,
            "0 s, 0 s, 0 s, 0.5 s, 1 s, 9.9 s, 12 s, 1 min, 2 min 5 s, 1 h, 3 h 12 min, 9 d 4 h, ");
}

// Other braces stay, and a value is not parsed again.
TEST(Placeholders, AreReplaced) {
  const PlaceholderValues values{{"rule", "gate"},   {"source", "yard"}, {"value", "0.5"},
                                 {"state", "began"}, {"time", ""},       {"odd", "{rule}"},
                                 {"half", "{sour"}};
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"{rule}", "gate"},
      {"a{source}b{rule}{rule}c", "ayardbgategatec"},
      {"[{time}]", "[]"},
      {"{odd} {source}", "{rule} yard"},
      {"{half}ce}", "{source}"},
      {"{{rule}}", "{gate}"},
      {R"({"rule": "{rule}", "value": {value}})", R"({"rule": "gate", "value": 0.5})"},
      {"{rule{rule}", "{rulegate"}};
  for (const auto& [text, wanted] : cases) EXPECT_EQ(withValues(text, values), wanted);
  for (const char* text : {"{", "}", "{}", "{rule", "rule}", "{other}", "{ rule }", "{print $1}"})
    EXPECT_EQ(withValues(text, values), text);
}

TEST(Placeholders, OneThatWasMeantIsFound) {
  for (const char* right :
       {"{rule} {source} {value} {time} {state}", R"({"rule": 1})",
        "awk '{print}' {} {0} {name: .x}", R"({"rule": "{rule}", "value": {value}})"})
    EXPECT_FALSE(misspelled(right)) << right;
  const auto wrong = misspelled("{rule} at {tiem}");
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->first + " " + wrong->second, "tiem time");
}

}  // namespace
}  // namespace mpm::test
