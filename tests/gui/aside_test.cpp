// SPDX-License-Identifier: Apache-2.0
#include "gui/aside.h"

#include <gtest/gtest.h>

#include <QObject>
#include <QTest>
#include <QThread>
#include <memory>

namespace mpm::gui {
namespace {

constexpr int kPatienceMs = 60'000;

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
  ASSERT_TRUE(QTest::qWaitFor([&] { return told != nullptr; }, kPatienceMs));
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
  ASSERT_TRUE(QThreadPool::globalInstance()->waitForDone(kPatienceMs));
  QObject receiver;  // whose answer comes behind that one
  bool isLaterTold = false;
  computeAside(
      &receiver, [] { return 2; }, [&](int) { isLaterTold = true; });
  ASSERT_TRUE(QTest::qWaitFor([&] { return isLaterTold; }, kPatienceMs));
  EXPECT_FALSE(told);
}

}  // namespace
}  // namespace mpm::gui
