// SPDX-License-Identifier: Apache-2.0
// The window as somebody has it who watches a place, and the way to its other faces.
#include <gtest/gtest.h>

#include <QDockWidget>
#include <QImage>
#include <QPushButton>
#include <QTemporaryDir>
#include <QToolBar>
#include <optional>

#include "gui/app/small_street.h"
#include "gui/app/window_parts.h"
#include "gui/exhibition/exhibition_view.h"
#include "gui/hands.h"
#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

class FacesOfTheWindow : public ::testing::Test {
 protected:
  ~FacesOfTheWindow() override { writeSettings({}); }

  MainWindow& open(std::optional<Face> face, const QString& source = kSmallStreet) {
    AppOptions options = smallStreet();
    options.face = face;
    options.source = source;
    window_.emplace(withOptions(remembered_, options));
    window_->resize(1100, 750);
    window_->show();
    EXPECT_TRUE(waitFor([&] { return isSettled(); }));
    return *window_;
  }
  bool isSettled() {
    const auto engine = window_->live().engine();
    return engine && engine->latest(0) && !window_->deck()->exported().isNull();
  }
  QStringList shownDocks() const {
    QStringList names;
    for (const QDockWidget* dock : window_->findChildren<QDockWidget*>())
      if (!dock->isHidden()) names << dock->objectName();
    names.sort();
    return names;
  }
  // Of menus and what lies in them, but for separators and what other menus lead to.
  int entries() const {
    int count = 0;
    for (const QAction* menu : window_->menuBar()->actions()) {
      if (!menu->isVisible()) continue;
      for (const QAction* one : menu->menu()->actions())
        count += one->isVisible() && !one->isSeparator() ? 1 : 0;
    }
    return count;
  }
  bool isShown(const char* bar) const { return !window_->findChild<QToolBar*>(bar)->isHidden(); }

  Settings remembered_;
  std::optional<MainWindow> window_;
};

TEST_F(FacesOfTheWindow, WatchIsTheFirstAndSaysWhatIsThere) {
  MainWindow& window = open(std::nullopt);
  EXPECT_EQ(window.face(), Face::watch);
  EXPECT_EQ(shownDocks(), (QStringList{"Classes", "Events", "Shares"}));
  EXPECT_TRUE(headline(window)->isVisible());
  EXPECT_FALSE(glanceStrip(window)->isVisible());
  EXPECT_TRUE(isShown("WatchBar"));
  EXPECT_FALSE(isShown("MergingBar"));
  EXPECT_LE(entries(), 25);
  EXPECT_EQ(window.deck()->layoutKind(), DeckLayout::named);
  ASSERT_TRUE(waitFor([&] { return headline(window, 0).contains('%'); }));
  EXPECT_TRUE(waitFor([&] { return headline(window, 1).contains("a second"); }))
      << qPrintable(headline(window, 1));
  EXPECT_FALSE(banner(window)->isVisible()) << "the street model knows the street";
  EXPECT_TRUE(waitFor([&] {
    return panel(window, "Shares")->findChild<TimePlot*>()->summary().contains("road");
  })) << qPrintable(panel(window, "Shares")->findChild<TimePlot*>()->summary());
}

TEST_F(FacesOfTheWindow, TheMenuLeadsFromOneToTheOtherAndEachKeepsItsPanels) {
  MainWindow& window = open(std::nullopt);
  ASSERT_TRUE(hands::choose(window, "Study"));
  EXPECT_EQ(window.face(), Face::study);
  EXPECT_EQ(shownDocks(), QStringList());
  EXPECT_TRUE(glanceStrip(window)->isVisible());
  EXPECT_FALSE(headline(window)->isVisible());
  EXPECT_TRUE(isShown("MergingBar"));
  EXPECT_EQ(window.deck()->layoutKind(), DeckLayout::pair);
  ASSERT_TRUE(hands::choose(window, "Tabs"));
  window.findChild<QDockWidget*>("Tune")->show();
  ASSERT_TRUE(hands::choose(window, "Watch"));
  EXPECT_EQ(shownDocks(), (QStringList{"Classes", "Events", "Shares"}));
  window.findChild<QDockWidget*>("Shares")->hide();
  ASSERT_TRUE(hands::choose(window, "Study"));
  EXPECT_EQ(shownDocks(), QStringList{"Tune"});
  EXPECT_EQ(window.deck()->layoutKind(), DeckLayout::tabs);
  ASSERT_TRUE(hands::choose(window, "Watch"));
  EXPECT_EQ(shownDocks(), (QStringList{"Classes", "Events"}));
  ASSERT_TRUE(window.close());

  remembered_ = readSettings();
  EXPECT_EQ(remembered_.face, Face::watch);
  MainWindow& next = open(std::nullopt);
  EXPECT_EQ(shownDocks(), (QStringList{"Classes", "Events"}));
  ASSERT_TRUE(hands::choose(next, "Study"));
  EXPECT_EQ(shownDocks(), QStringList{"Tune"});
  EXPECT_EQ(next.deck()->layoutKind(), DeckLayout::tabs);
}

