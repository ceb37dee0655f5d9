// SPDX-License-Identifier: Apache-2.0
// Every entry of the window's menus, as somebody who chooses it sees it.
#include <gtest/gtest.h>

#include <QClipboard>
#include <QDialogButtonBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QStatusBar>
#include <QTest>
#include <QTimer>
#include <functional>
#include <utility>

#include "gui/app/living_window.h"
#include "gui/app/open_dialogs.h"
#include "gui/hands.h"
#include "gui/wait_for.h"
#include "mpm/version.h"

namespace mpm::gui {
namespace {

TEST_F(Window, WithoutAPictureThereIsNothingToExport) {
  choose("Export the view as PNG ...");
  EXPECT_EQ(said(), "There is no picture yet.");
  choose("Snapshot to the record");
  EXPECT_EQ(said(), "There is no record to write to, or no picture yet.");
}

TEST_F(Window, TheViewIsWrittenWhereItCanBe) {
  ASSERT_TRUE(isLive());
  const QString path = folder_.filePath("view.png");
  answerFile(path);
  choose("Export the view as PNG ...");
  EXPECT_EQ(said(), "Wrote " + path + ".");
  EXPECT_EQ(QImage(path).size(), QSize(160, 120));
  const QString nowhere = folder_.filePath("view.unknown");
  answerFile(nowhere);
  choose("Export the view as PNG ...");
  EXPECT_EQ(said(), "Cannot write " + nowhere + ": Unsupported image format");
  EXPECT_FALSE(QFileInfo::exists(nowhere));
  EXPECT_EQ(answered_, 2);
}

// Seen: "Cannot write /home/me/gate." of a name without an ending, and a table without one.
TEST_F(Window, ANameWithoutAnEndingHasTheOneOfWhatIsWritten) {
  ASSERT_TRUE(isLive());
  for (const auto& [entry, ending] : {std::pair{"Export the view as PNG ...", ".png"},
                                      std::pair{"Export the tokens as CSV ...", ".csv"}}) {
    const QString path = folder_.filePath("gate");
    answerFile(path);
    choose(entry);
    EXPECT_EQ(said(), "Wrote " + path + ending + ".");
    EXPECT_TRUE(QFileInfo::exists(path + ending));
  }
}

TEST_F(Window, TheTokensAreWrittenAsATable) {
  ASSERT_TRUE(isLive());
  const QString path = folder_.filePath("tokens.csv");
  answerFile(path);
  choose("Export the tokens as CSV ...");
  EXPECT_EQ(said(), "Wrote " + path + ".");
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  EXPECT_TRUE(file.readLine().contains("live_tokens"));
}

TEST_F(Window, ASnapshotGoesToTheRecord) {
  ASSERT_TRUE(isLive());
  choose("Snapshot to the record");
  EXPECT_EQ(said(), "Labels and overlay go to the record's snapshots.");
}

TEST_F(Window, PauseHoldsTheSourceAndNextFrameStepsIt) {
  ASSERT_TRUE(isLive());
  choose("Pause");
  const auto engine = window_.live().engine();
  // Others may be on their way; behind the one that is asked for there is none.
  constexpr std::int64_t kThere = 3'600'000;
  engine->seek(0, kThere);
  ASSERT_TRUE(waitFor([&] { return engine->latest(0)->frame.positionMs == kThere; }));
  // What is read, however slow the network is.
  const std::uint64_t read = engine->capture(0).frames;
  constexpr std::uint64_t kSteps = 4;
  for (std::uint64_t step = 1; step <= kSteps; ++step) {
    choose("Next frame");
    EXPECT_TRUE(waitFor([&] { return engine->latest(0)->frame.number == read + step; }));
  }
  EXPECT_EQ(engine->capture(0).frames, read + kSteps);
  choose("Pause");
  EXPECT_TRUE(waitFor([&] { return engine->capture(0).frames > read + 2 * kSteps; }));
}

TEST_F(Window, TheReportIsOnTheClipboard) {
  ASSERT_TRUE(isLive());
  choose("Copy report");
  EXPECT_EQ(said(), "The report is on the clipboard.");
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains("street.onnx"));
}

TEST_F(Window, HelpNamesTheKeysAndTheVersion) {
  QString keys, about;
  answer<QMessageBox>([&](QMessageBox& box) {
    keys = box.text();
    box.accept();
  });
  choose("Keys");
  EXPECT_TRUE(keys.contains("Ctrl+T")) << qPrintable(keys);
  answer<QMessageBox>([&](QMessageBox& box) {
    about = box.text();
    box.accept();
  });
  choose("About");
  EXPECT_TRUE(about.contains(mpm::version())) << qPrintable(about);
}

TEST_F(Window, LayoutsOutlinesZonesAndTheWholePicture) {
  ASSERT_TRUE(isLive());
  int layout = 0;
  for (const char* text : {"Four views", "Side by side", "Tabs", "Split line"}) {
    choose(text);
    EXPECT_EQ(static_cast<int>(window_.deck()->layoutKind()), layout++) << text;
  }
  choose("Four views");
  auto* view = window_.findChild<FrameView*>();
  const bool outlines = view->painting().outlines;
  choose("Outlines");
  EXPECT_NE(view->painting().outlines, outlines);
  choose("Draw zones");
  EXPECT_TRUE(view->isZoneEditing());
  EXPECT_TRUE(said().contains("corner")) << qPrintable(said());
  choose("Draw zones");
  EXPECT_FALSE(view->isZoneEditing());
  view->viewState()->zoomBy(3, {0.5, 0.5});
  ASSERT_GT(view->viewState()->zoom(), 1);
  choose("Fit the picture");
  EXPECT_EQ(view->viewState()->zoom(), 1);
}

// Seen: Escape ended it in one view, with the menu's entry and the views beside it as they were.
TEST_F(Window, EscapeEndsDrawingZonesEverywhere) {
  ASSERT_TRUE(isLive());
  choose("Draw zones");
  EXPECT_TRUE(action("Draw zones")->isChecked());
  QTest::keyClick(view(), Qt::Key_Escape);
  EXPECT_FALSE(action("Draw zones")->isChecked());
  EXPECT_FALSE(drawsZones());
}

TEST_F(Window, AZoneThatWasBegunIsNotOneOfTheNextSource) {
  ASSERT_TRUE(isLive());
  choose("Draw zones");
  drawCorners();
  const QString next = "scene:?seed=8&size=160x120";
  QFile::remove(rulesFileOf(next));
  window_.session().openSource(next);
  EXPECT_TRUE(waitFor([&] { return said().startsWith("The unfinished zone was discarded"); }))
      << qPrintable(said());
  choose("Draw zones");  // ends it
  EXPECT_TRUE(window_.session().book().zones.empty());
  EXPECT_FALSE(QFile::exists(rulesFileOf(next)));
}

TEST_F(Window, FullScreenAndBack) {
  choose("Classes");
  choose("Full screen");
  EXPECT_TRUE(waitFor([&] { return window_.isFullScreen(); }));
  EXPECT_FALSE(window_.menuBar()->isVisible());
  EXPECT_FALSE(window_.statusBar()->isVisible());
  EXPECT_TRUE(glanceStrip(window_)->isVisible());
  for (const auto* dock : window_.findChildren<QDockWidget*>()) EXPECT_FALSE(dock->isVisible());
  window_.activateWindow();
  ASSERT_TRUE(waitForActive(&window_));
  QTest::keyClick(&window_, Qt::Key_Escape);
  EXPECT_TRUE(waitFor([&] { return !window_.isFullScreen(); }));
  EXPECT_TRUE(window_.menuBar()->isVisible());
  EXPECT_TRUE(window_.findChild<QDockWidget*>("Classes")->isVisible());
}

// Seen: nothing said that it was paused, and Escape left with a token still marked.
TEST_F(Window, FullScreenSaysThatItIsPausedAndEscapeLetsATokenGoFirst) {
  ASSERT_TRUE(isLive());
  choose("Full screen");
  ASSERT_TRUE(waitFor([&] { return window_.isFullScreen(); }));
  FrameView* view = this->view();
  ASSERT_TRUE(waitFor([&] { return view->result() != nullptr; }));
  press("Ctrl+P");
  EXPECT_TRUE(waitFor([&] { return view->accessibleDescription().contains("Paused."); }));
  ASSERT_TRUE(hands::click(view));
  ASSERT_TRUE(view->viewState()->pinned());
  ASSERT_TRUE(hands::press(window_, QKeySequence(Qt::Key_Escape)));
  EXPECT_FALSE(view->viewState()->pinned());
  EXPECT_TRUE(window_.isFullScreen());
  ASSERT_TRUE(hands::press(window_, QKeySequence(Qt::Key_Escape)));
  EXPECT_TRUE(waitFor([&] { return !window_.isFullScreen(); }));
}

TEST_F(Window, AWindowThatWasMaximisedIsAgainAfterFullScreen) {
  // The window manager's answer: Qt believes at once what was asked for.
  const auto covers = [&](const QRect& space) {
    return window_.frameGeometry().width() >= space.width();
  };
  window_.showMaximized();
  ASSERT_TRUE(waitFor([&] { return covers(window_.screen()->availableGeometry()); }));
  choose("Full screen");
  ASSERT_TRUE(waitFor([&] { return window_.height() >= window_.screen()->geometry().height(); }));
  choose("Full screen");
  EXPECT_TRUE(waitFor([&] { return !window_.isFullScreen() && window_.isMaximized(); }));
}

TEST_F(Window, AClickOnTheNameOfAViewOffersOthers) {
  auto* view = window_.deck()->findChildren<FrameView*>().front();
  for (FrameView* each : window_.deck()->findChildren<FrameView*>())
    if (each->isVisible() && each->kind() == ViewKind::segmentation) view = each;
  ASSERT_TRUE(waitFor([&] { return view->result() != nullptr; }));
  view->grab();
  QTimer::singleShot(0, view, [] {
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    if (menu == nullptr) return;
    menu->setActiveAction(menu->actions()[static_cast<int>(ViewKind::confidence)]);
    QTest::keyClick(menu, Qt::Key_Return);
  });
  QTest::mouseClick(view, Qt::LeftButton, {}, {20, 15});
  EXPECT_EQ(view->kind(), ViewKind::confidence);
}

// It was asked for as if it were to be opened instead, and began with what is watched already.
TEST_F(Window, AnotherOneBesideIsAskedForAsSuch) {
  ASSERT_TRUE(isLive());
  answer<SourceDialog>([](SourceDialog& dialog) {
    EXPECT_EQ(dialog.windowTitle(), "Watch another source beside it");
    EXPECT_EQ(dialog.address(), "");
    EXPECT_TRUE(hands::type(dialog.findChild<QLineEdit*>(), "scene:?seed=5&size=160x120"));
  });
  choose("Watch another beside it ...");
  EXPECT_TRUE(waitFor([&] {
    return window_.live().options().beside == QStringList{"scene:?seed=5&size=160x120"};
  }));
  EXPECT_EQ(answered_, 1);
}

TEST_F(Window, ADialogOpensTheSourceAndTheModelThatAreChosen) {
  ASSERT_TRUE(isLive());
  answer<SourceDialog>([](SourceDialog& dialog) {
    auto* line = dialog.findChild<QLineEdit*>();
    ASSERT_TRUE(hands::click(line));
    line->selectAll();
    QTest::keyClicks(line, "scene:?seed=5&size=160x120");
    QPushButton* open = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Open);
    ASSERT_TRUE(waitFor([&] { return open->isEnabled(); }));
    EXPECT_TRUE(hands::click(open));
  });
  choose("Open source ...");
  EXPECT_TRUE(waitFor([&] {
    const auto engine = window_.live().engine();
    return engine && engine->source(0).address.text == "scene:?seed=5&size=160x120";
  }));
  const QString none = folder_.filePath("none.onnx");
  QFile file(none);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("no model");
  file.close();
  answer<ModelDialog>([&](ModelDialog& dialog) {
    EXPECT_EQ(dialog.path(), window_.live().options().model);
    dialog.offer(none);
    const QPushButton* open = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Open);
    EXPECT_TRUE(waitFor([&] { return !open->isEnabled(); })) << "its card says what is wrong";
    dialog.reject();
  });
  choose("Open model ...");
  window_.session().openModel(none);
  EXPECT_TRUE(says("none.onnx")) << qPrintable(said());
}

TEST_F(Window, AFileThatIsDroppedIsOpened) {
  ASSERT_TRUE(isLive());
  QMimeData data;
  data.setUrls({QUrl("scene:?seed=6&size=160x120")});
  QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window_, &enter);
  EXPECT_TRUE(enter.isAccepted());
  QDropEvent drop({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window_, &drop);
  EXPECT_TRUE(waitFor([&] {
    const auto engine = window_.live().engine();
    return engine && engine->source(0).address.text == "scene:?seed=6&size=160x120";
  }));
}

// A space in it was opened as a space, and the camera did not know the address.
TEST_F(Window, AnAddressThatIsDroppedStaysAsItIsSpelled) {
  ASSERT_TRUE(isLive());
  const QString address = "http://127.0.0.1:9/a%20gate.mjpg?x=a%26b";
  QMimeData data;
  data.setUrls({QUrl(address)});
  QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window_, &enter);
  QDropEvent drop({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window_, &drop);
  EXPECT_EQ(window_.session().settings().live.source, address);
}

TEST_F(Window, QuitClosesTheWindow) {
  choose("Quit");
  EXPECT_FALSE(window_.isVisible());
}

}  // namespace
}  // namespace mpm::gui
