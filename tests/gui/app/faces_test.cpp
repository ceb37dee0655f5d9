// SPDX-License-Identifier: Apache-2.0
// The window as somebody has it who watches a place, and the way to its other faces.
#include <gtest/gtest.h>

#include "gui/app/living_window.h"

namespace mpm::gui {
namespace {

class FacesOfTheWindow : public LivingWindow {
 protected:
  ~FacesOfTheWindow() override {
    window_.reset();
    writeSettings({});
  }
  void start(std::optional<Face> face, const QString& source = kSmallStreet) {
    open(street(
             [&](AppOptions& options) {
               options.face = face;
               options.source = source;
             },
             remembered_),
         {1100, 750});
    EXPECT_TRUE(isLive());
  }
  std::string docks() const {
    QStringList names;
    for (const QDockWidget* dock : window().findChildren<QDockWidget*>())
      if (!dock->isHidden()) names << dock->objectName();
    names.sort();
    return names.join(' ').toStdString();
  }
  QDockWidget* dock(const char* name) { return window().findChild<QDockWidget*>(name); }
  // Returns which of these are visible: the headline, the strip, the bars of Watch and of Study.
  std::string shown() const {
    QStringList words;
    if (headline(window())->isVisible()) words << "headline";
    if (glanceStrip(window())->isVisible()) words << "strip";
    for (const char* bar : {"WatchBar", "MergingBar"})
      if (!window().findChild<QToolBar*>(bar)->isHidden()) words << bar;
    return words.join(' ').toStdString();
  }