TEST_F(FacesOfTheWindow, KeysOfAnotherFaceDoNothing) {
  MainWindow& window = open(Face::watch);
  ASSERT_TRUE(hands::press(window, QKeySequence("Ctrl+1")));
  ASSERT_TRUE(hands::press(window, QKeySequence("Ctrl+T")));
  EXPECT_EQ(window.deck()->layoutKind(), DeckLayout::named);
  EXPECT_EQ(window.deck()->kind(), ViewKind::mergeMap);
  window.setFace(Face::study);
  ASSERT_TRUE(hands::press(window, QKeySequence("Ctrl+1")));
  EXPECT_EQ(window.deck()->layoutKind(), DeckLayout::grid);
}

TEST_F(FacesOfTheWindow, AMomentIsShownInThePlotOfTheFace) {
  MainWindow& window = open(Face::watch);
  window.findChild<QDockWidget*>("Shares")->hide();
  ASSERT_TRUE(waitFor([&] { return window.events()->list().rowCount() > 0; }));
  emit window.session().momentWanted(monitor::systemClock().now().utcMs - 60'000, "then");
  EXPECT_EQ(shownDocks(), (QStringList{"Classes", "Events", "Shares"}));
  EXPECT_FALSE(panel(window, "Shares")->findChild<TimePlot*>()->timeWindow().live());
}

TEST_F(FacesOfTheWindow, TheFirstPageAsksAndWhatIsChosenIsRemembered) {
  MainWindow& window = open(std::nullopt);
  window.askForFace();
  QWidget* page = named(window, "What would you like to see?");
  ASSERT_NE(page, nullptr);
  EXPECT_EQ(page->size(), window.size());
  EXPECT_FALSE(window.menuBar()->isEnabled());
  const auto buttons = page->findChildren<QPushButton*>();
  ASSERT_EQ(buttons.size(), kFaces);
  ASSERT_TRUE(hands::click(buttons[1]));
  EXPECT_FALSE(page->isVisible());
  EXPECT_TRUE(window.menuBar()->isEnabled());
  EXPECT_EQ(window.face(), Face::study);
  ASSERT_TRUE(window.close());
  EXPECT_EQ(readSettings().face, Face::study);
}

TEST_F(FacesOfTheWindow, AnExhibitionFillsTheScreenAndEscapeLeadsBack) {
  MainWindow& window = open(Face::study);
  window.findChild<QDockWidget*>("Tune")->show();
  ASSERT_TRUE(hands::choose(window, "Exhibition"));
  EXPECT_TRUE(window.isFullScreen());
  EXPECT_TRUE(window.exhibition()->isVisible());
  EXPECT_TRUE(waitFor([&] { return window.exhibition()->size() == window.size(); }))
      << "nothing else is on the screen";
  for (QWidget* other : {static_cast<QWidget*>(window.deck()),
                         static_cast<QWidget*>(glanceStrip(window)), headline(window)})
    EXPECT_FALSE(other->isVisible());
  EXPECT_TRUE(
      waitFor([&] { return window.exhibition()->seen().scene != ExhibitionView::Scene::waiting; }));
  ASSERT_TRUE(hands::press(window, QKeySequence(Qt::Key_Escape)));
  EXPECT_EQ(window.face(), Face::study);
  EXPECT_FALSE(window.isFullScreen());
  EXPECT_FALSE(window.exhibition()->isVisible());
  EXPECT_TRUE(window.deck()->isVisible());
  EXPECT_EQ(shownDocks(), QStringList{"Tune"});
  window.setFace(Face::exhibition);
  window.setFace(Face::watch);
  EXPECT_FALSE(window.isFullScreen());
  EXPECT_EQ(shownDocks(), (QStringList{"Classes", "Events", "Shares"}));
}

TEST_F(FacesOfTheWindow, AnExhibitionThatIsAskedForAtTheStartIsThere) {
  AppOptions options = smallStreet();
  options.face = Face::exhibition;
  window_.emplace(withOptions({}, options));
  window_->show();
  EXPECT_TRUE(waitFor([&] {
    return window_->isFullScreen() &&
           window_->exhibition()->seen().scene == ExhibitionView::Scene::camera;
  }));
}

// The street model was as good as sure of any camera's picture, and said so in grey.
TEST_F(FacesOfTheWindow, TheStreetModelOnAnyOtherPictureIsSaidNotToKnowIt) {
  const QTemporaryDir folder;
  QImage grey(64, 48, QImage::Format_RGB32);
  grey.fill(QColor(90, 120, 90));
  ASSERT_TRUE(grey.save(folder.filePath("yard.png")));
  MainWindow& window = open(Face::watch, folder.path());
  ASSERT_TRUE(waitFor([&] { return banner(window)->isVisible(); }));
  EXPECT_EQ(headline(window, 2), "No");
  window.setFace(Face::study);
  EXPECT_FALSE(banner(window)->isVisible());
}

}  // namespace
}  // namespace mpm::gui
