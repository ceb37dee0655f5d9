// SPDX-License-Identifier: Apache-2.0
#include "gui/exhibition/exhibition_view.h"

#include <gtest/gtest.h>

#include <QtTest>
#include <QtWidgets>

#include "gui/canvas/small_result.h"
#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

using Scene = ExhibitionView::Scene;

/// Returns smallResult() with an image whose neighbouring columns all differ.
std::shared_ptr<monitor::FrameResult> stripedResult() {
  auto result = smallResult();
  for (int x = 0; x < result->frame.picture.cols; x += 2)
    result->frame.picture.col(x) = cv::Scalar(0, 255, 0);
  return result;
}

/// Returns a result as of a model that cannot merge.
std::shared_ptr<monitor::FrameResult> unmergedResult() {
  auto result = smallResult();
  Segmentation& found = result->segmentation;
  found.stages.clear();
  found.rows.clear();
  found.mergeMap = cv::Mat();
  return result;
}

/// Counts how often a widget was painted.
class Paintings : public QObject {
 public:
  explicit Paintings(QWidget* of) { of->installEventFilter(this); }
  int count = 0;

 protected:
  bool eventFilter(QObject* /*of*/, QEvent* event) override {
    count += event->type() == QEvent::Paint;
    return false;
  }
};

class ExhibitionTest : public testing::Test {
 protected:
  static constexpr int kPlace = 200;  // pixels of the view, a side

  ExhibitionTest() {
    giveSmallClasses(classes_);
    view_.setClock([this] { return now_; });
    view_.resize(4 * kPlace, 3 * kPlace);
  }
  ExhibitionView::Seen at(qint64 ms) {
    now_ = ms;
    return view_.seen();
  }
  QImage picture(qint64 ms) {
    now_ = ms;
    return view_.grab().toImage();
  }
  static QPoint middleOf(int place) {
    return {place % 4 * kPlace + kPlace / 2, place / 4 * kPlace + kPlace / 2};
  }
  /// Tells whether the middle of a patch has one colour.
  static bool isFlat(const QImage& image, int place) {
    const QPoint middle = middleOf(place);
    for (int x = -40; x <= 40; ++x)
      if (image.pixel(middle + QPoint(x, 0)) != image.pixel(middle)) return false;
    return true;
  }
  void touch(int place) { QTest::mouseClick(&view_, Qt::LeftButton, {}, middleOf(place)); }
  QTimer& timer() { return *view_.findChild<QTimer*>(); }

  qint64 now_ = 0;
  ClassSettings classes_;
  ExhibitionView view_{&classes_};
};

TEST_F(ExhibitionTest, ScenesComeInTheirOrderAndTheLoopCloses) {
  view_.setResult(smallResult());
  const std::vector<std::pair<int, Scene>> loop{
      {0, Scene::camera},    {7999, Scene::camera}, {8000, Scene::squares}, {13999, Scene::squares},
      {14000, Scene::merge}, {19999, Scene::merge}, {20000, Scene::tokens}, {27999, Scene::tokens},
      {28000, Scene::names}, {33999, Scene::names}, {34000, Scene::back},   {39999, Scene::back}};
  QString first;
  for (const int turn : {0, 1, 25}) {
    for (const auto& [ms, scene] : loop) {
      const ExhibitionView::Seen seen = at(turn * ExhibitionView::kLoopMs + ms);
      EXPECT_EQ(seen.scene, scene) << turn << ", " << ms;
      EXPECT_FALSE(seen.sentence.isEmpty());
      EXPECT_EQ(view_.accessibleName(), seen.sentence);
      if (first.isEmpty()) first = seen.sentence;
    }
  }
  EXPECT_EQ(at(39999).sentence, first) << "the picture is back";
  EXPECT_NE(at(13999).sentence, first);
}

