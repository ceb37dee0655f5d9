// SPDX-License-Identifier: Apache-2.0
// Every entry of the window's menus, as somebody who chooses it sees it; files and folders whose
// names have letters that addresses, menus, languages and printf have a meaning for.
#include <gtest/gtest.h>

#include "gui/app/living_window.h"
#include "gui/app/open_dialogs.h"
#include "monitor/record/record_reader.h"
#include "mpm/version.h"

namespace mpm::gui {
namespace {

const char* const kView = "Export the view as PNG ...";

class OddNames : public Window {
 protected:
  OddNames() { EXPECT_TRUE(QDir().mkpath(odd(QString()))); }
  QString odd(const QString& ending) const {
    return folder_.filePath("%20 %d %1 #1 &2 ?x=[3] 'é <b>\\;/" + ending);
  }
  static QString pictureAt(const QString& path) {
    QImage picture(160, 120, QImage::Format_RGB32);
    picture.fill(Qt::darkGreen);
    EXPECT_TRUE(picture.save(path, "PNG"));
    return path;
  }
  void dropFile(const QString& path) { drop(QUrl::fromLocalFile(path)); }
  bool watches(const QString& source, const QString& model) {
    const bool does = waitFor([&] {
      return engine() && engine()->latest() && live().model() == model &&
             engine()->source().address.text == source.toStdString();
    });
    EXPECT_TRUE(does) << qPrintable(said());
    return does;
  }
  QAction* recentSource(int entry) {
    for (QMenu* each : window().findChildren<QMenu*>()) {
      if (each->title().remove('&') != "Open recent") continue;
      emit each->aboutToShow();
      return each->actions().value(entry);
    }
    return nullptr;
  }
};

// Guards against "Cannot write /home/me/gate." for a name without an ending.
TEST_F(OddNames, WhatIsSeenIsWrittenWhereItCanBe) {
  choose(kView);
  EXPECT_EQ(said(), "There is no picture yet.");
  choose("Snapshot to the record");
  EXPECT_EQ(said(), "There is no record to write to, or no picture yet.");
  ASSERT_TRUE(isLive());
  choose("Snapshot to the record");
  EXPECT_EQ(said(), "Labels and overlay are saved with the record's snapshots.");
  const QString view = folder_.filePath("view.png"), gate = folder_.filePath("gate"),
                unknown = folder_.filePath("view.unknown"), oddView = odd("v %1 %n #&.png");
  const struct {
    QString typed, written;
  } cases[]{{view, view}, {gate, gate + ".png"}, {oddView, oddView}, {unknown, {}}};
  for (const auto& one : cases) {
    answerFile(one.typed);
    choose(kView);
    EXPECT_EQ(said(), one.written.isEmpty()
                          ? "Cannot write " + one.typed + ": Unsupported image format"
                          : "Saved " + one.written + ".");
    EXPECT_EQ(QFileInfo(one.typed == gate ? one.written : one.typed).size() > 0,
              !one.written.isEmpty());
  }
  EXPECT_EQ(answered_, 4);
  EXPECT_EQ(QImage(view).size(), QSize(160, 120));
  const QString clip = odd("c %1 %03d #&.avi");
  answerFile(clip);
  choose("Record a clip");
  EXPECT_EQ(said(), "Recording to " + clip + "; the same key stops it.");
  const std::uint64_t frames = engine()->frames();
  ASSERT_TRUE(waitFor([&] { return engine()->frames() > frames + 3; }));
  choose("Record a clip");
  EXPECT_TRUE(says("Clip saved"));
  EXPECT_GT(QFileInfo(clip).size(), 0);
}

TEST_F(OddNames, AreOpenedRecordedToAndRememberedAsTheyAre) {
  ASSERT_TRUE(isLive());
  const QString street = live().options().source, model = odd("m %s #&.onnx");
  ASSERT_TRUE(QFile::copy(smallModel(), model));
  const QString source = pictureAt(odd("a %03d #&=.png"));
  dropFile(model);
  ASSERT_TRUE(watches(street, model));
  dropFile(source);
  ASSERT_TRUE(watches(source, model));
  EXPECT_TRUE(window().windowTitle().contains(source)) << qPrintable(window().windowTitle());
  EXPECT_TRUE(waitFor([&] {
    const Settings kept = readSettings();
    return kept.live.source == source && kept.recentSources.value(0) == source &&
           kept.live.model == model && kept.recentModels.value(0) == model;
  }));
  const QAction* first = recentSource(0);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->text(), "&1  " + QString(source).replace('&', "&&"));
  session().openSource(street);
  ASSERT_TRUE(watches(street, model));
  QAction* before = recentSource(1);
  ASSERT_NE(before, nullptr);
  before->trigger();
  ASSERT_TRUE(watches(source, model));

