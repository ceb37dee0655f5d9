// SPDX-License-Identifier: Apache-2.0
// What somebody does in front of a window, by mouse and by keys. Each gives whether it could be
// done.
#pragma once

#include <QtTest>
#include <QtWidgets>
#include <vector>

#include "gui/wait_for.h"

namespace mpm::gui::hands {

/// Sends the event at once. QTest moves the screen's pointer, which an X server reports later.
inline void moveTo(QWidget* widget, QPoint at) {
  QMouseEvent move(QEvent::MouseMove, at, widget->mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
  QApplication::sendEvent(widget, &move);
}

/// Presses a button, moves to each position and releases it, unless it is held.
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

/// Turns the wheel by this many notches away from the user, or to the left.
inline void wheel(QWidget* widget, QPointF at, int notches, int sideways = 0) {
  QWheelEvent event(at, widget->mapToGlobal(at), {}, {sideways * 120, notches * 120}, Qt::NoButton,
                    Qt::NoModifier, Qt::NoScrollPhase, false);
  QApplication::sendEvent(widget, &event);
}

inline void leave(QWidget* widget) {
  QEvent event(QEvent::Leave);
  QApplication::sendEvent(widget, &event);
}

/// Returns the tool tip for a pointer that rests there; empty if none.
inline QString tipAt(QWidget* widget, QPoint at) {
  QHelpEvent event(QEvent::ToolTip, at, widget->mapToGlobal(at));
  QApplication::sendEvent(widget, &event);
  const QString words = event.isAccepted() ? QToolTip::text() : QString();
  QToolTip::hideText();
  return words;
}

/// Presses keys by their names, one after the other: "Shift+Right Down*20 Return".
inline void keys(QWidget* widget, const QString& names) {
  for (const QString& name : names.split(' ')) {
    const QKeyCombination key = QKeySequence::fromString(name.section('*', 0, 0))[0];
    for (int times = qMax(1, name.section('*', 1).toInt()); times > 0; --times)
      QTest::keyClick(widget, key.key(), key.keyboardModifiers());
  }
}

/// Clicks the middle if it is visible and enabled.
inline bool click(QWidget* widget) {
  if (widget == nullptr || !widget->isVisible() || !widget->isEnabled()) return false;
  QTest::mouseClick(widget, Qt::LeftButton, {}, widget->rect().center());
  return true;
}

/// Presses a key combination in the window that has the focus.
inline bool press(QWidget& window, const QKeySequence& keys) {
  window.activateWindow();
  if (!waitForActive(&window)) return false;
  const QKeyCombination combination = keys[0];
  QWidget* focus = window.focusWidget() != nullptr ? window.focusWidget() : &window;
  QTest::keyClick(focus, combination.key(), combination.keyboardModifiers());
  return true;
}

/// Replaces the text of the line.
inline bool type(QLineEdit* line, const QString& words) {
  if (!click(line)) return false;
  line->selectAll();
  QTest::keyClicks(line, words);
  QTest::keyClick(line, Qt::Key_Return);
  return true;
}

/// Goes to an entry of an open menu, by keys.
inline bool goTo(QMenu& menu, const QAction* action) {
  if (!waitFor([&] { return menu.isVisible(); })) return false;
  for (qsizetype i = 0; i <= menu.actions().size() && menu.activeAction() != action; ++i)
    QTest::keyClick(&menu, Qt::Key_Down);
  if (menu.activeAction() != action) return false;
  QTest::keyClick(&menu, Qt::Key_Return);
  return true;
}

/// Clicks an entry of an open menu, unless it is beyond the screen.
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

/// Chooses an entry of the menu bar or a submenu by its words without ampersands.
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

/// Follows the only link of a visible explanation.
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
