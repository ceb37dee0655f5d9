// SPDX-License-Identifier: Apache-2.0
// A picture under the pointer and by keys, and how it lies in its view.
#include <gtest/gtest.h>

#include "gui/canvas/frame_view.h"
#include "gui/canvas/small_result.h"
#include "gui/canvas/view_state.h"
#include "gui/hands.h"

namespace mpm::gui {
namespace {

class PictureViewInput : public ::testing::Test {
 protected:
  PictureViewInput() {
    view_.setViewState(&state_);
    view_.resize(400, 300);  // five pixels for each of the picture, 100 for a place
    view_.setResult(smallResult());
    view_.show();
    QTest::mouseMove(&view_, QPoint(399, 299));
  }
  Inspection last() const { return inspected_.last().at(0).value<Inspection>(); }
  void click(QPoint at) { QTest::mouseClick(&view_, Qt::LeftButton, {}, at); }
  void keys(const char* names) { hands::keys(&view_, names); }
  void forgetTokens(monitor::FrameResultPtr merged = nullptr) {
    auto result = smallResult();
    result->segmentation.stages.clear();
    result->segmentation.mergeMap.release();
    result->merged = std::move(merged);
    view_.setResult(result);
    state_.setHovered(std::nullopt);
  }

  ViewState state_;
  FrameView view_{ViewKind::mergeMap};
  QSignalSpy inspected_{&view_, &PictureView::inspected};
};

TEST_F(PictureViewInput, HoveringTellsWhatIsThereInThatViewAlone) {
  FrameView other;
  other.setViewState(&state_);
  other.setResult(view_.result());
  QSignalSpy elsewhere(&other, &PictureView::inspected),
      ended(&view_, &PictureView::inspectionEnded);
  QTest::mouseMove(&view_, QPoint(50, 150));
  ASSERT_GE(inspected_.count(), 1);
  EXPECT_EQ(last().group.places, (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(last().className, "class 1");
  const auto count = inspected_.count();
  view_.setResult(smallResult());
  EXPECT_EQ(inspected_.count(), count + 1) << "with each frame, since it may have changed";
  other.setResult(smallResult());
  EXPECT_EQ(elsewhere.count(), 0);
  hands::leave(&view_);
  EXPECT_FALSE(state_.hovered());
  EXPECT_EQ(ended.count(), 1);
}

TEST_F(PictureViewInput, AClickOnTheNameIsForWhoListensElseForThePicture) {
  constexpr QPoint kName(20, 15);
  view_.grab();
  view_.exported();  // where the name stands elsewhere
  click(kName);
  const auto pinned = state_.pinned();
  EXPECT_TRUE(pinned);
  QSignalSpy spy(&view_, &PictureView::titleClicked);
  click(kName);
  EXPECT_EQ(spy.count(), 1);
  EXPECT_EQ(state_.pinned(), pinned);
}

TEST_F(PictureViewInput, TheWheelZoomsAtTheCursorAndDraggingPansAndDoesNotPin) {
  const QPointF at(100, 75);  // a quarter of the picture
  hands::wheel(&view_, at, 1);
  EXPECT_NEAR(state_.zoom(), 1.2, 1e-9);
  const QPointF offset = (QPointF(0.25, 0.25) - state_.centre()) * state_.zoom();
  EXPECT_NEAR(offset.x(), -0.25, 1e-9);
  hands::wheel(&view_, at, -2);
  EXPECT_EQ(state_.zoom(), 1);
  state_.zoomBy(2, {0.5, 0.5});
  hands::drag(&view_, {{200, 150}, {160, 150}});
  EXPECT_NEAR(state_.centre().x(), 0.5 + 40.0 / 800, 1e-9);
  EXPECT_FALSE(state_.pinned());
}

TEST_F(PictureViewInput, AClickPinsAndTheSameTokenLetsGo) {
  click({50, 50});
  ASSERT_TRUE(state_.pinned());
  EXPECT_NEAR(state_.pinned()->x(), 0.125, 1e-9);
  hands::leave(&view_);
  const auto count = inspected_.count();
  view_.setResult(smallResult());
  ASSERT_EQ(inspected_.count(), count + 1) << "it is followed from frame to frame";
  EXPECT_EQ(last().group.place, 0);
  click({250, 50});
  EXPECT_NEAR(state_.pinned()->x(), 0.625, 1e-9);
  click({255, 55});
  EXPECT_FALSE(state_.pinned());
}

TEST_F(PictureViewInput, AClickShowsACardBesideItsTokenInThisView) {
  FrameView other(ViewKind::camera);
  other.setViewState(&state_);
  other.resize(400, 300);
  other.setResult(view_.result());
  const auto isDark = [](FrameView& view) {
    return view.grab().toImage().pixelColor(195, 150).value() < 80;  // in its upper right
  };
  click({50, 150});
  QTest::mouseMove(&view_, QPoint(399, 299));
  EXPECT_TRUE(isDark(view_));
  EXPECT_FALSE(isDark(other)) << "one card is enough";
  click({50, 150});
  EXPECT_FALSE(isDark(view_));
}

TEST_F(PictureViewInput, ADoubleClickFitsAndLeavesThePin) {
  state_.setPinned(QPointF(0.9, 0.9));
  state_.zoomBy(3, {0.5, 0.5});
  const QPoint at(200, 150);
  click(at);
  QMouseEvent second(QEvent::MouseButtonDblClick, at, view_.mapToGlobal(at), Qt::LeftButton,
                     Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&view_, &second);
  QTest::mouseRelease(&view_, Qt::LeftButton, {}, at);
  EXPECT_EQ(state_.zoom(), 1);
  EXPECT_EQ(state_.pinned(), QPointF(0.9, 0.9));
}

TEST_F(PictureViewInput, KeysZoomPanLookAtTokensAndPin) {
  state_.setHovered(std::nullopt);
  keys("+ +");
  EXPECT_NEAR(state_.zoom(), 1.25 * 1.25, 1e-9);
  const double from = state_.centre().x();
  keys("Right");
  EXPECT_GT(state_.centre().x(), from);
  keys("Left");
  EXPECT_NEAR(state_.centre().x(), from, 1e-9);
  keys("-");
  EXPECT_NEAR(state_.zoom(), 1.25, 1e-9);
  keys("0");
  EXPECT_EQ(state_.zoom(), 1);
  const std::pair<const char*, int> steps[]{{"Shift+Right", 6},  // first the place in the middle
                                            {"Shift+Right", 7},
                                            {"Shift+Right", 7},  // the last one of its row
                                            {"Shift+Down", 11}};
  for (const auto& [key, place] : steps) {
    keys(key);
    EXPECT_EQ(last().group.place, place);
  }
  EXPECT_TRUE(view_.accessibleDescription().contains("A token of 2 patches"));
  keys("Space");
  EXPECT_TRUE(state_.pinned());
  keys("Esc");
  EXPECT_FALSE(state_.looked());
}

// With tokens left out by a memory, keys step over those of the newest frame that has counts.
TEST_F(PictureViewInput, KeysStepFromTokenToTokenWithAMemoryAndAShortWayWithoutTokens) {
  forgetTokens(smallResult());
  keys("Shift+Right*2");
  ASSERT_TRUE(state_.hovered());
  EXPECT_NEAR(state_.hovered()->x(), 0.875, 1e-9) << "the middle of place 7";
  forgetTokens();
  keys("Shift+Up");
  ASSERT_TRUE(state_.hovered());
  EXPECT_NEAR(state_.hovered()->y(), 0.48, 1e-9);
}

// Guards against Escape that only ends inspection while the mouse is over the picture.
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
  keys("Esc");
  EXPECT_EQ(behind.escapes, 1);
  keys("Space");
  ASSERT_TRUE(state_.pinned());
  keys("Esc");
  EXPECT_EQ(behind.escapes, 1) << "the token went";
  EXPECT_FALSE(state_.pinned());
  view_.setParent(nullptr);
}

TEST_F(PictureViewInput, WithoutAPictureNothingHappens) {
  view_.setResult(nullptr);
  state_.setHovered(std::nullopt);
  QTest::mouseMove(&view_, QPoint(50, 50));
  click({50, 50});
  hands::wheel(&view_, {50, 50}, 1);
  keys("+ Shift+Right");
  EXPECT_FALSE(state_.looked());
  EXPECT_EQ(state_.zoom(), 1);
}

TEST(ViewState, StaysInsideThePictureAndTellsOnlyChanges) {
  ViewState state;
  QSignalSpy moved(&state, &ViewState::moved), hovered(&state, &ViewState::hoveredChanged),
      pinned(&state, &ViewState::pinnedChanged);
  state.panBy({0.3, 0.3});
  EXPECT_EQ(state.centre(), QPointF(0.5, 0.5)) << "all of it is seen";
  state.fit();
  state.setHovered(std::nullopt);
  state.setPinned(std::nullopt);
  state.zoomBy(std::nan(""), {0, 0});
  EXPECT_EQ(moved.count() + hovered.count() + pinned.count(), 0);
  state.setHovered(QPointF(2, -1));
  EXPECT_EQ(state.hovered(), QPointF(1, 0));
  state.setHovered(QPointF(1, 0));
  EXPECT_EQ(hovered.count(), 1);
  state.setPinned(QPointF(0.25, 0.5));
  EXPECT_EQ(pinned.count(), 1);
  EXPECT_EQ(state.looked(), QPointF(1, 0));
  state.setHovered(QPointF(std::nan(""), 0));
  EXPECT_EQ(state.looked(), QPointF(0.25, 0.5));
  state.zoomBy(4, {0.5, 0.5});
  state.panBy({9, -9});
  EXPECT_EQ(state.centre(), QPointF(0.875, 0.125));
  state.zoomBy(1e9, {0.5, 0.5});
  EXPECT_EQ(state.zoom(), ViewState::kMostZoom);
  EXPECT_EQ(moved.count(), 3);
}

TEST(ViewGeometry, FitsWithItsRatioKeptAndOfNothingIsEmpty) {
  const ViewGeometry shown({400, 400}, {200, 100}, 1, {0.5, 0.5});
  EXPECT_EQ(shown.scale(), 2);
  EXPECT_EQ(shown.toView(QPointF(0, 0)), QPointF(0, 100));
  EXPECT_EQ(shown.toView(QPointF(1, 1)), QPointF(400, 300));
  EXPECT_EQ(shown.toPicture({200, 200}), QPointF(0.5, 0.5));
  EXPECT_TRUE(shown.hitsPicture({1, 101}) && !shown.hitsPicture({1, 99}));
  for (const ViewGeometry& none :
       {ViewGeometry(), ViewGeometry({0, 10}, {20, 10}, 1, {}), ViewGeometry({10, 10}, {}, 1, {})})
    EXPECT_TRUE(none.isEmpty() && !none.hitsPicture({0, 0}) &&
                none.seen({0, 0, 10, 10}, 1).area.empty());
}

TEST(ViewGeometry, SeesWholePixelsThatCoverTheClip) {
  const ViewGeometry whole({800, 600}, {640, 480}, 1, {0.5, 0.5});
  EXPECT_EQ(whole.seen({0, 0, 800, 600}, 2).area, cv::Rect(0, 0, 640, 480));
  EXPECT_EQ(whole.seen({0, 0, 800, 600}, 2).target, QRect(0, 0, 1600, 1200));
  for (const double zoom : {1.7, 3.0, 11.3}) {
    const ViewGeometry shown({333, 217}, {640, 480}, zoom, {0.42, 0.61});
    const QRectF clip(50, 20, 100, 150);
    const ViewGeometry::Seen seen = shown.seen(clip, 1.5);
    const double pixel = shown.scale() * 1.5;
    EXPECT_LE(seen.target.left(), clip.left() * 1.5 + 1);
    EXPECT_GE(seen.target.left(), clip.left() * 1.5 - pixel - 1);
    EXPECT_GE(seen.target.right() + 1, clip.right() * 1.5 - 1);
    EXPECT_LE(seen.target.right() + 1, clip.right() * 1.5 + pixel + 1);
    EXPECT_NEAR(seen.target.width(), seen.area.width * pixel, 1);
  }
}

TEST(ViewGeometry, PaintsNoMoreThanIsWorthIt) {
  const ViewGeometry shown({4000, 3000}, {640, 480}, 1, {0.5, 0.5});
  const Part part = shown.partFor(shown.seen({0, 0, 4000, 3000}, 1));
  EXPECT_LE(part.size.area(), 1'000'000);
  EXPECT_GT(part.size.area(), 900'000);
  EXPECT_NEAR(static_cast<double>(part.size.width) / part.size.height, 4.0 / 3, 0.01);
}

}  // namespace
}  // namespace mpm::gui
