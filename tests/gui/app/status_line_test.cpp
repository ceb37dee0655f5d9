// SPDX-License-Identifier: Apache-2.0
#include "gui/app/status_line.h"

#include <gtest/gtest.h>

#include <QtWidgets>
#include <fstream>

#include "gui/app/frame_figures.h"
#include "gui/app/watched.h"

namespace mpm::gui {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// The machine's clock, with an offset.
class LaterClock : public monitor::Clock {
 public:
  monitor::Moment now() override {
    monitor::Moment now = monitor::systemClock().now();
    now.steadyMs += laterMs_;
    now.utcMs += laterMs_;
    return now;
  }
  void goOn(std::chrono::seconds time) { laterMs_ += std::chrono::milliseconds(time).count(); }

 private:
  std::atomic<std::int64_t> laterMs_{0};
};

QStringList wordsOf(const StatusLine& line) {
  QStringList words;
  for (const QLabel* label : line.findChildren<QLabel*>()) words << label->text();
  return words;
}

// Guards against reporting it only once, in the list of events.
TEST(StatusLine, SaysThatNoBackupCouldBeMadeUntilOneCan) {
  const QTemporaryDir folder;
  AppOptions options;
  options.source = "scene:?clock=600x&hour=12&size=64x64";
  options.record = folder.filePath("a.sqlite");
  LaterClock clock;
  Watched watched(options, clock);
  StatusLine line(watched.session);
  ASSERT_TRUE(watched.shows());
  const auto isWrong = [&] { return line.isWrong(); };
  EXPECT_FALSE(isWrong());

  const fs::path inTheWay = folder.filePath("a.sqlite.backup.part").toStdString();
  fs::create_directory(inTheWay);
  std::ofstream(inTheWay / "x") << "x";
  clock.goOn(6min);
  ASSERT_TRUE(waitFor(isWrong));
  const QStringList words = wordsOf(line).filter("No backup of the record could be made: ");
  ASSERT_EQ(words.size(), 1) << qPrintable(wordsOf(line).join('|'));
  EXPECT_TRUE(words[0].contains("a.sqlite.backup.part")) << qPrintable(words[0]);

  line.setSizeGripEnabled(false);  // as in full screen
  line.resize(700, line.sizeHint().height());
  line.show();
  const QLabel& state = *line.findChildren<QLabel*>().last();
  // Until the next frame comes, none is as new as the clock.
  ASSERT_TRUE(waitFor([&] { return isWrong() && state.text() == "Live"; }))
      << qPrintable(state.text());
  EXPECT_TRUE(waitFor([&] { return state.isVisible(); }));
  const int right = state.mapTo(&line, state.contentsRect().bottomRight()).x();
  EXPECT_LT(right, line.width() - 5) << "not up to the screen's edge";

  fs::remove_all(inTheWay);
  clock.goOn(61min);
  EXPECT_TRUE(waitFor([&] { return !isWrong(); }));
}

// Guards against the question next to "Lost".
TEST(StatusLine, AsksNothingOfASceneWhosePictureIsLost) {
  QTemporaryDir folder;
  cv::Mat noise(64, 64, CV_8UC3);
  for (const char* name : {"1.png", "2.png"}) {
    cv::randu(noise, 0, 255);
    const QImage picture(noise.data, noise.cols, noise.rows, QImage::Format_BGR888);
    ASSERT_TRUE(picture.save(folder.filePath(name)));
  }
  AppOptions options;
  options.source = folder.path();
  options.record = "none";
  options.face = Face::study;
  LaterClock clock;
  clock.goOn(-40s);
  Watched watched(options, clock);
  StatusLine line(watched.session);
  ASSERT_TRUE(watched.shows());
  clock.goOn(40s);  // since its first picture: as long as it takes to tell
  const auto asks = [&] { return !wordsOf(line).filter("Unknown scene?").isEmpty(); };
  ASSERT_TRUE(waitFor(asks)) << qPrintable(wordsOf(line).join('|'));
  folder.remove();
  ASSERT_TRUE(waitFor([&] { return watched.stands().oldMs.has_value(); }));
  EXPECT_TRUE(waitFor([&] { return !asks(); })) << qPrintable(wordsOf(line).join('|'));
}

// Guards against two times of one frame: the network's and the whole.
TEST(StatusLine, AFrameTakesWhatTheStripCalls) {
  Watched watched;
  StatusLine line(watched.session);
  line.setComparing(true);
  monitor::FrameResult result;
  result.segmentation.labels = cv::Mat::zeros(10, 10, CV_8U);
  result.segmentation.times = {1, 10, 2};
  result.full = result.segmentation;
  result.full->times = {1, 20, 2};
  emit watched.session.frameShown(std::make_shared<monitor::FrameResult>(result));
  const QStringList words = wordsOf(line);
  EXPECT_TRUE(
      words.contains("This frame: 100.0% of pixels agree; merged 13.0 ms, unmerged 23.0 ms"))
      << qPrintable(words.join('|'));
  EXPECT_EQ(frameMs(result.segmentation.times), 13);
}

// Guards against a sentence cut in the middle of a word at 900 x 600.
TEST(StatusLine, WhatHasNoRoomEndsWithAnEllipsis) {
  Watched watched;
  StatusLine line(watched.session);
  line.resize(300, 24);
  const QString sentence = QStringLiteral("It is said at length, ").repeated(10);
  line.say(sentence, true);
  EXPECT_EQ(line.toolTip(), sentence) << "the whole of it";
  const QImage cut = line.grab().toImage();
  line.say(line.fontMetrics().elidedText(sentence, Qt::ElideRight, line.placeOfSentence().width()),
           true);
  EXPECT_NE(line.currentMessage(), sentence);
  EXPECT_EQ(line.grab().toImage(), cut);
}

// Guards against a window that grows under the pointer, beyond a small screen.
TEST(StatusLine, WhatLiesUnderThePointerMakesTheWindowNoWider) {
  Watched watched;
  QMainWindow window;
  auto* line = new StatusLine(watched.session);
  window.setStatusBar(line);
  line->setComparing(true);
  monitor::FrameResult compared;
  compared.segmentation.labels = cv::Mat(8, 8, CV_8U, cv::Scalar(0));
  compared.full.emplace(compared.segmentation);
  emit watched.session.frameShown(std::make_shared<monitor::FrameResult>(compared));
  Inspection seen;
  seen.lines << "screen door, screen, " + QString("projection screen, ").repeated(5);
  line->inspect(seen);
  ASSERT_EQ(wordsOf(*line).filter("screen door").size(), 1);
  ASSERT_EQ(wordsOf(*line).filter("This frame").size(), 1);
  window.resize(600, 300);
  window.show();
  EXPECT_TRUE(waitForExposed(&window));
  EXPECT_EQ(window.width(), 600);
}

}  // namespace
}  // namespace mpm::gui
