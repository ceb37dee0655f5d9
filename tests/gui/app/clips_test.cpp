// SPDX-License-Identifier: Apache-2.0
#include "gui/app/clips.h"

#include <gtest/gtest.h>

#include "gui/app/living_window.h"
#include "monitor/service/clips.h"
#include "segment/pictures.h"

namespace mpm::gui {
namespace {

TEST(ClipPace, APictureStandsUntilTheNext) {
  ClipPace pace(10);
  for (const auto& [takenMs, frames] : {std::pair(5000, 0),
                                        {5100, 1},
                                        {6300, 12},
                                        {6310, 0},  // it comes too soon
                                        {6400, 1},
                                        {100000, 50},  // a pause is shortened
                                        {100100, 1},
                                        {0, 0},
                                        {200, 2}})
    EXPECT_EQ(pace.framesUntil(takenMs), frames) << takenMs;
}

struct Video {
  double fps = 0;
  std::vector<QImage> frames;
};
// Reads Motion JPEG as ClipWriter writes it: the app lacks OpenCV's own reader.
Video videoOf(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QByteArray all = file.readAll();
  const auto numberAt = [&](qsizetype at) { return qFromLittleEndian<quint32>(all.data() + at); };
  Video video{1e6 / numberAt(all.indexOf("avih") + 8), {}};
  qsizetype at = all.indexOf("00dc", all.indexOf("movi"));
  for (; all.mid(at, 4) == "00dc"; at += 8 + (numberAt(at + 4) + 1) / 2 * 2)
    video.frames.push_back(QImage::fromData(all.mid(at + 8, numberAt(at + 4))));
  return video;
}

double brightnessOf(const QImage& image) {
  return qGray(image.scaled(1, 1, Qt::IgnoreAspectRatio, Qt::SmoothTransformation).pixel(0, 0));
}

std::int64_t takenMs(const FrameView& view) {
  return view.result() ? view.result()->frame.taken.steadyMs : 0;
}

class Clips : public Window {
 protected:
  using Window::Window;
  void record() {
    answerFile(path_);
    choose("Record a clip");
    ASSERT_TRUE(said().contains(path_)) << qPrintable(said());
  }
  bool isRecording() { return action("Record a clip")->isChecked(); }
  // Tells whether a view shows this many more results, over at least a second. A busy window skips
  // results.
  static bool showsMore(const FrameView& view, int results) {
    std::int64_t lastMs = takenMs(view);
    const std::int64_t begunMs = lastMs;
    int seen = 0;
    return waitFor([&] {
      if (takenMs(view) > lastMs) ++seen;
      lastMs = std::max(lastMs, takenMs(view));
      return seen >= results && lastMs > begunMs + 1000;
    });
  }
  const QString path_ = folder_.filePath("clip.avi");
};

// Guards against 20 seconds played in 1.7: the camera sends ten frames a second, the net takes one.
TEST_F(Clips, PlayAsFastAsItHappenedAndEndWithTheSameAction) {
  ASSERT_TRUE(isLive());
  answer<QFileDialog>([](QFileDialog& dialog) { dialog.reject(); });
  choose("Record a clip");
  EXPECT_FALSE(isRecording()) << "one that nobody names";
  LiveOptions slow = live().options();
  slow.mostFps = 2;
  const auto before = engine();
  live().open(slow);
  ASSERT_TRUE(beginsAnew(before) && waitFor([&] { return engine()->frames() > 3; }));
  FrameView* shown = view();
  ASSERT_TRUE(waitFor([&] { return takenMs(*shown) > 0; }));
  std::vector<std::int64_t> taken;  // of each result that the window had
  QObject::connect(
      &live(), &Live::resultReady, &window(),
      [&] {
        const std::int64_t nowMs = takenMs(*shown);
        if (taken.empty() || nowMs > taken.back()) taken.push_back(nowMs);
      },
      Qt::QueuedConnection);
  record();
  EXPECT_TRUE(isRecording());
  taken = {takenMs(*shown)};  // which is not in the clip
  ASSERT_TRUE(waitFor([&] { return taken.size() > 2 && taken.back() > taken[1] + 6000; }));
  choose("Record a clip");
  const std::vector<std::int64_t> inIt = taken;
  ASSERT_TRUE(says("Clip saved"));
  EXPECT_FALSE(isRecording());
  const Video video = videoOf(path_);
  ClipPace pace(video.fps);
  int frames = 1;  // of the last picture
  for (std::size_t i = 1; i < inIt.size(); ++i) frames += pace.framesUntil(inIt[i]);
  EXPECT_GE(frames, 5);
  // The recorder may have had one more result at either end.
  EXPECT_NEAR(static_cast<double>(video.frames.size()), frames, 4);
}

// Guards against "Clip saved" without a frame.
TEST_F(Clips, OneWithoutPicturesIsSaidAndLeavesTheFileAlone) {
  ASSERT_TRUE(isLive());
  choose("Pause");
  // The frame in progress may still come, and then belongs to the first clip.
  QString told;
  for (int tries = 0; tries < 5 && !told.startsWith("No clip saved"); ++tries) {
    QFile::remove(path_);  // a dialog would ask
    record();
    fileOf("clip.avi", "of somebody's");
    choose("Record a clip");
    ASSERT_TRUE(waitFor([&] {
      told = said();
      return told.startsWith("No clip saved") || told.startsWith("Clip saved");
    })) << qPrintable(told);
  }
  EXPECT_TRUE(told.startsWith("No clip saved")) << qPrintable(told);
  QFile file(path_);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  EXPECT_EQ(file.readAll(), "of somebody's") << "what was to be replaced stays";
  EXPECT_EQ(QDir(folder_.path()).entryList({".clip*"}, QDir::Files | QDir::Hidden), QStringList());
}

class ClipsOfAWall : public Clips {
 protected:
  static QString street(int hour, int seed) {
    return QString("scene:?clock=60x&hour=%1&size=160x120&seed=%2").arg(hour).arg(seed);
  }
  ClipsOfAWall() : Clips(QStringList{street(12, 31), street(12, 32), street(1, 33)}) {}
  void leave(int seed) {
    for (QToolButton* button : wall().findChildren<QToolButton*>())
      if (button->text() == QStringLiteral("×") &&
          button->accessibleName().contains("seed=" + QString::number(seed)))
        QTest::mouseClick(button, Qt::LeftButton);
  }
  double brightness(std::size_t source) {
    const auto shown = live().engine(source)->latest();
    const cv::Mat drawn =
        drawOverlay(shown->frame.picture, shown->segmentation.labels, engine()->palette());
    return brightnessOf({drawn.data, drawn.cols, drawn.rows, static_cast<qsizetype>(drawn.step),
                         QImage::Format_BGR888});
  }
};

// Guards against continuing with the camera that replaced the first one.
TEST_F(ClipsOfAWall, OneIsOfTheCameraThatItBeganWith) {
  ASSERT_TRUE(isLive(4));
  const double day = brightness(2), night = brightness(3);
  ASSERT_GT(day, night + 20);
  ASSERT_TRUE(hands::click(wall().view(2)));
  record();
  leave(31);
  ASSERT_TRUE(isLive(3));
  ASSERT_TRUE(showsMore(*wall().view(1), 6) && showsMore(*wall().view(2), 3));
  EXPECT_TRUE(isRecording());
  leave(32);
  EXPECT_TRUE(says("is no longer watched. Clip saved"));
  EXPECT_FALSE(isRecording());
  const Video video = videoOf(path_);
  ASSERT_GT(video.frames.size(), 3U);
  // A person who walks past darkens some frames, but never a quarter of them.
  double last = 0;
  for (std::size_t i = video.frames.size() * 3 / 4; i < video.frames.size(); ++i)
    last = std::max(last, brightnessOf(video.frames[i]));
  EXPECT_GT(last, (day + night) / 2);
}

constexpr int kFrames = 20;

class ClipPlayerTest : public ::testing::Test {
 protected:
  // Writes frames that become brighter, ten a second.
  ClipPlayerTest() {
    monitor::ClipWriter writer(file_.toStdString(), 10, 2 * kFrames);
    for (int i = 0; i < kFrames; ++i)
      writer.add(cv::Mat(120, 160, CV_8UC3, cv::Scalar::all(10 * i)));
  }
  QPushButton* playButton() const { return player_.findChildren<QPushButton*>().front(); }
  void expectAt(int place) {
    EXPECT_EQ(player_.position(), place);
    const QImage picture = player_.picture();
    ASSERT_FALSE(picture.isNull());
    EXPECT_NEAR(qGray(picture.pixel(picture.width() / 2, picture.height() / 2)), 10 * place, 4);
  }