TEST_F(ExhibitionTest, WithoutAPictureItWaitsAndBeginsWithTheFirst) {
  const auto result = smallResult();
  result->frame.picture = cv::Mat();
  view_.setResult(result);
  EXPECT_EQ(at(9000).scene, Scene::waiting);
  EXPECT_EQ(at(9000).number, "");
  touch(0);
  const QImage waiting = picture(9000);
  view_.setResult(smallResult());
  EXPECT_EQ(at(9000).scene, Scene::camera);
  EXPECT_EQ(at(17001).scene, Scene::squares);
  EXPECT_NE(picture(24000), waiting);
  view_.setResult(nullptr);
  EXPECT_EQ(picture(24000), waiting);
}

TEST_F(ExhibitionTest, ThePictureDissolvesIntoItsPatchesAndComesBack) {
  view_.setResult(stripedResult());
  QImage seen = picture(7000);
  EXPECT_FALSE(isFlat(seen, 0));
  EXPECT_FALSE(isFlat(seen, 7));
  seen = picture(10500);
  EXPECT_TRUE(isFlat(seen, 0)) << "the wave has passed";
  EXPECT_FALSE(isFlat(seen, 7)) << "it has not come so far";
  seen = picture(13999);
  EXPECT_TRUE(isFlat(seen, 7));
  EXPECT_NE(seen.pixel(middleOf(1)), seen.pixel(middleOf(2))) << "red and blue";
  seen = picture(24000);
  EXPECT_EQ(seen.pixel(middleOf(0)), seen.pixel(middleOf(4))) << "one token";
  EXPECT_TRUE(isFlat(seen, 7));
  EXPECT_FALSE(isFlat(picture(39999), 0));
  EXPECT_EQ(picture(39999), picture(40000)) << "the loop closes";
}

TEST_F(ExhibitionTest, PatchesOfOneTokenMoveTogether) {
  view_.setResult(smallResult());
  const QImage before = picture(14000), between = picture(16500);
  const auto darkAt = [](const QImage& image, QPoint at) {
    return image.pixelColor(at).value() < 90;
  };
  const QPoint leftEdge(4, kPlace / 2);  // of places 0, 1 and 4, which move off it
  EXPECT_FALSE(darkAt(before, leftEdge));
  EXPECT_TRUE(darkAt(between, leftEdge));
  EXPECT_FALSE(darkAt(between, middleOf(5))) << "it has a token of its own";
  EXPECT_FALSE(darkAt(picture(19999), leftEdge)) << "each place has its token's colour";
}

// Another frame's map would make moving patches jump.
TEST_F(ExhibitionTest, AMoveEndsWithTheTokensItBeganWith) {
  view_.setResult(smallResult());
  const QImage between = picture(16500);
  const auto other = smallResult();
  other->segmentation.stages[1].map = (cv::Mat_<int>(3, 4) << 0, 1, 2, 3, 4, 5, 5, 5, 8, 8, 8, 8);
  view_.setResult(other);
  EXPECT_EQ(picture(16500), between);
  EXPECT_EQ(at(20000).number, "12 squares, 7 thoughts");
  view_.setResult(nullptr);
  view_.setResult(other);
  now_ += 16500;
  EXPECT_NE(view_.grab().toImage(), between);
}

