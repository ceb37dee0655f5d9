// SPDX-License-Identifier: Apache-2.0
// What somebody does in front of a window, by mouse and by keys. Each gives whether it could be
// done.
#pragma once

#include <QtTest>
#include <QtWidgets>
#include <vector>

#include "gui/wait_for.h"

namespace mpm::gui::hands {

/// Told at once. QTest's own moves the pointer of the screen, and an X server tells of that later.
inline void moveTo(QWidget* widget, QPoint at) {
  QMouseEvent move(QEvent::MouseMove, at, widget->mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
  QApplication::sendEvent(widget, &move);
}

/// A button goes down, moves to each place and comes up, if it is not held.
inline void drag(QWidget* widget, const std::vector<QPointF>& places, bool held = false,
                 Qt::KeyboardModifiers with = {}) {
  const auto send = [&](QEvent::Type type, QPointF at, Qt::MouseButton button) {
    QMouseEvent event(type, at, widget->mapToGlobal(at), button, Qt::LeftButton, with);
    QApplication::sendEvent(widget, &event);
  };
  send(QEvent::MouseButtonPress, places.front(), Qt::LeftButton);
  for (std::size_t i = 1; i < places.size(); ++i) send(QEvent::MouseMove, places[i], Qt::NoButton);
  if (!held) send(QEvent::MouseButtonRelease, places.back(), Qt::LeftButton);
}

/// So many notches away from oneself, or to the left.
inline void wheel(QWidget* widget, QPointF at, int notches, int sideways = 0) {
  QWheelEvent event(at, widget->mapToGlobal(at), {}, {sideways * 120, notches * 120}, Qt::NoButton,
                    Qt::NoModifier, Qt::NoScrollPhase, false);
  QApplication::sendEvent(widget, &event);
}

inline void leave(QWidget* widget) {
  QEvent event(QEvent::Leave);
  QApplication::sendEvent(widget, &event);
}

/// What the pointer is told that rests there; nothing: no words.
inline QString tipAt(QWidget* widget, QPoint at) {
  QHelpEvent event(QEvent::ToolTip, at, widget->mapToGlobal(at));
  QApplication::sendEvent(widget, &event);
  const QString words = event.isAccepted() ? QToolTip::text() : QString();
  QToolTip::hideText();
  return words;
}

/// Keys by their names, one after the other: "Shift+Right Down*20 Return".
inline void keys(QWidget* widget, const QString& names) {
  for (const QString& name : names.split(' ')) {
    const QKeyCombination key = QKeySequence::fromString(name.section('*', 0, 0))[0];
    for (int times = qMax(1, name.section('*', 1).toInt()); times > 0; --times)
      QTest::keyClick(widget, key.key(), key.keyboardModifiers());
  }
}

/// A click in the middle of what is seen and can be used.
inline bool click(QWidget* widget) {
  if (widget == nullptr || !widget->isVisible() || !widget->isEnabled()) return false;
  QTest::mouseClick(widget, Qt::LeftButton, {}, widget->rect().center());
  return true;
}

/// A key, or several with it, in the window that has the focus.
inline bool press(QWidget& window, const QKeySequence& keys) {
  window.activateWindow();
  if (!waitForActive(&window)) return false;
  const QKeyCombination combination = keys[0];
  QWidget* focus = window.focusWidget() != nullptr ? window.focusWidget() : &window;
  QTest::keyClick(focus, combination.key(), combination.keyboardModifiers());
  return true;
}

/// Instead of what stands in the line.
inline bool type(QLineEdit* line, const QString& words) {
  if (!click(line)) return false;
  line->selectAll();
  QTest::keyClicks(line, words);
  QTest::keyClick(line, Qt::Key_Return);
  return true;
}

/// An entry of an open menu, by keys.
inline bool goTo(QMenu& menu, const QAction* action) {
  if (!waitFor([&] { return menu.isVisible(); })) return false;
  for (qsizetype i = 0; i <= menu.actions().size() && menu.activeAction() != action; ++i)
    QTest::keyClick(&menu, Qt::Key_Down);
  if (menu.activeAction() != action) return false;
  QTest::keyClick(&menu, Qt::Key_Return);
  return true;
}

/// The same with a click, where it is not beyond the screen.
inline bool chooseIn(QMenu& menu, QAction* action) {
  if (!waitFor([&] { return menu.isVisible(); })) return false;
  const QPoint at = menu.actionGeometry(action).center();
  if (menu.rect().contains(at)) {
    for (const QPoint& way : {at - QPoint(2, 1), at - QPoint(1, 0), at}) moveTo(&menu, way);
    QTest::mouseClick(&menu, Qt::LeftButton, {}, at);
    return true;
  }
  return goTo(menu, action);
}

/// An entry of the menu bar's menus, by its words without ampersands; also in one of their menus.
inline bool choose(QMainWindow& window, const QString& words) {
  QMenuBar& bar = *window.menuBar();
  window.activateWindow();
  if (!waitForActive(&window)) return false;
  const auto isMeant = [&](const QAction* one) {
    return QString(one->text()).remove('&') == words && one->isEnabled();
  };
  const auto open = [&](QAction* title) {
    QTest::mouseClick(&bar, Qt::LeftButton, {}, bar.actionGeometry(title).center());
    return title->menu();
  };
  for (QAction* title : bar.actions()) {
    for (QAction* one : title->menu()->actions()) {
      if (isMeant(one)) return chooseIn(*open(title), one);
      for (QAction* inside : one->menu() != nullptr ? one->menu()->actions() : QList<QAction*>())
        if (isMeant(inside)) return goTo(*open(title), one) && goTo(*one->menu(), inside);
    }
  }
  return false;
}

/// The only link of an explanation that is shown.
inline bool followLink() {
  QWidget* told = nullptr;
  const auto isShown = [&] {
    for (QWidget* top : QApplication::topLevelWidgets())
      if (top->inherits("QWhatsThat")) told = top;
    return told != nullptr && told->isVisible();
  };
  if (!waitFor(isShown)) return false;
  for (int y = told->height() - 1; y > 0; y -= 3) {
    for (int x = 8; x < told->width(); x += 12) {
      moveTo(told, {x, y});
      if (told->cursor().shape() != Qt::PointingHandCursor) continue;
      QTest::mouseClick(told, Qt::LeftButton, {}, {x, y});
      return true;
    }
  }
  return false;
}

}  // namespace mpm::gui::hands
