// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <QApplication>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include "gui/canvas/frame_view.h"
#include "small_result.h"

namespace mpm::gui {
namespace {

class PictureViewInput : public ::testing::Test {
 protected:
  PictureViewInput() {
    view_.setViewState(&state_);
    view_.resize(400, 300);  // five pixels for each of the picture
    view_.setResult(smallResult());
    view_.show();
    QTest::mouseMove(&view_, QPoint(399, 299));
  }
  static Inspection last(const QSignalSpy& spy) { return spy.last().at(0).value<Inspection>(); }
  void wheel(QPointF at, int turned) {
    QWheelEvent event(at, view_.mapToGlobal(at), {}, {0, turned}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&view_, &event);
  }
  void key(Qt::Key key, Qt::KeyboardModifiers with = {}) { QTest::keyClick(&view_, key, with); }

  ViewState state_;
  FrameView view_{ViewKind::mergeMap};
};

TEST_F(PictureViewInput, HoveringTellsWhatIsThere) {
  QSignalSpy spy(&view_, &PictureView::inspected), ended(&view_, &PictureView::inspectionEnded);
  QTest::mouseMove(&view_, QPoint(50, 150));
  ASSERT_GE(spy.count(), 1);
  EXPECT_EQ(last(spy).group.places, (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(last(spy).className, "class 1");
  const auto count = spy.count();
  view_.setResult(smallResult());
  EXPECT_EQ(spy.count(), count + 1) << "with each frame, since it may have changed";
  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(&view_, &leave);
  EXPECT_FALSE(state_.hovered());
  EXPECT_EQ(ended.count(), 1);
}

TEST_F(PictureViewInput, AClickOnTheNameIsForWhoListensElseForThePicture) {
  constexpr QPoint kName(20, 15);
  view_.grab();
  view_.exported();  // where the name stands elsewhere
  QTest::mouseClick(&view_, Qt::LeftButton, {}, kName);
  EXPECT_TRUE(state_.pinned());
  const auto pinned = state_.pinned();
  QSignalSpy spy(&view_, &PictureView::titleClicked);
  QTest::mouseClick(&view_, Qt::LeftButton, {}, kName);
  EXPECT_EQ(spy.count(), 1);
  EXPECT_EQ(state_.pinned(), pinned);
}

TEST_F(PictureViewInput, OnlyTheViewUnderTheCursorTells) {
  FrameView other;
  other.setViewState(&state_);
  other.setResult(view_.result());
  QSignalSpy spy(&other, &PictureView::inspected);
  QTest::mouseMove(&view_, QPoint(50, 150));
  other.setResult(smallResult());
  EXPECT_EQ(spy.count(), 0);
}

TEST_F(PictureViewInput, TheWheelZoomsAtTheCursor) {
  const QPointF at(100, 75);  // a quarter of the picture
  wheel(at, 120);
  EXPECT_NEAR(state_.zoom(), 1.2, 1e-9);
  const QPointF offset = (QPointF(0.25, 0.25) - state_.centre()) * state_.zoom();
  EXPECT_NEAR(offset.x(), -0.25, 1e-9);
  wheel(at, -240);
  EXPECT_EQ(state_.zoom(), 1);
}

TEST_F(PictureViewInput, DraggingPansAndDoesNotPin) {
  state_.zoomBy(2, {0.5, 0.5});
  QTest::mousePress(&view_, Qt::LeftButton, {}, QPoint(200, 150));
  QTest::mouseMove(&view_, QPoint(160, 150));
  QTest::mouseRelease(&view_, Qt::LeftButton, {}, QPoint(160, 150));
  EXPECT_NEAR(state_.centre().x(), 0.5 + 40.0 / 800, 1e-9);
  EXPECT_FALSE(state_.pinned());
}

TEST_F(PictureViewInput, AClickPinsAndTheSameTokenLetsGo) {
  QSignalSpy spy(&view_, &PictureView::inspected);
  QTest::mouseClick(&view_, Qt::LeftButton, {}, QPoint(50, 50));
  ASSERT_TRUE(state_.pinned());
  EXPECT_NEAR(state_.pinned()->x(), 0.125, 1e-9);
  QTest::mouseClick(&view_, Qt::LeftButton, {}, QPoint(250, 50));
  EXPECT_NEAR(state_.pinned()->x(), 0.625, 1e-9);
  QTest::mouseClick(&view_, Qt::LeftButton, {}, QPoint(255, 55));
  EXPECT_FALSE(state_.pinned());
}

// Where a memory left tokens out, those of the newest frame that tells are looked at.
TEST_F(PictureViewInput, KeysStepFromTokenToTokenWithAMemory) {
  auto remembered = smallResult();
  remembered->segmentation.stages.clear();
  remembered->segmentation.mergeMap.release();
  remembered->merged = smallResult();
  view_.setResult(remembered);
  state_.setHovered(std::nullopt);
  key(Qt::Key_Right, Qt::ShiftModifier);
  key(Qt::Key_Right, Qt::ShiftModifier);
  ASSERT_TRUE(state_.hovered());
  EXPECT_NEAR(state_.hovered()->x(), 0.875, 1e-9) << "the middle of place 7";
}

TEST_F(PictureViewInput, AClickShowsACardBesideItsTokenInThisView) {
  FrameView other(ViewKind::camera);
  other.setViewState(&state_);
  other.resize(400, 300);
  other.setResult(view_.result());
  const auto isDark = [](FrameView& view) {
    return view.grab().toImage().pixelColor(195, 150).value() < 80;  // in its upper right
  };
  QTest::mouseClick(&view_, Qt::LeftButton, {}, QPoint(50, 150));
  QTest::mouseMove(&view_, QPoint(399, 299));
  EXPECT_TRUE(isDark(view_));
  EXPECT_FALSE(isDark(other)) << "one card is enough";
  QTest::mouseClick(&view_, Qt::LeftButton, {}, QPoint(50, 150));
  EXPECT_FALSE(isDark(view_));
}

TEST_F(PictureViewInput, APinnedPlaceIsFollowedFromFrameToFrame) {
  QTest::mouseClick(&view_, Qt::LeftButton, {}, QPoint(50, 50));
  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(&view_, &leave);
  QSignalSpy spy(&view_, &PictureView::inspected);
  view_.setResult(smallResult());
  ASSERT_EQ(spy.count(), 1);
  EXPECT_EQ(last(spy).group.place, 0);
}

TEST_F(PictureViewInput, ADoubleClickFitsAndLeavesThePin) {
  state_.setPinned(QPointF(0.9, 0.9));
  state_.zoomBy(3, {0.5, 0.5});
  QTest::mouseClick(&view_, Qt::LeftButton, {}, QPoint(200, 150));
  const QPointF at(200, 150);
  QMouseEvent second(QEvent::MouseButtonDblClick, at, view_.mapToGlobal(at), Qt::LeftButton,
                     Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&view_, &second);
  QTest::mouseRelease(&view_, Qt::LeftButton, {}, at.toPoint());
  EXPECT_EQ(state_.zoom(), 1);
  EXPECT_EQ(state_.pinned(), QPointF(0.9, 0.9));
}

TEST_F(PictureViewInput, KeysZoomAndPan) {
  state_.setHovered(std::nullopt);
  key(Qt::Key_Plus);
  key(Qt::Key_Plus);
  EXPECT_NEAR(state_.zoom(), 1.25 * 1.25, 1e-9);
  const double from = state_.centre().x();
  key(Qt::Key_Right);
  EXPECT_GT(state_.centre().x(), from);
  key(Qt::Key_Left);
  EXPECT_NEAR(state_.centre().x(), from, 1e-9);
  key(Qt::Key_Minus);
  EXPECT_NEAR(state_.zoom(), 1.25, 1e-9);
  key(Qt::Key_0);
  EXPECT_EQ(state_.zoom(), 1);
}

TEST_F(PictureViewInput, KeysLookAtTokensAndPin) {
  state_.setHovered(std::nullopt);
  QSignalSpy spy(&view_, &PictureView::inspected);
  key(Qt::Key_Right, Qt::ShiftModifier);
  ASSERT_EQ(spy.count(), 1);
  EXPECT_EQ(last(spy).group.place, 6) << "first the place in the middle";
  key(Qt::Key_Right, Qt::ShiftModifier);
  EXPECT_EQ(last(spy).group.place, 7);
  key(Qt::Key_Right, Qt::ShiftModifier);
  EXPECT_EQ(last(spy).group.place, 7) << "the last one of its row";
  key(Qt::Key_Down, Qt::ShiftModifier);
  EXPECT_EQ(last(spy).group.place, 11);
  EXPECT_TRUE(view_.accessibleDescription().contains("A token of 2 places"));
  key(Qt::Key_Space);
  EXPECT_TRUE(state_.pinned());
  key(Qt::Key_Escape);
  EXPECT_FALSE(state_.looked());
}

// Seen: with the mouse over the picture Escape did nothing but look away.
TEST_F(PictureViewInput, EscapeIsForOthersWhereNothingIsPinned) {
  class Behind : public QWidget {
   public:
    int escapes = 0;

   protected:
    void keyPressEvent(QKeyEvent* event) override { escapes += event->key() == Qt::Key_Escape; }
  } behind;
  view_.setParent(&behind);
  behind.show();
  view_.show();
  QTest::mouseMove(&view_, QPoint(50, 150));
  key(Qt::Key_Escape);
  EXPECT_EQ(behind.escapes, 1);
  key(Qt::Key_Space);
  ASSERT_TRUE(state_.pinned());
  key(Qt::Key_Escape);
  EXPECT_EQ(behind.escapes, 1) << "the token went";
  EXPECT_FALSE(state_.pinned());
  view_.setParent(nullptr);
}

TEST_F(PictureViewInput, WithoutATokenGridStepsAreShort) {
  auto result = smallResult();
  result->segmentation.stages.clear();
  result->segmentation.mergeMap = cv::Mat();
  view_.setResult(result);
  state_.setHovered(std::nullopt);
  key(Qt::Key_Up, Qt::ShiftModifier);
  ASSERT_TRUE(state_.hovered());
  EXPECT_NEAR(state_.hovered()->y(), 0.48, 1e-9);
}

TEST_F(PictureViewInput, WithoutAPictureNothingHappens) {
  view_.setResult(nullptr);
  state_.setHovered(std::nullopt);
  QTest::mouseMove(&view_, QPoint(50, 50));
  QTest::mouseClick(&view_, Qt::LeftButton, {}, QPoint(50, 50));
  wheel({50, 50}, 120);
  key(Qt::Key_Plus);
  key(Qt::Key_Right, Qt::ShiftModifier);
  EXPECT_FALSE(state_.looked());
  EXPECT_EQ(state_.zoom(), 1);
}

}  // namespace
}  // namespace mpm::gui
