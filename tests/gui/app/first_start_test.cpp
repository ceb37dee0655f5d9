// SPDX-License-Identifier: Apache-2.0
// The app as somebody sees it who starts it for the first time.
#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include "gui/app/main_window.h"
#include "gui/explain/tour.h"
#include "gui/hands.h"

namespace mpm::gui {
namespace {

TEST(FirstStart, WithinTenSecondsTheStripSaysAllThreeFigures) {
  QElapsedTimer since;
  since.start();
  const QTemporaryDir home;
  AppOptions options;
  options.fresh = true;
  options.record = home.filePath("record.sqlite");
  MainWindow window(withOptions({}, options));
  window.show();
  window.beginTour();
  const GlanceStrip& strip = *window.glance();
  const auto isKnown = [&] {
    for (const FigureTile* tile : {strip.tokens(), strip.time(), strip.labels()})
      if (tile->figure() == "–") return false;
    return true;
  };
  ASSERT_TRUE(QTest::qWaitFor(isKnown, 60'000));
  // A machine that does much else takes longer for a frame, but no more of them.
  const std::uint64_t frames = window.live().engine()->frames(0);
  EXPECT_TRUE(since.elapsed() < 10'000 || frames < 20) << since.elapsed() << " ms, " << frames;
  auto* tour = window.findChild<Tour*>();
  ASSERT_NE(tour, nullptr) << "the tour goes on meanwhile";
  EXPECT_TRUE(strip.isVisible());
  ASSERT_TRUE(hands::press(window, QKeySequence(Qt::Key_Escape)));
  EXPECT_TRUE(QTest::qWaitFor([&] { return window.findChild<Tour*>() == nullptr; }));
}

}  // namespace
}  // namespace mpm::gui
