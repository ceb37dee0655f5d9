// SPDX-License-Identifier: Apache-2.0
// What is told of commands that fail, and of life to systemd.
#include "monitor/service/actions.h"

#include <cstdlib>

#include "monitor/clock/manual_clock.h"
#include "monitor/says.h"
#include "monitor/service/system_notice.h"

namespace mpm::test {
namespace {

using namespace monitor;

class FailingCommand : public testing::Test {
 protected:
  void fire(Actions& actions, const std::vector<std::string>& command, int times) {
    Rule rule;
    rule.name = "bright";
    rule.command = command;
    for (int i = 0; i < times; ++i) actions.onFiring("gate", rule, Firing{}, nullptr);
  }
  std::vector<std::string> told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }
  Actions::Tell tell() {
    return [this](const std::string& source, const Event& event) {
      const std::lock_guard lock(mutex_);
      EXPECT_EQ(source, "gate");
      EXPECT_EQ(event.kind + " " + event.name, "command bright");
      told_.push_back(event.text);
    };
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> told_;
};

TEST_F(FailingCommand, IsToldOnceAMinuteWithHowManyMoreThereWere) {
  CountingClock clock(1000);
  Actions actions(nullptr, tell(), clock);
  fire(actions, {"/nowhere/alert"}, 5);
  ASSERT_TRUE(eventually([&] { return actions.commands().failed == 5; }));
  // It looks once for each, and once more for the one that is told.
  ASSERT_TRUE(eventually([&] { return clock.looks() == 6; }));
  clock.advance(60000);
  fire(actions, {"/nowhere/alert"}, 1);
  ASSERT_TRUE(eventually([&] { return told().size() == 2; }));
  EXPECT_EQ(told()[0], "The command '/nowhere/alert' was not started: No such file or directory.");
  EXPECT_EQ(told()[1], told()[0] + " 4 more have failed since the last report.");
}

TEST_F(FailingCommand, AtTheEndIsToldWithHowManyMoreThereWere) {
  Actions actions(nullptr, tell(), systemClock(), {30000, 1, 64});
  fire(actions, {"/bin/sleep", "60"}, 4);
  ASSERT_TRUE(eventually([&] { return actions.commands().begun == 1; }));
  actions.end();
  ASSERT_EQ(told().size(), 2u);
  EXPECT_EQ(told()[0], "The command '/bin/sleep' was not started: the monitor ended.");
  EXPECT_EQ(told()[1],
            "3 more commands of this rule failed or did not start since the last report.");
  EXPECT_EQ(actions.commands().failed, 1u);
  EXPECT_EQ(actions.commands().refused, 3u);
}

// `mpm watch` is tested with a systemd's socket.
TEST(SystemNotice, IsOfThisProcessAlone) {
  setenv("NOTIFY_SOCKET", "/nowhere/notify", 1);
  setenv("WATCHDOG_USEC", "60000000", 1);
  unsetenv("WATCHDOG_PID");
  SystemNotice speaking;
  EXPECT_EQ(speaking.aliveEveryMs(), 30000);
  EXPECT_EQ(std::getenv("NOTIFY_SOCKET"), nullptr);  // programs that it starts do not speak for it
  speaking.ready(), speaking.status("well"), speaking.reloading(), speaking.stopping();
  setenv("WATCHDOG_USEC", "60000000", 1);
  setenv("WATCHDOG_PID", "1", 1);
  EXPECT_EQ(SystemNotice().aliveEveryMs(), 0) << "another process's watchdog";
  unsetenv("WATCHDOG_USEC");
  SystemNotice silent;  // without systemd nothing happens
  EXPECT_EQ(silent.aliveEveryMs(), 0);
  silent.alive();
}

}  // namespace
}  // namespace mpm::test