  const QTemporaryDir folder_;
  const QString file_ = folder_.filePath("a.clip.avi");
  ClipPlayer player_{nullptr};
};

TEST_F(ClipPlayerTest, PlaysToTheEndAndAgainPausesAndGoesWhereTheSliderIs) {
  player_.play(file_, "cars");
  EXPECT_TRUE(player_.isVisible() && player_.isPlaying());
  EXPECT_EQ(player_.windowTitle(), "cars");
  EXPECT_EQ(player_.frames(), kFrames);
  expectAt(0);
  ASSERT_TRUE(waitFor([&] { return !player_.isPlaying(); }));
  expectAt(kFrames - 1);
  playButton()->click();
  EXPECT_TRUE(player_.isPlaying());
  EXPECT_LT(player_.position(), kFrames - 1) << "from its beginning";
  playButton()->click();
  EXPECT_FALSE(player_.isPlaying());
  auto* slider = player_.findChild<QSlider*>();
  for (const int place : {12, 3, 17}) {
    slider->setValue(place);
    expectAt(place);
  }
  playButton()->click();
  hands::keys(slider, "Esc");
  EXPECT_FALSE(player_.isVisible() || player_.isPlaying());
}

TEST_F(ClipPlayerTest, APictureIsShownWithoutWhatPlaysAndWhatIsGoneOrNoneIsSaid) {
  QImage picture(64, 48, QImage::Format_RGB32);
  picture.fill(Qt::gray);
  ASSERT_TRUE(picture.save(folder_.filePath("a.png")));
  player_.play(file_, "cars");
  EXPECT_TRUE(playButton()->isVisible());
  player_.showPicture(folder_.filePath("a.png"), "cars");
  EXPECT_FALSE(player_.isPlaying() || playButton()->isVisible());
  EXPECT_EQ(player_.frames(), 0);
  EXPECT_EQ(player_.picture().size(), picture.size());
  player_.play(folder_.filePath("none.avi"), "gone");
  EXPECT_TRUE(player_.fault().contains("gone")) << qPrintable(player_.fault());
  EXPECT_FALSE(player_.isPlaying() || playButton()->isEnabled());
  QFile broken(file_);
  ASSERT_TRUE(broken.open(QIODevice::WriteOnly) && broken.write("no clip") > 0);
  broken.close();
  player_.play(file_, "broken");
  EXPECT_TRUE(player_.fault().contains("cannot be played")) << qPrintable(player_.fault());
  player_.showPicture(folder_.filePath("none.png"), "gone");
  EXPECT_FALSE(player_.fault().isEmpty());
}

}  // namespace
}  // namespace mpm::gui