  Settings remembered_;
};

TEST_F(FacesOfTheWindow, WatchIsTheFirstAndSaysWhatIsThere) {
  start(std::nullopt);
  EXPECT_EQ(window().face(), Face::watch);
  EXPECT_EQ(docks(), "Classes Events Shares");
  EXPECT_EQ(shown(), "headline WatchBar");
  EXPECT_EQ(deck().layoutKind(), DeckLayout::named);
  int entries = 0;  // of menus and what lies in them, but for what other menus lead to
  for (const QAction* menu : window().menuBar()->actions())
    for (const QAction* one : menu->isVisible() ? menu->menu()->actions() : QList<QAction*>())
      entries += one->isVisible() && !one->isSeparator() ? 1 : 0;
  EXPECT_LE(entries, 25);
  ASSERT_TRUE(waitFor([&] { return headline(window(), 0).contains('%'); }));
  EXPECT_TRUE(waitFor([&] { return headline(window(), 1).contains("frames/s"); }))
      << qPrintable(headline(window(), 1));
  EXPECT_FALSE(banner(window())->isVisible()) << "the street model knows the street";
  const auto* shares = panel(window(), "Shares")->findChild<TimePlot*>();
  EXPECT_TRUE(waitFor([&] { return shares->summary().contains("road"); }))
      << qPrintable(shares->summary());
  dock("Shares")->hide();
  ASSERT_TRUE(waitFor([&] { return events().rowCount() > 0; }));
  emit session().momentWanted(monitor::systemClock().now().utcMs - 60'000, "then");
  EXPECT_EQ(docks(), "Classes Events Shares") << "a moment is shown in the plot of the face";
  EXPECT_FALSE(shares->timeWindow().live());
}

// Guards against "tree 56%" next to "tree 48.2%", one a mean, the other the newest frame's.
TEST_F(FacesOfTheWindow, WhatIsThereAndTheClassesBesideItHaveTheSameNumbers) {
  start(std::nullopt);
  const QAbstractItemModel& legend = *window().findChild<ClassLegend*>()->classModel();
  const auto shareOf = [&](const QString& name) {
    for (int row = 0; row < legend.rowCount(); ++row)
      if (legend.index(row, ClassLegendModel::kName).data().toString() == name)
        return legend.index(row, ClassLegendModel::kArea).data().toString();
    return QString();
  };
  int told = 0;
  QObject::connect(&session(), &Session::looked, &window(), [&] {
    for (const QString& one : headline(window(), 0).split(", ")) {
      const QString name = one.section(' ', 0, -2), share = one.section(' ', -1).chopped(1);
      if (name.isEmpty()) return;  // no frame yet
      EXPECT_NEAR(shareOf(name).chopped(1).toDouble(), share.toDouble(), 0.51) << qPrintable(one);
    }
    ++told;
  });
  ASSERT_TRUE(waitFor([&] { return told >= 16; }));
}

TEST_F(FacesOfTheWindow, TheMenuLeadsFromOneToTheOtherAndEachKeepsItsPanelsAndItsKeys) {
  start(std::nullopt);
  press("Ctrl+1");
  press("Ctrl+T");
  EXPECT_EQ(deck().layoutKind(), DeckLayout::named) << "keys of another face do nothing";
  EXPECT_EQ(deck().kind(), ViewKind::mergeMap);
  choose("Study");
  EXPECT_EQ(window().face(), Face::study);
  EXPECT_EQ(docks(), "");
  EXPECT_EQ(shown(), "strip MergingBar");
  EXPECT_EQ(deck().layoutKind(), DeckLayout::pair);
  press("Ctrl+1");
  EXPECT_EQ(deck().layoutKind(), DeckLayout::grid);
  choose("Split view");
  dock("Tune")->show();
  choose("Watch");
  EXPECT_EQ(docks(), "Classes Events Shares");
  dock("Shares")->hide();
  choose("Study");
  EXPECT_EQ(docks(), "Tune");
  EXPECT_EQ(deck().layoutKind(), DeckLayout::split);
  choose("Watch");
  EXPECT_EQ(docks(), "Classes Events");
  ASSERT_TRUE(window().close());

  remembered_ = readSettings();
  EXPECT_EQ(remembered_.face, Face::watch);
  start(std::nullopt);
  EXPECT_EQ(docks(), "Classes Events");
  choose("Study");
  EXPECT_EQ(docks(), "Tune");
  EXPECT_EQ(deck().layoutKind(), DeckLayout::split);
}

TEST_F(FacesOfTheWindow, TheFirstPageAsksAndWhatIsChosenIsRemembered) {
  start(std::nullopt);
  window().askForFace();
  QWidget* page = named(window(), "What would you like to see?");
  ASSERT_NE(page, nullptr);
  EXPECT_EQ(page->size(), window().size());
  EXPECT_FALSE(window().menuBar()->isEnabled());
  const auto buttons = page->findChildren<QPushButton*>();
  ASSERT_EQ(buttons.size(), kFaces);
  ASSERT_TRUE(hands::click(buttons[1]));
  EXPECT_FALSE(page->isVisible());
  EXPECT_TRUE(window().menuBar()->isEnabled());
  EXPECT_EQ(window().face(), Face::study);
  ASSERT_TRUE(window().close());
  EXPECT_EQ(readSettings().face, Face::study);
}

TEST_F(FacesOfTheWindow, AnExhibitionFillsTheScreenAndEscapeLeadsBack) {
  const auto isThere = [&] {
    return waitFor([&] {
      return window().isFullScreen() && window().exhibition()->isVisible() &&
             window().exhibition()->seen().scene == ExhibitionView::Scene::camera;
    });
  };
  window_.emplace(street([](AppOptions& options) { options.face = Face::exhibition; }));
  window().show();
  EXPECT_TRUE(isThere()) << "which is asked for at the start";
  start(Face::study);
  dock("Tune")->show();
  choose("Exhibition");
  EXPECT_TRUE(isThere());
  EXPECT_TRUE(waitFor([&] { return window().exhibition()->size() == window().size(); }))
      << "nothing else is on the screen";
  EXPECT_FALSE(deck().isVisible());
  EXPECT_EQ(shown().find("strip"), std::string::npos);
  EXPECT_EQ(shown().find("headline"), std::string::npos);
  press("Esc");
  EXPECT_EQ(window().face(), Face::study);
  EXPECT_FALSE(window().isFullScreen() || window().exhibition()->isVisible());
  EXPECT_TRUE(deck().isVisible());
  EXPECT_EQ(docks(), "Tune");
  window().setFace(Face::exhibition);
  window().setFace(Face::watch);
  EXPECT_FALSE(window().isFullScreen());
  EXPECT_EQ(docks(), "Classes Events Shares");
}

// Guards against near certainty of the street model on any camera, shown in grey.
TEST_F(FacesOfTheWindow, TheStreetModelOnAnyOtherPictureIsSaidNotToKnowIt) {
  QImage grey(64, 48, QImage::Format_RGB32);
  grey.fill(QColor(90, 120, 90));
  ASSERT_TRUE(grey.save(folder_.filePath("yard.png")));
  start(Face::watch, folder_.path());
  ASSERT_TRUE(waitFor([&] { return banner(window())->isVisible(); }));
  EXPECT_EQ(headline(window(), 2), "No");
  window().setFace(Face::study);
  EXPECT_FALSE(banner(window())->isVisible());
}

}  // namespace
}  // namespace mpm::gui
