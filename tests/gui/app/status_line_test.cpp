// SPDX-License-Identifier: Apache-2.0
#include "gui/app/status_line.h"

#include <gtest/gtest.h>

#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <filesystem>
#include <fstream>

#include "gui/app/settings.h"

namespace mpm::gui {
namespace {

namespace fs = std::filesystem;

// The machine's clock, or a while later.
class LaterClock : public monitor::Clock {
 public:
  monitor::Moment now() override {
    monitor::Moment now = monitor::systemClock().now();
    now.steadyMs += laterMs_;
    now.utcMs += laterMs_;
    return now;
  }
  void goOn(int minutes) { laterMs_ += std::int64_t{minutes} * 60000; }

 private:
  std::atomic<std::int64_t> laterMs_{0};
};

QStringList wordsOf(const StatusLine& line) {
  QStringList words;
  for (const QLabel* label : line.findChildren<QLabel*>()) words << label->text();
  return words;
}

// Seen: only the list of events told of it, once.
TEST(StatusLine, SaysThatNoBackupCouldBeMadeUntilOneCan) {
  const QTemporaryDir folder;
  AppOptions options;
  options.source = "scene:?clock=600x&hour=12&size=64x64";
  options.record = folder.filePath("a.sqlite");
  LaterClock clock;
  Live live(nullptr, clock);
  live.open(withOptions({}, options).live);
  ASSERT_TRUE(QTest::qWaitFor([&] { return live.engine() && live.engine()->latest(0); }, 120000));
  ClassSettings classes;
  ViewDeck deck(&classes);
  StatusLine line(&deck);
  const auto isWrong = [&] {
    line.showState(live, false, false, false);
    return line.isWrong();
  };
  EXPECT_FALSE(isWrong());

  const fs::path inTheWay = folder.filePath("a.sqlite.backup.part").toStdString();
  fs::create_directory(inTheWay);
  std::ofstream(inTheWay / "x") << "x";
  clock.goOn(6);
  ASSERT_TRUE(QTest::qWaitFor(isWrong, 60000));
  const QStringList words = wordsOf(line).filter("No backup of the record could be made: ");
  ASSERT_EQ(words.size(), 1) << qPrintable(wordsOf(line).join('|'));
  EXPECT_TRUE(words[0].contains("a.sqlite.backup.part")) << qPrintable(words[0]);

  line.setSizeGripEnabled(false);  // as in full screen
  line.resize(700, line.sizeHint().height());
  line.show();
  const QLabel& state = *line.findChildren<QLabel*>().last();
  ASSERT_EQ(state.text(), "Live");
  EXPECT_TRUE(QTest::qWaitFor([&] { return state.isVisible(); }));
  const int right = state.mapTo(&line, state.contentsRect().bottomRight()).x();
  EXPECT_LT(right, line.width() - 5) << "not up to the screen's edge";

  fs::remove_all(inTheWay);
  clock.goOn(61);
  EXPECT_TRUE(QTest::qWaitFor([&] { return !isWrong(); }, 60000));
}

}  // namespace
}  // namespace mpm::gui