// The number changes at most once a second; it counts down while squares move.
TEST_F(ExhibitionTest, TheNumberIsThatOfTheResult) {
  view_.setResult(smallResult());
  for (const auto& [ms, number] : {std::pair(0, "12 squares, 9 thoughts"),
                                   {9000, "12 squares"},
                                   {14000, "12 squares, 12 thoughts"},
                                   {19999, "12 squares, 9 thoughts"},
                                   {30000, "12 squares, 9 thoughts"},
                                   {36000, "12 squares, 9 thoughts"}})
    EXPECT_EQ(at(ms).number, number) << ms;
  const auto other = smallResult();
  other->segmentation.stages.pop_back();
  other->segmentation.mergeMap = other->segmentation.stages[0].map;
  other->segmentation.rows = {13, 12};
  view_.setResult(other);
  EXPECT_EQ(at(36999).number, "12 squares, 9 thoughts");
  EXPECT_EQ(at(37000).number, "12 squares, 11 thoughts");
  const auto apart = smallResult();
  apart->segmentation.stages.clear();
  apart->segmentation.mergeMap = (cv::Mat_<int>(3, 4) << 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
  view_.setResult(apart);
  EXPECT_EQ(at(64000).number, "12 squares, 12 thoughts");
  EXPECT_EQ(at(64000).sentence, "Each square is thought about by itself.");
}

// A frame with a memory does not tell how it merges. An earlier one does, unless its size differs,
// as another camera's would.
TEST_F(ExhibitionTest, WithAMemoryTokensAreThoseOfTheFrameThatTells) {
  const auto newest = unmergedResult();
  newest->merged = smallResult();
  view_.setResult(newest);
  EXPECT_EQ(at(24000).scene, Scene::tokens);
  EXPECT_EQ(at(24000).number, "12 squares, 9 thoughts");
  touch(0);
  EXPECT_EQ(at(24000).lit, (std::vector<int>{0, 1, 4}));
  const auto larger = unmergedResult();
  larger->merged = smallResult();
  larger->frame.picture = cv::Mat(40, 40, CV_8UC3, cv::Scalar(0, 0, 200));
  larger->segmentation.labels = cv::Mat(40, 40, CV_8U, cv::Scalar(1));
  view_.setResult(nullptr);
  view_.setResult(larger);
  EXPECT_EQ(at(48000).number, "");
  EXPECT_EQ(at(48000).scene, Scene::names);
}

TEST_F(ExhibitionTest, ATouchLightsExactlyItsGroup) {
  view_.setResult(smallResult());
  const QImage before = picture(24000);
  touch(4);
  const ExhibitionView::Seen seen = at(24000);
  EXPECT_EQ(seen.scene, Scene::touched);
  EXPECT_EQ(seen.lit, (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(seen.number, "3 squares, 1 thought");
  EXPECT_EQ(view_.accessibleName(), seen.sentence);
  const QImage lit = picture(24000);
  for (int place = 0; place < 8; ++place) {                  // words stand on the others
    const QPoint apart = middleOf(place) + QPoint(-60, 70);  // from lines and the name
    const int change = lit.pixelColor(apart).value() - before.pixelColor(apart).value();
    const bool isLit = place == 0 || place == 1 || place == 4;
    EXPECT_EQ(change >= 0, isLit) << "place " << place << ": " << change;
  }
  touch(7);
  EXPECT_EQ(at(24000).lit, std::vector<int>{7});
  EXPECT_EQ(at(24000).number, "1 square, 1 thought");
}

TEST_F(ExhibitionTest, SomeTimeAfterTheLastTouchTheLoopGoesOn) {
  view_.setResult(smallResult());
  at(24000);
  touch(4);
  at(30000);
  touch(5);
  EXPECT_EQ(at(29999 + ExhibitionView::kTouchMs).scene, Scene::touched);
  EXPECT_EQ(at(30000 + ExhibitionView::kTouchMs).scene, Scene::camera);
  EXPECT_EQ(at(38000 + ExhibitionView::kTouchMs).scene, Scene::squares);
  view_.resize(8 * kPlace, 3 * kPlace);
  now_ = 200'000;
  QTest::mouseClick(&view_, Qt::LeftButton, {}, {10, 300});
  EXPECT_NE(view_.seen().scene, Scene::touched) << "beside the picture";
  QTest::mouseClick(&view_, Qt::LeftButton, {}, {8 * kPlace / 2, 300});
  EXPECT_EQ(view_.seen().scene, Scene::touched);
}

TEST_F(ExhibitionTest, AModelThatCannotMergeShowsThePictureAndItsAreas) {
  view_.setResult(unmergedResult());
  for (const auto& [ms, scene] :
       {std::pair(0, Scene::camera), std::pair(8000, Scene::names), std::pair(24000, Scene::names),
        std::pair(34000, Scene::back), std::pair(40000, Scene::camera)}) {
    EXPECT_EQ(at(ms).scene, scene) << ms;
    EXPECT_EQ(at(ms).number, "");
  }
  const QPoint apart = middleOf(0) - QPoint(80, 80);
  EXPECT_LT(picture(7000).pixelColor(apart).green(), 20);
  EXPECT_GT(picture(24000).pixelColor(apart).green(), 100) << "walls are green";
  touch(0);
  EXPECT_EQ(at(24000).scene, Scene::names);
}

// Guards against "knows what is where" of a model that knows only a drawn street.
TEST_F(ExhibitionTest, SaysThatItGuessesAPlaceThatTheModelDoesNotKnow) {
  view_.setResult(smallResult());
  EXPECT_EQ(at(30000).sentence, "So the computer knows what is where.");
  view_.setGuessing(true);
  EXPECT_EQ(at(30000).sentence, "So the computer guesses what is where.");
}

// A model of depth is an example.
TEST_F(ExhibitionTest, AModelWithoutClassesNamesNothing) {
  const auto result = smallResult();
  result->segmentation.labels = cv::Mat();
  view_.setResult(result);
  EXPECT_EQ(at(30000).sentence, at(24000).sentence);
  EXPECT_EQ(picture(30000), picture(24000));
  touch(0);
  EXPECT_EQ(at(30000).lit.size(), 3u);
  EXPECT_FALSE(picture(30000).isNull());
}

TEST_F(ExhibitionTest, NamesStandOnAreas) {
  view_.setResult(smallResult());
  const QImage named = picture(4000);
  classes_.setAllVisible(false);
  EXPECT_NE(picture(4000), named);
  classes_.setAllVisible(true);
  EXPECT_EQ(picture(4000), named);
}

TEST_F(ExhibitionTest, WhileHiddenItPaintsAndTicksNothing) {
  Paintings paintings(&view_);
  view_.setResult(smallResult());
  EXPECT_FALSE(timer().isActive());
  view_.show();
  EXPECT_TRUE(waitFor([&] { return paintings.count > 0; }));
  EXPECT_TRUE(timer().isActive());
  view_.hide();
  const int before = paintings.count;
  EXPECT_FALSE(timer().isActive());
  now_ = 9000;
  view_.setResult(smallResult());
  classes_.setSolo(1);
  QCoreApplication::processEvents();
  EXPECT_FALSE(timer().isActive());
  EXPECT_EQ(paintings.count, before);
  view_.show();
  EXPECT_EQ(at(9000).scene, Scene::camera) << "the loop begins anew";
}

TEST_F(ExhibitionTest, PaintsThirtyTimesASecondWhileItMovesAndElseForNewFrames) {
  view_.setResult(smallResult());
  view_.show();
  ASSERT_TRUE(waitForExposed(&view_));
  now_ = 3000;
  view_.repaint();
  EXPECT_EQ(timer().interval(), 5000) << "until the picture dissolves";
  now_ = 3010;
  view_.setResult(smallResult());
  EXPECT_EQ(timer().interval(), 24) << "34 ms after the last time";
  now_ = 10000;
  view_.repaint();
  EXPECT_EQ(timer().interval(), 34);
  now_ = 10010;
  view_.setResult(smallResult());
  EXPECT_EQ(timer().interval(), 24);
  touch(0);
  now_ = 11000;
  view_.repaint();
  EXPECT_EQ(timer().interval(), ExhibitionView::kTouchMs - 990);
  view_.setResult(nullptr);
  view_.repaint();
  EXPECT_FALSE(timer().isActive()) << "nothing to wait for but a picture";
}

TEST_F(ExhibitionTest, GoesThroughTheLoopInAnySize) {
  view_.setResult(stripedResult());
  for (const QSize size : {QSize(60, 40), QSize(300, 900), QSize(1500, 200)}) {
    view_.resize(size);
    for (int ms = 0; ms < ExhibitionView::kLoopMs; ms += 1500) EXPECT_EQ(picture(ms).size(), size);
  }
}

}  // namespace
}  // namespace mpm::gui
