// SPDX-License-Identifier: Apache-2.0
#include "gui/aside.h"

#include <gtest/gtest.h>
#ifdef __linux__
#include <sys/resource.h>
#endif

#include <QObject>
#include <QThread>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <thread>

#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

TEST(ComputeAside, ComputesElsewhereAndAnswersHere) {
  QObject receiver;
  const QThread* computedIn = nullptr;
  const QThread* toldIn = nullptr;
  std::unique_ptr<int> told;
  computeAside(
      &receiver,
      [&] {
        computedIn = QThread::currentThread();
        return std::make_unique<int>(42);  // is moved, not copied
      },
      [&](std::unique_ptr<int> answer) {
        toldIn = QThread::currentThread();
        told = std::move(answer);
      });
  ASSERT_TRUE(waitFor([&] { return told != nullptr; }));
  EXPECT_EQ(*told, 42);
  EXPECT_EQ(toldIn, QThread::currentThread());
  EXPECT_NE(computedIn, nullptr);
  EXPECT_NE(computedIn, QThread::currentThread());
}

TEST(ComputeAside, NobodyIsToldWhoIsGone) {
  auto gone = std::make_unique<QObject>();
  bool told = false;
  computeAside(
      gone.get(), [] { return 1; }, [&](int) { told = true; });
  gone.reset();
  ASSERT_TRUE(QThreadPool::globalInstance()->waitForDone(kWaitMs));
  QObject receiver;  // whose answer comes behind that one
  bool isLaterTold = false;
  computeAside(
      &receiver, [] { return 2; }, [&](int) { isLaterTold = true; });
  ASSERT_TRUE(waitFor([&] { return isLaterTold; }));
  EXPECT_FALSE(told);
}

#ifdef __linux__
constexpr int kLeast = 19;

int nicenessHere() { return getpriority(PRIO_PROCESS, 0); }

// Checks a thread in a program that was started two steps lower than this one.
[[noreturn]] void endWellIfRelative() {
  const int window = std::min(nicenessHere() + 2, kLeast);
  setpriority(PRIO_PROCESS, 0, window);
  int once = -1, again = -1;
  std::thread([&] {
    standBehindTheWindow(4);
    once = nicenessHere();
    standBehindTheWindow(4);  // the thread of a pool, with its next task
    again = nicenessHere();
  }).join();
  const int expected = std::min(window + 4, kLeast);
  std::exit(once == expected && again == expected && nicenessHere() == window ? 0 : 1);
}

// Guards against threads above the window when root starts the program with nice. It runs in a
// separate process, since only root can raise the priority again.
TEST(StandBehindTheWindow, IsRelativeToWhatTheProgramWasStartedWith) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(endWellIfRelative(), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace mpm::gui