  LiveOptions other = live().options();
  other.record = odd("r %20#?mode=memory&.sqlite");
  const auto engineBefore = engine();
  live().open(other);
  ASSERT_TRUE(beginsAnew(engineBefore));
  EXPECT_EQ(live().recordFault(), "");
  EXPECT_EQ(monitor::RecordReader(other.record.toStdString()).sources(),
            std::vector<std::string>{engine()->source().name});
}

// A model's name may contain a line break, but a source's may not, as its address is always written
// on one line. Qt cannot represent a name that is no text: it counts as missing.
TEST_F(OddNames, WithTheEndOfALineOrThatAreNoTextAreOpenedOrRefused) {
  ASSERT_TRUE(isLive());
  const QString street = live().options().source, model = odd("two\nlines.onnx");
  ASSERT_TRUE(QFile::copy(smallModel(), model));
  dropFile(model);
  ASSERT_TRUE(watches(street, model));
  EXPECT_TRUE(waitFor([&] { return readSettings().recentModels.value(0) == model; }));
  dropFile(pictureAt(odd("two\nlines.png")));
  EXPECT_TRUE(says("control character"));
  EXPECT_TRUE(waitFor([&] { return session().settings().live.source == street; }));

  const std::filesystem::path none =
      std::filesystem::path(folder_.path().toStdString()) / "m\xff.onnx";
  std::filesystem::copy_file(smallModel().toStdString(), none);
  const QFileInfoList found =
      QDir(folder_.path()).entryInfoList({"m*.onnx"}, QDir::Files | QDir::System);
  dropFile(found.isEmpty() ? folder_.filePath(QString::fromUtf8("m\xff.onnx"))
                           : found[0].absoluteFilePath());
  EXPECT_TRUE(says(".onnx"));
  EXPECT_TRUE(isOpened() && watches(street, model));
  std::filesystem::remove(none);  // which Qt cannot
}

// A space in the address must stay encoded, or the camera does not know the address.
TEST_F(Window, AnAddressThatIsDroppedIsOpenedAsItIsSpelled) {
  ASSERT_TRUE(isLive());
  drop(QUrl("scene:?seed=6&size=160x120"));
  EXPECT_TRUE(shows("scene:?seed=6&size=160x120"));
  const QString address = "http://127.0.0.1:9/a%20gate.mjpg?x=a%26b";
  drop(QUrl(address));
  EXPECT_EQ(session().settings().live.source, address);
}

TEST_F(Window, PauseHoldsTheSourceAndNextFrameStepsIt) {
  ASSERT_TRUE(isLive());
  choose("Pause");
  // Earlier frames may be in flight, but none follows the requested one.
  constexpr std::int64_t kThere = 3'600'000;
  engine()->seek(kThere);
  ASSERT_TRUE(waitFor([&] { return engine()->latest()->frame.positionMs == kThere; }));
  // Counts frames that were read, however slow the network is.
  const std::uint64_t read = engine()->capture().frames;
  constexpr std::uint64_t kSteps = 4;
  for (std::uint64_t step = 1; step <= kSteps; ++step) {
    choose("Next frame");
    EXPECT_TRUE(waitFor([&] { return engine()->latest()->frame.number == read + step; }));
  }
  EXPECT_EQ(engine()->capture().frames, read + kSteps);
  choose("Pause");
  EXPECT_TRUE(waitFor([&] { return engine()->capture().frames > read + 2 * kSteps; }));
}

TEST_F(Window, HelpNamesTheKeysAndTheVersionAndTheReportIsOnTheClipboard) {
  ASSERT_TRUE(isLive());
  choose("Copy report");
  EXPECT_EQ(said(), "The report is on the clipboard.");
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains("street.onnx"));
  for (const auto& [entry, words] : {std::pair("Keys", "Ctrl+T"), {"About", mpm::version()}}) {
    QString told;
    answer<QMessageBox>([&](QMessageBox& box) {
      told = box.text();
      box.accept();
    });
    choose(entry);
    EXPECT_TRUE(told.contains(words)) << qPrintable(told);
  }
  choose("Quit");
  EXPECT_FALSE(window().isVisible());
}

// Guards against Escape that ends drawing in one view, but not in the menu and in other views.
TEST_F(Window, LayoutsOutlinesZonesAndTheWholePicture) {
  ASSERT_TRUE(isLive());
  int layout = 0;
  for (const char* text : {"Four views", "Side by side", "Split view"}) {
    choose(text);
    EXPECT_EQ(static_cast<int>(deck().layoutKind()), layout++) << text;
  }
  choose("Four views");
  const bool outlines = view()->painting().outlines;
  choose("Outlines");
  EXPECT_NE(view()->painting().outlines, outlines);
  choose("Draw zones");
  EXPECT_TRUE(drawsZones() && says("corner"));
  choose("Draw zones");
  EXPECT_FALSE(drawsZones());
  choose("Draw zones");
  EXPECT_TRUE(action("Draw zones")->isChecked());
  hands::keys(view(), "Esc");
  EXPECT_FALSE(action("Draw zones")->isChecked() || drawsZones());
  view()->viewState()->zoomBy(3, {0.5, 0.5});
  ASSERT_GT(view()->viewState()->zoom(), 1);
  choose("Fit the picture");
  EXPECT_EQ(view()->viewState()->zoom(), 1);
  for (int i = 0; i < kDeckLayouts; ++i) {
    deck().setLayoutKind(static_cast<DeckLayout>(i));
    for (int kind = 0; kind < kViewKinds; ++kind) {
      deck().showKind(static_cast<ViewKind>(kind));
      EXPECT_FALSE(deck().grab().isNull() || deck().exported().isNull()) << i << " " << kind;
    }
  }
}

