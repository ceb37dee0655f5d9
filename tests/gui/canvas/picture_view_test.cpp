// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/picture_view.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <memory>

#include "gui/canvas/frame_view.h"
#include "gui/plot/text_recorder.h"
#include "small_result.h"

namespace mpm::gui {
namespace {

class PictureViewTest : public ::testing::Test {
 protected:
  PictureViewTest() {
    giveSmallClasses(classes_);
    view_.setClasses(&classes_);
    view_.resize(400, 300);
  }
  QImage grabbed() { return view_.grab().toImage(); }
  ClassSettings classes_;
  FrameView view_{ViewKind::camera};
};

TEST_F(PictureViewTest, ShowsWordsUntilThereIsAPicture) {
  const QImage before = grabbed();
  view_.setEmptyText("The camera is being opened");
  EXPECT_NE(grabbed(), before);
  EXPECT_TRUE(view_.accessibleDescription().contains("being opened"));
  EXPECT_TRUE(view_.accessibleDescription().contains(descriptionOf(ViewKind::camera)));
  EXPECT_EQ(view_.accessibleName(), "Camera");
  EXPECT_TRUE(view_.exported().isNull());
  view_.setResult(smallResult());
  EXPECT_EQ(grabbed().pixel(100, 150), qRgb(200, 0, 0));
  EXPECT_FALSE(view_.accessibleDescription().contains("being opened"));
  view_.setResult(nullptr);
  EXPECT_NE(grabbed().pixel(20, 280), qRgb(200, 0, 0));
  EXPECT_TRUE(view_.accessibleDescription().contains("being opened"));
}

// Seen on a screen of 3000 x 1800: the strip's letters were twice as large as the pictures'.
TEST_F(PictureViewTest, CaptionsOfALargeViewAreLarger) {
  view_.setResult(smallResult());
  const auto titleHeight = [&](QSize size) {
    view_.resize(size);
    testing::TextRecorder recorder(size);
    view_.render(&recorder, {}, {}, {});
    for (const testing::DrawnText& text : recorder.drawn.texts)
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
  auto dark = smallResult();
  dark->filtered = true;
  view_.setResult(dark);
  const QImage night = grabbed();
  EXPECT_NE(night, plain);
  view_.setPaused(true);
  EXPECT_NE(grabbed(), night);
  EXPECT_TRUE(view_.accessibleDescription().contains("Paused."));
  view_.setResult(smallResult());
  EXPECT_NE(grabbed(), plain);
  view_.setPaused(false);
  EXPECT_EQ(grabbed(), plain);
  EXPECT_FALSE(view_.accessibleDescription().contains("Paused."));
}

TEST_F(PictureViewTest, RefusesWhatIsNoPicture) {
  auto result = smallResult();
  result->frame.picture = cv::Mat(10, 10, CV_16UC1, cv::Scalar(0));
  view_.setResult(result);
  EXPECT_FALSE(grabbed().isNull());
  EXPECT_TRUE(view_.exported().isNull());
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

TEST_F(PictureViewTest, AnOldPictureIsGreyAndSaysWhy) {
  view_.setResult(smallResult());
  view_.setStale(65000, "no answer");
  EXPECT_TRUE(view_.isStale());
  const QImage old = grabbed();
  EXPECT_EQ(QColor(old.pixel(100, 250)).saturation(), 0);
  EXPECT_TRUE(view_.accessibleDescription().contains("no answer"));
  view_.setStale(66000, "no answer");
  EXPECT_NE(grabbed(), old) << "its age grew";
  view_.setLive();
  EXPECT_GT(QColor(grabbed().pixel(100, 250)).saturation(), 100);
  EXPECT_FALSE(view_.accessibleDescription().contains("no answer"));
}

// Seen: "tokens from 9 s ago" under "6 s old", which was said of the picture before.
TEST_F(PictureViewTest, WhatColoursMeanIsNotSaidOfAnOldPicture) {
  view_.setKind(ViewKind::mergeMap);
  view_.setResult(smallResult());
  const auto words = [&] {
    testing::TextRecorder recorder(view_.size());
    view_.render(&recorder, {}, {}, {});
    return recorder.drawn.words().join('|');
  };
  EXPECT_TRUE(words().contains("tokens for")) << qPrintable(words());
  view_.setStale(65000, "no answer");
  EXPECT_FALSE(words().contains("tokens for")) << qPrintable(words());
  EXPECT_TRUE(words().contains("no answer")) << qPrintable(words());
}

TEST_F(PictureViewTest, LinkedViewsLookAtTheSamePlace) {
  FrameView other(ViewKind::mergeMap);
  ViewState state;
  view_.setViewState(&state);
  other.setViewState(&state);
  other.resize(400, 300);
  view_.setResult(smallResult());
  other.setResult(view_.result());
  const QImage before = other.grab().toImage();
  state.setHovered(QPointF(0.1, 0.1));
  const QImage linked = other.grab().toImage();
  EXPECT_NE(linked, before);
  EXPECT_NE(linked.pixel(50, 100), before.pixel(50, 100)) << "the line from place 0 to place 4";
  state.zoomBy(2, {0.5, 0.5});
  EXPECT_NE(other.grab().toImage(), linked);
}

TEST_F(PictureViewTest, OutlivesWhatItShares) {
  auto state = std::make_unique<ViewState>();
  auto classes = std::make_unique<ClassSettings>();
  view_.setViewState(state.get());
  view_.setClasses(classes.get());
  view_.setResult(smallResult());
  state.reset();
  classes.reset();
  grabbed();
  ASSERT_NE(view_.viewState(), nullptr);
  view_.viewState()->zoomBy(2, {0.5, 0.5});
  grabbed();
  EXPECT_EQ(view_.paintings(), 2U);
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
  view_.setZones({});
  EXPECT_EQ(view_.exported(false), plain);
}

TEST_F(PictureViewTest, KeepsTheLastComparison) {
  view_.setKind(ViewKind::difference);
  view_.setResult(smallResult());
  EXPECT_GT(QColor(view_.exported(false).pixel(5, 0)).saturation(), 150);
  auto next = smallResult();
  next->full.reset();
  view_.setResult(next);
  EXPECT_GT(QColor(view_.exported(false).pixel(5, 0)).saturation(), 150);
  auto other = smallResult();
  other->full.reset();
  other->schedule = {2};
  view_.setResult(other);
  EXPECT_EQ(QColor(view_.exported(false).pixel(5, 0)).saturation(), 0)
      << "another schedule's is dropped";
  view_.setResult(smallResult());
  auto larger = smallResult();
  larger->full.reset();
  larger->frame.picture = cv::Mat(120, 160, CV_8UC3, cv::Scalar(0, 0, 0));
  view_.setResult(larger);
  EXPECT_EQ(view_.exported(false).size(), QSize(160, 120)) << "another source's is dropped";
  EXPECT_EQ(QColor(view_.exported(false).pixel(5, 0)).saturation(), 0);
}

TEST_F(PictureViewTest, KeepsNoFrameThatItNoLongerShows) {
  view_.show();
  const auto given = [this] {
    auto result = smallResult();
    result->full.reset();
    view_.setResult(result);
    grabbed();
    return std::weak_ptr<monitor::FrameResult>(result);
  };
  const auto first = given();
  view_.setResult(nullptr);
  EXPECT_TRUE(first.expired());
  const auto second = given();
  view_.hide();
  auto third = smallResult();
  third->full.reset();
  view_.setResult(third);
  EXPECT_TRUE(second.expired()) << "it was painted from, but nobody sees the painting";
  view_.show();
  EXPECT_EQ(grabbed().pixel(100, 150), qRgb(200, 0, 0));
}

}  // namespace
}  // namespace mpm::gui
