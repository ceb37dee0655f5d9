// SPDX-License-Identifier: Apache-2.0
// Without eyes and without a mouse: names for whatever takes the focus, a table for every plot, and
// a key for every act.
#include <gtest/gtest.h>

#include "gui/app/living_window.h"
#include "gui/app/open_dialogs.h"
#include "gui/app/rules_dialog.h"
#include "gui/explain/merge_window.h"

namespace mpm::gui {
namespace {

// Tells whether it is a part of a Qt widget, which shares that widget's name.
bool isPart(const QWidget& widget) {
  const QWidget* parent = widget.parentWidget();
  if (parent == nullptr) return false;
  return qobject_cast<const QAbstractSpinBox*>(parent) != nullptr ||
         qobject_cast<const QComboBox*>(parent) != nullptr ||
         widget.objectName().startsWith("qt_") ||
         widget.window()->inherits("QComboBoxPrivateContainer");
}

bool hasName(QWidget& widget) {
  if (const auto* tabs = qobject_cast<const QTabBar*>(&widget)) {
    for (int i = 0; i < tabs->count(); ++i)
      if (tabs->tabText(i).isEmpty()) return false;
    return true;
  }
  QAccessibleInterface* access = QAccessible::queryAccessibleInterface(&widget);
  return access != nullptr && !access->text(QAccessible::Name).isEmpty();
}

QString pathOf(const QWidget& widget) {
  QString path;
  for (const QWidget* at = &widget; at != nullptr; at = at->parentWidget())
    path += QString(" < %1 %2").arg(at->metaObject()->className(), at->objectName());
  return path;
}

void expectNames(QWidget& window) {
  for (QWidget* widget : window.findChildren<QWidget*>()) {
    if (widget->focusPolicy() == Qt::NoFocus || isPart(*widget)) continue;
    EXPECT_TRUE(hasName(*widget)) << qPrintable(pathOf(*widget));
  }
}

void expectTextsOf(const QList<QAction*>& actions) {
  for (const QAction* action : actions) {
    EXPECT_TRUE(action->isSeparator() || !action->text().isEmpty());
    if (action->menu() != nullptr) expectTextsOf(action->menu()->actions());
  }
}

bool mayTakeFocus(const QWidget& widget) {
  const bool byTab = (widget.focusPolicy() & Qt::TabFocus) != 0;
  return byTab && widget.isEnabled() && widget.isVisible() && !isPart(widget) &&
         widget.focusProxy() == nullptr;
}

// Expects Tab alone to reach every widget that takes the focus, and to come around.
void expectReached(QWidget& window) {
  window.show();
  ASSERT_TRUE(waitForActive(&window));
  QSet<QWidget*> reached;
  for (int i = 0; i < 400; ++i) {
    QWidget* at = QApplication::focusWidget();
    if (at != nullptr) reached.insert(at);
    QTest::keyClick(at != nullptr ? at : &window, Qt::Key_Tab);
  }
  for (QWidget* widget : window.findChildren<QWidget*>()) {
    if (widget->window() != &window || !mayTakeFocus(*widget)) continue;
    EXPECT_TRUE(reached.contains(widget)) << qPrintable(pathOf(*widget));
  }
}

class Access : public LivingWindow {
 protected:
  Access() { open(street(), {1280, 800}); }
};

TEST_F(Access, WhateverTakesTheFocusHasANameAndTabReachesIt) {
  SourceDialog source("scene:", {"/videos/gate.mp4"});
  RulesDialog rules({}, {"luma", "area.car"});
  rules.addRule();
  ModelDialog models(street().live.model, {});
  DaysWindow days;
  const MergeHeat heat;
  const ClassSettings classes;
  MergeWindow merging(heat, classes, nullptr);
  for (QWidget* one : std::initializer_list<QWidget*>{&source, &rules, &models, &days, &merging}) {
    SCOPED_TRACE(one->metaObject()->className());
    expectNames(*one);
    expectReached(*one);
    one->hide();
  }
  expectNames(window());
  expectTextsOf(window().menuBar()->actions());
  for (QDockWidget* dock : window().findChildren<QDockWidget*>()) {
    dock->raise();
    SCOPED_TRACE(qPrintable(dock->windowTitle()));
    expectReached(window());
  }
}

TEST_F(Access, EveryPlotHasANameASentenceAndATable) {
  const QList<Plot*> plots = window().findChildren<Plot*>();
  EXPECT_GE(plots.size(), 5);
  for (Plot* plot : plots) {
    EXPECT_FALSE(plot->accessibleName().isEmpty());
    EXPECT_FALSE(plot->summary().isEmpty()) << qPrintable(plot->accessibleName());
    EXPECT_GT(plot->table()->columnCount(), 0) << qPrintable(plot->accessibleName());
    ASSERT_FALSE(plot->actions().isEmpty());
    EXPECT_EQ(plot->actions().front()->shortcut(), QKeySequence(Qt::Key_T));
  }
}

TEST_F(Access, TabReachesEachCameraOfAWall) {
  Settings settings = street();
  settings.live.beside = QStringList{"scene:?clock=600x&hour=12&size=160x120&seed=2"};
  open(settings);
  ASSERT_TRUE(isLive(2) && wall().isVisible());
  expectNames(window());
  expectReached(window());
  wall().enlarge(1);
  expectReached(window());
}

TEST_F(Access, TeachingHasNamesAndKeysAndTabReachesIt) {
  TeachHost host;
  host.newest = [] { return monitor::FrameResultPtr(); };
  host.engine = [] { return std::shared_ptr<monitor::Engine>(); };
  host.backbone = [] { return Backbone(); };
  TeachWindow teach(host);
  ASSERT_TRUE(teach.openProject(folder_.path()));
  teach.show();
  expectNames(teach);
  expectTextsOf(teach.menuBar()->actions());
  for (const QAction* menu : teach.menuBar()->actions())
    for (const QAction* action : menu->menu()->actions())
      EXPECT_TRUE(action->isSeparator() || action->menu() != nullptr ||
                  !action->shortcut().isEmpty())
          << qPrintable(action->text());
  expectReached(teach);
}

TEST_F(Access, EachPanelHasAKeyThatShowsItAndClosesIt) {
  ASSERT_TRUE(waitForActive(&window()));
  for (QDockWidget* dock : window().findChildren<QDockWidget*>()) {
    SCOPED_TRACE(qPrintable(dock->windowTitle()));
    QAction* found = nullptr;
    for (QAction* action : window().findChildren<QAction*>())
      if (action->text() == dock->windowTitle() && !action->shortcut().isEmpty()) found = action;
    ASSERT_TRUE(found);
    if (QWidget* focus = QApplication::focusWidget()) focus->clearFocus();
    found->trigger();
    EXPECT_TRUE(dock->isVisible());
    EXPECT_TRUE(dock->widget()->isAncestorOf(QApplication::focusWidget()) ||
                dock->widget() == QApplication::focusWidget());
    found->trigger();
    EXPECT_FALSE(dock->isVisible());
  }
}

}  // namespace
}  // namespace mpm::gui
