// SPDX-License-Identifier: Apache-2.0
// Views of a picture: what they show, say and export, beside each other and on both sides of a
// line.
#include "gui/canvas/picture_view.h"

#include <gtest/gtest.h>

#include <tuple>

#include "gui/canvas/frame_view.h"
#include "gui/canvas/small_result.h"
#include "gui/hands.h"
#include "gui/plot/text_recorder.h"

namespace mpm::gui {
namespace {

std::shared_ptr<monitor::FrameResult> withoutFullTokens() {
  auto result = smallResult();
  result->full.reset();
  return result;
}

class PictureViewTest : public ::testing::Test {
 protected:
  PictureViewTest() {
    giveSmallClasses(classes_);
    view_.setClasses(&classes_);
    view_.resize(400, 300);
  }
  QImage grabbed() { return view_.grab().toImage(); }
  bool says(const QString& words) const { return view_.accessibleDescription().contains(words); }
  testing::DrawnTexts drawn() {
    testing::TextRecorder recorder(view_.size());
    view_.render(&recorder, {}, {}, {});
    return recorder.drawn;
  }
  bool isComparison() { return QColor(view_.exported(false).pixel(5, 0)).saturation() > 150; }
  ClassSettings classes_;
  FrameView view_{ViewKind::camera};
};

TEST_F(PictureViewTest, ShowsWordsUntilThereIsAPicture) {
  const QImage before = grabbed();
  view_.setEmptyText("The camera is being opened");
  EXPECT_NE(grabbed(), before);
  EXPECT_TRUE(says("being opened") && says(descriptionOf(ViewKind::camera)));
  EXPECT_EQ(view_.accessibleName(), "Camera");
  EXPECT_TRUE(view_.exported().isNull());
  view_.setResult(smallResult());
  EXPECT_EQ(grabbed().pixel(100, 150), qRgb(200, 0, 0));
  EXPECT_FALSE(says("being opened"));
  view_.setResult(nullptr);
  EXPECT_NE(grabbed().pixel(20, 280), qRgb(200, 0, 0));
  EXPECT_TRUE(says("being opened"));
  const auto strange = smallResult();
  strange->frame.picture = cv::Mat(10, 10, CV_16UC1, cv::Scalar(0));
  view_.setResult(strange);
  EXPECT_FALSE(grabbed().isNull());
  EXPECT_TRUE(view_.exported().isNull()) << "of what is no picture";
}

TEST_F(PictureViewTest, EverySettingIsSeenAndHeldInItsBounds) {
  const auto slid = smallResult();
  slid->segmentation.gridArea = {0, 0, 0.5, 1};
  view_.setKind(ViewKind::segmentation);
  view_.setResult(smallResult());
  QImage seen = grabbed();
  EXPECT_EQ(grabbed(), seen);
  const std::pair<const char*, std::function<void()>> settings[]{
      {"opacity", [&] { view_.setOpacity(0.2); }},
      {"outlines", [&] { view_.setOutlines(false); }},
      {"names", [&] { view_.setNamed(true); }},
      {"classes", [&] { classes_.setSolo(0); }},
      {"kind", [&] { view_.setKind(ViewKind::mergeMap); }},
      {"stage", [&] { view_.setStage(1); }},
      {"the grid's area", [&] { view_.setResult(slid); }}};
  for (const auto& [name, set] : settings) {
    set();
    const QImage now = grabbed();
    EXPECT_NE(now, seen) << name;
    seen = now;
  }
  view_.setStage(-4);
  EXPECT_EQ(view_.painting().stage, 0);
  for (const auto& [given, held] : {std::pair(7.0, 1.0), {std::nan(""), 0.0}}) {
    view_.setOpacity(given);
    EXPECT_EQ(view_.painting().opacity, held);
  }
  EXPECT_EQ(FrameView(ViewKind::confidence).painting().opacity, usualOpacity(ViewKind::confidence));
}

// Guards against strip letters twice as large as the view's, on a screen of 3000 x 1800.
TEST_F(PictureViewTest, CaptionsOfALargeViewAreLarger) {
  view_.setResult(smallResult());
  const auto titleHeight = [&](QSize size) {
    view_.resize(size);
    for (const testing::DrawnText& text : drawn().texts)
      if (text.text == "Camera") return text.place.height();
    return 0.0;
  };
  const double usual = titleHeight({640, 620});
  EXPECT_GT(usual, 5);
  EXPECT_EQ(titleHeight({300, 200}), usual);
  EXPECT_EQ(titleHeight({1500, 600}), usual) << "in a low one as well";
  EXPECT_NEAR(titleHeight({960, 960}) / usual, 1.5, 0.15);
  EXPECT_NEAR(titleHeight({3000, 1800}) / usual, 2, 0.2);
}

TEST_F(PictureViewTest, ASimulatedNightAndAPauseAreSaidOnThePicture) {
  view_.setResult(smallResult());
  const QImage plain = grabbed();
  const auto dark = smallResult();
  dark->filtered = true;
  view_.setResult(dark);
  const QImage night = grabbed();
  EXPECT_NE(night, plain);
  view_.setPaused(true);
  EXPECT_NE(grabbed(), night);
  EXPECT_TRUE(says("Paused."));
  view_.setResult(smallResult());
  EXPECT_NE(grabbed(), plain);
  view_.setPaused(false);
  EXPECT_EQ(grabbed(), plain);
  EXPECT_FALSE(says("Paused."));
}

TEST_F(PictureViewTest, TokensOfARememberedFrameAreThoseOfTheNewestThatTellsOverItsPicture) {
  const auto before = smallResult();
  const auto remembered = smallResult();
  remembered->frame.picture.setTo(cv::Scalar(0, 200, 0));
  remembered->segmentation.mergeMap.release();
  remembered->segmentation.stages.clear();
  view_.setKind(ViewKind::mergeMap);
  view_.setOutlines(false);
  view_.setResult(before);
  const QImage tokens = grabbed();
  remembered->merged = before;
  view_.setResult(remembered);
  EXPECT_EQ(grabbed(), tokens);
  view_.setKind(ViewKind::camera);
  EXPECT_EQ(grabbed().pixel(100, 150), qRgb(0, 200, 0));
}

// Guards against "tokens from 9 s ago" under "6 s old", said of the previous picture.
TEST_F(PictureViewTest, AnOldPictureIsGreyAndSaysWhyInsteadOfWhatColoursMean) {
  view_.setResult(smallResult());
  view_.setStale(65000, "no answer");
  EXPECT_TRUE(view_.isStale() && says("no answer"));
  const QImage old = grabbed();
  EXPECT_EQ(QColor(old.pixel(100, 250)).saturation(), 0);
  view_.setStale(66000, "no answer");
  EXPECT_NE(grabbed(), old) << "its age grew";
  view_.setLive();
  EXPECT_GT(QColor(grabbed().pixel(100, 250)).saturation(), 100);
  EXPECT_FALSE(says("no answer"));
  view_.setKind(ViewKind::mergeMap);
  for (const bool isOld : {false, true}) {
    if (isOld) view_.setStale(65000, "no answer");
    const QString words = drawn().words().join('|');
    EXPECT_EQ(words.contains("tokens for"), !isOld) << qPrintable(words);
    EXPECT_EQ(words.contains("no answer"), isOld) << qPrintable(words);
  }
}

TEST_F(PictureViewTest, LinkedViewsLookAtTheSamePlaceAndOutliveWhatTheyShare) {
  FrameView other(ViewKind::mergeMap);
  auto state = std::make_unique<ViewState>();
  auto classes = std::make_unique<ClassSettings>();
  for (FrameView* view : {&view_, &other}) {
    view->setViewState(state.get());
    view->setClasses(classes.get());
    view->setResult(smallResult());
    view->resize(400, 300);
  }
  const QImage before = other.grab().toImage();
  state->setHovered(QPointF(0.1, 0.1));
  const QImage linked = other.grab().toImage();
  EXPECT_NE(linked.pixel(50, 100), before.pixel(50, 100)) << "the line from place 0 to place 4";
  state->zoomBy(2, {0.5, 0.5});
  EXPECT_NE(other.grab().toImage(), linked);
  state.reset();
  classes.reset();
  grabbed();
  const quint64 paintings = view_.paintings();
  ASSERT_NE(view_.viewState(), nullptr);
  view_.viewState()->zoomBy(2, {0.5, 0.5});
  grabbed();
  EXPECT_EQ(view_.paintings(), paintings + 1);
}

TEST_F(PictureViewTest, ExportsAtThePicturesSize) {
  view_.setResult(smallResult());
  view_.viewState()->zoomBy(4, {0.1, 0.1});
  const QImage plain = view_.exported(false);
  EXPECT_EQ(plain.size(), QSize(80, 60));
  EXPECT_EQ(plain.pixel(0, 0), qRgb(200, 0, 0));
  EXPECT_EQ(plain.pixel(79, 59), qRgb(0, 0, 200)) << "all of it, however far the view is zoomed";
  EXPECT_NE(view_.exported(true), plain) << "with its title";
  view_.setZones({{"a", {{0.1, 0.1}, {0.9, 0.1}, {0.9, 0.9}}}});
  EXPECT_NE(view_.exported(false), plain);
}

TEST_F(PictureViewTest, KeepsTheLastComparisonOfItsScheduleAndItsSource) {
  view_.setKind(ViewKind::difference);
  const auto scheduled = withoutFullTokens();
  scheduled->schedule = {2};
  const auto larger = withoutFullTokens();
  larger->frame.picture = cv::Mat(120, 160, CV_8UC3, cv::Scalar(0, 0, 0));
  for (const auto& [next, stays] :
       {std::pair(withoutFullTokens(), true), {scheduled, false}, {larger, false}}) {
    view_.setResult(smallResult());
    EXPECT_TRUE(isComparison());
    view_.setResult(next);
    EXPECT_EQ(isComparison(), stays);
  }
  EXPECT_EQ(view_.exported(false).size(), QSize(160, 120));
}

TEST_F(PictureViewTest, KeepsNoFrameThatItNoLongerShows) {
  view_.show();
  const auto given = [this] {
    const auto result = withoutFullTokens();
    view_.setResult(result);
    grabbed();
    return std::weak_ptr<monitor::FrameResult>(result);
  };
  const auto first = given();
  view_.setResult(nullptr);
  EXPECT_TRUE(first.expired());
  const auto second = given();
  view_.hide();
  view_.setResult(withoutFullTokens());
  EXPECT_TRUE(second.expired()) << "it was painted from, but nobody sees the painting";
  view_.show();
  EXPECT_EQ(grabbed().pixel(100, 150), qRgb(200, 0, 0));
}

class SplitViewTest : public ::testing::Test {
 protected:
  SplitViewTest() {
    view_.setKinds(ViewKind::camera, ViewKind::difference);  // grey where nothing differs
    view_.resize(400, 300);
    view_.setResult(smallResult());
    view_.show();
  }
  bool isGrey(int x) { return QColor(view_.grab().toImage().pixel(x, 200)).saturation() == 0; }
  SplitView view_;
};

TEST_F(SplitViewTest, EachSideHasItsPaintingAlsoWhereItIsExported) {
  EXPECT_EQ(view_.accessibleName(), "Camera and Difference");
  for (const auto& [line, left, right] :
       {std::tuple(500, false, true), {900, false, false}, {100, true, true}}) {
    view_.handle()->setValue(line);
    EXPECT_EQ(isGrey(100), left) << line;
    EXPECT_EQ(isGrey(300), right) << line;
  }
  view_.handle()->setValue(250);
  const QImage image = view_.exported(false);
  EXPECT_GT(QColor(image.pixel(18, 30)).saturation(), 100);
  EXPECT_EQ(QColor(image.pixel(22, 30)).saturation(), 0);
}

TEST_F(SplitViewTest, TheLineIsASliderForMouseKeysAndScreenReadersAndFollowsTheSize) {
  SplitHandle* handle = view_.handle();
  const QPointF middle = handle->rect().center();
  QTest::mousePress(handle, Qt::LeftButton, {}, middle.toPoint());
  QTest::mouseMove(handle, middle.toPoint() - QPoint(100, 0));
  QTest::mouseRelease(handle, Qt::LeftButton, {}, handle->rect().center());
  EXPECT_NEAR(view_.split(), 0.25, 0.01);
  EXPECT_NEAR(handle->geometry().center().x(), 100, 2) << "it stands where it was dragged to";
  handle->setValue(250);
  view_.resize(800, 600);
  EXPECT_NEAR(handle->geometry().center().x(), 200, 2);
  EXPECT_EQ(handle->height(), 600);
  for (const auto& [key, place] : {std::pair("Right", 0.27), {"Home", 0.0}, {"End", 1.0}}) {
    hands::keys(handle, key);
    EXPECT_NEAR(view_.split(), place, 1e-9) << key;
  }
  QAccessibleInterface* line = QAccessible::queryAccessibleInterface(handle);
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(line->role(), QAccessible::Slider);
  EXPECT_EQ(line->text(QAccessible::Name), "Split line");
}

}  // namespace
}  // namespace mpm::gui