TEST_F(Window, AClickOnTheNameOfAViewOffersOthers) {
  ASSERT_TRUE(isLive());
  auto* view = this->view();
  for (FrameView* each : deck().findChildren<FrameView*>())
    if (each->isVisible() && each->kind() == ViewKind::segmentation) view = each;
  ASSERT_TRUE(waitFor([&] { return view->result() != nullptr; }));
  view->grab();
  QTimer::singleShot(0, view, [] {
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    if (menu == nullptr) return;
    menu->setActiveAction(menu->actions()[static_cast<int>(ViewKind::confidence)]);
    hands::keys(menu, "Return");
  });
  QTest::mouseClick(view, Qt::LeftButton, {}, {20, 15});
  EXPECT_EQ(view->kind(), ViewKind::confidence);
}

// Guards against an unnoticed pause, and against Escape that leaves a token marked.
TEST_F(Window, FullScreenHasNoChromeSaysThatItIsPausedAndEscapeLetsATokenGoFirst) {
  ASSERT_TRUE(isLive());
  choose("Classes");
  choose("Full screen");
  EXPECT_TRUE(waitFor([&] { return window().isFullScreen(); }));
  EXPECT_FALSE(window().menuBar()->isVisible() || window().statusBar()->isVisible());
  EXPECT_TRUE(glanceStrip(window())->isVisible());
  for (const auto* dock : window().findChildren<QDockWidget*>()) EXPECT_FALSE(dock->isVisible());
  FrameView* view = this->view();
  ASSERT_TRUE(waitFor([&] { return view->result() != nullptr; }));
  press("Ctrl+P");
  EXPECT_TRUE(waitFor([&] { return view->accessibleDescription().contains("Paused."); }));
  ASSERT_TRUE(hands::click(view));
  ASSERT_TRUE(view->viewState()->pinned());
  view->clearFocus();  // Escape is the window's then, no longer the view's
  press("Esc");
  EXPECT_FALSE(view->viewState()->pinned());
  EXPECT_TRUE(window().isFullScreen());
  press("Esc");
  EXPECT_TRUE(waitFor([&] { return !window().isFullScreen(); }));
  EXPECT_TRUE(window().menuBar()->isVisible());
  EXPECT_TRUE(window().findChild<QDockWidget*>("Classes")->isVisible());
}

TEST_F(Window, AWindowThatWasMaximisedIsAgainAfterFullScreen) {
  // Waits for the window manager's answer: Qt assumes its request at once.
  const auto covers = [&](const QRect& space) {
    return window().frameGeometry().width() >= space.width();
  };
  window().showMaximized();
  ASSERT_TRUE(waitFor([&] { return covers(window().screen()->availableGeometry()); }));
  choose("Full screen");
  ASSERT_TRUE(waitFor([&] { return window().height() >= window().screen()->geometry().height(); }));
  choose("Full screen");
  EXPECT_TRUE(waitFor([&] { return !window().isFullScreen() && window().isMaximized(); }));
}

// Guards against a dialog for one more source that reads like one for a replacement, and begins
// with the current source.
TEST_F(Window, DialogsOpenTheSourcesAndTheModelThatAreChosen) {
  ASSERT_TRUE(isLive());
  answer<SourceDialog>([](SourceDialog& dialog) {
    EXPECT_EQ(dialog.windowTitle(), "Add a source");
    EXPECT_EQ(dialog.address(), "");
    EXPECT_TRUE(hands::type(dialog.findChild<QLineEdit*>(), "scene:?seed=5&size=160x120"));
  });
  choose("Add a source ...");
  EXPECT_TRUE(isLive(2));
  EXPECT_EQ(live().options().beside, QStringList{"scene:?seed=5&size=160x120"});
  answer<SourceDialog>([](SourceDialog& dialog) {
    auto* line = dialog.findChild<QLineEdit*>();
    ASSERT_TRUE(hands::click(line));
    line->selectAll();
    QTest::keyClicks(line, "scene:?seed=4&size=160x120");
    QPushButton* open = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Open);
    ASSERT_TRUE(waitFor([&] { return open->isEnabled(); }));
    EXPECT_TRUE(hands::click(open));
  });
  choose("Open source ...");
  EXPECT_TRUE(waitFor(
      [&] { return engine() && engine()->source().address.text == "scene:?seed=4&size=160x120"; }));
  const QString none = fileOf("none.onnx", "no model");
  answer<ModelDialog>([&](ModelDialog& dialog) {
    EXPECT_EQ(dialog.path(), live().model());
    dialog.offer(none);
    const QPushButton* open = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Open);
    EXPECT_TRUE(waitFor([&] { return !open->isEnabled(); })) << "its card says what is wrong";
    dialog.reject();
  });
  choose("Open model ...");
  EXPECT_EQ(answered_, 3);
  session().openModel(none);
  EXPECT_TRUE(says("none.onnx"));
}

}  // namespace
}  // namespace mpm::gui
