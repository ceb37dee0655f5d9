// SPDX-License-Identifier: Apache-2.0
#include "monitor/rules/commands.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <stdexcept>

#include "cli/folder.h"
#include "monitor/process/processes.h"

namespace mpm::test {
namespace {

using monitor::CommandOptions;
using monitor::Commands;
using Words = std::vector<std::string>;

Words shell(const std::string& script, const Words& words = {}) {
  Words all{"/bin/sh", "-c", script, "sh"};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

TEST(Commands, ValuesArriveLiterally) {
  const Folder folder;
  const std::string odd = "a \"b\" 'c' $(id) `id` $HOME\n; rm x\\ {rule} *";
  Commands commands;
  EXPECT_TRUE(commands.run(
      shell("printf '%s\\0' \"$2\" \"$3\" > \"$1.new\"; mv \"$1.new\" \"$1\"",
            {"{folder}", "{value}", "<{rule}|{state}|{unknown}>"}),
      {{"folder", folder.at("out")}, {"value", odd}, {"rule", "{value}"}, {"state", "began"}}));
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(folder.at("out")); }));
  std::string wanted = odd + '\0';
  wanted += std::string("<{value}|began|{unknown}>") + '\0';
  EXPECT_EQ(bytesOf(folder.at("out")), wanted);
}

TEST(Commands, WhatFailsIsNamed) {
  Commands commands;
  std::uint64_t failed = 0;
  const auto faultOf = [&](const Words& command) {
    EXPECT_TRUE(commands.run(command, {}));
    ++failed;
    EXPECT_TRUE(eventually([&] { return commands.status().failed == failed; }));
    return commands.status().fault;
  };
  EXPECT_EQ(faultOf({"mpm-no-such-program", "x"}),
            "The command 'mpm-no-such-program' (looked for on PATH) was not started: No such file "
            "or directory.");
  EXPECT_EQ(faultOf({"/nowhere/at all"}),
            "The command '/nowhere/at all' was not started: No such file or directory.");
  EXPECT_EQ(commands.status().begun, 0U);
  EXPECT_EQ(faultOf(shell("exit 9")), "The command '/bin/sh' ended with status 9.");
  EXPECT_EQ(faultOf(shell("kill -KILL $$")),
            "The command '/bin/sh' was ended by signal 9 (Killed).");
  EXPECT_EQ(commands.status().begun, 2U);
  EXPECT_EQ(faultOf({}), "A command without a program cannot be started.");
  EXPECT_EQ(faultOf({""}), "A command without a program cannot be started.");
  EXPECT_EQ(faultOf({"echo", std::string("a\0b", 3)}),
            "The command 'echo' was not started: an argument cannot contain a zero byte.");
  EXPECT_EQ(faultOf({"echo", std::string(1 << 22, 'x')}),
            "The command 'echo' (looked for on PATH) was not started: Argument list too long.");
}

TEST(Commands, AThousandLeaveNothingBehind) {
  if (statOf("self").empty()) GTEST_SKIP() << "there is no /proc";
  const Folder folder;
  const std::ptrdiff_t before = openDescriptors();
  const int childrenBefore = childrenOf(getpid());
  {
    Commands commands({30000, 8, 1000});
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(commands.run({"true"}, {}));
    EXPECT_TRUE(commands.run(shell("echo done > \"$1\"", {folder.at("out")}), {}));
    EXPECT_EQ(lineOf(folder.at("out")), "done");
    EXPECT_TRUE(eventually([&] { return childrenOf(getpid()) == childrenBefore; }));
    EXPECT_EQ(openDescriptors(), before);
    const Commands::Status status = commands.status();
    EXPECT_EQ(status.begun, 1001U);
    EXPECT_EQ(status.failed, 0U) << status.fault;
    EXPECT_EQ(status.refused, 0U);
  }
  EXPECT_EQ(openDescriptors(), before);
  EXPECT_EQ(childrenOf(getpid()), childrenBefore);
}

TEST(Commands, SoManyAtOnceAndNoMore) {
  const Folder folder;
  Commands commands({30000, 2, 64});
  for (int i = 0; i < 10; ++i) {
    commands.run(shell("printf b >> \"$1\"; sleep 0.03; printf e >> \"$1\"", {folder.at("log")}),
                 {});
  }
  std::string log;
  ASSERT_TRUE(eventually([&] {
    if (!std::filesystem::exists(folder.at("log"))) return false;
    log = bytesOf(folder.at("log"));
    return std::count(log.begin(), log.end(), 'e') == 10;
  })) << log;
  int running = 0;
  for (const char c : log) {
    running += c == 'b' ? 1 : -1;
    EXPECT_LE(running, 2) << log;
  }
}

TEST(Commands, WhereTooManyWaitMoreAreRefused) {
  const Folder folder;
  Commands commands({30000, 1, 2});
  const Words wait = shell("while [ ! -e \"$1\" ]; do sleep 0.01; done", {folder.at("go")});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(commands.run(wait, {}));
  EXPECT_FALSE(commands.run(wait, {}));
  EXPECT_FALSE(commands.run({"true"}, {}));
  EXPECT_EQ(commands.status().refused, 2U);
  folder.write("go", "");
  EXPECT_TRUE(eventually([&] { return commands.run({"true"}, {}); })) << "there is room again";
  EXPECT_TRUE(eventually([&] { return commands.status().begun == 4; }));
  EXPECT_EQ(commands.status().failed, 0U) << commands.status().fault;
}

TEST(Commands, OtherChildrenOfTheProcessAreLeftAlone) {
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

TEST(Commands, FromManyThreads) {
  Commands commands({30000, 4, 1000});
  std::atomic<std::uint64_t> taken = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 25; ++k) {
        if (commands.run({"true"}, {})) ++taken;
        commands.status();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken, 100U);
  EXPECT_TRUE(eventually([&] { return commands.status().begun == 100; }));
}

TEST(Commands, ImpossibleOptionsAreRefused) {
  EXPECT_THROW(Commands({0, 4, 64}), std::invalid_argument);
  EXPECT_THROW(Commands({std::numeric_limits<std::int64_t>::max(), 4, 64}), std::invalid_argument);
  EXPECT_THROW(Commands({1000, 0, 64}), std::invalid_argument);
  Commands endless({1000, 1, std::numeric_limits<std::size_t>::max()});
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(endless.run({"true"}, {}));
}

}  // namespace
}  // namespace mpm::test
