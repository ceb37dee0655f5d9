// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractButton>
#include <QAction>
#include <QComboBox>
#include <QCoreApplication>
#include <QEvent>
#include <QHeaderView>
#include <QKeySequence>
#include <QLabel>
#include <QMap>
#include <QScrollArea>
#include <QScrollBar>
#include <QString>
#include <QStringList>
#include <QTabBar>
#include <QToolBar>

#include "gui/plot/figure_tile.h"
#include "gui/plot/text_recorder.h"

namespace mpm::gui::testing {

/// The letter of a text that Alt reaches; empty: none.
inline QString letterOf(const QString& text) {
  const QKeySequence keys = QKeySequence::mnemonic(text);
  return keys.toString();
}

/// Two of `texts` with the same letter; empty: none.
inline QString clash(const QStringList& texts) {
  QMap<QString, QString> known;
  for (const QString& text : texts) {
    const QString letter = letterOf(text);
    if (letter.isEmpty()) continue;
    if (known.contains(letter) && known[letter] != text) return known[letter] + " and " + text;
    known[letter] = text;
  }
  return {};
}

/// What is reached with Alt wherever in a window the focus is.
inline QStringList lettersOfWindow(const QWidget& window) {
  QStringList texts;
  for (const auto* button : window.findChildren<QAbstractButton*>()) {
    if (button->inherits("QPushButton") || button->inherits("QCheckBox")) texts << button->text();
  }
  for (const auto* label : window.findChildren<QLabel*>())
    if (label->buddy() != nullptr) texts << label->text();
  return texts;
}

/// Nothing stands before its middle. A dock behind another one's tab is "visible" as well.
inline bool isSeen(const QWidget& widget) {
  const QWidget* window = widget.window();
  const QWidget* there = window->childAt(widget.mapTo(window, widget.rect().center()));
  return widget.isVisible() && (there == &widget || widget.isAncestorOf(there));
}

/// Of buttons, labels and tabs that are seen, those whose text does not fit. What a layout is about
/// to move is where it belongs first: texts change with every frame.
inline QStringList cut(const QWidget& window) {
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  QStringList list;
  const auto note = [&list](const QWidget* widget, const QString& text) {
    const QSize wanted = widget->sizeHint();
    if (isSeen(*widget) && !text.isEmpty() && widget->width() < wanted.width())
      list << QString("%1: %2 of %3").arg(text).arg(widget->width()).arg(wanted.width());
  };
  for (const auto* button : window.findChildren<QAbstractButton*>()) note(button, button->text());
  for (const auto* box : window.findChildren<QComboBox*>()) note(box, box->currentText());
  for (const auto* label : window.findChildren<QLabel*>())
    if (!label->wordWrap() && !label->text().isEmpty()) note(label, label->text());
  for (const auto* bar : window.findChildren<QTabBar*>()) {
    for (int i = 0; isSeen(*bar) && i < bar->count(); ++i) {
      const int wanted = bar->fontMetrics().horizontalAdvance(QString(bar->tabText(i)).remove('&'));
      if (bar->tabRect(i).width() < wanted || bar->tabRect(i).right() > bar->width())
        list << "tab " + bar->tabText(i);
    }
  }
  for (const auto* header : window.findChildren<QHeaderView*>()) {
    for (int i = 0; isSeen(*header) && i < header->count(); ++i) {
      if (header->sectionSize(i) < header->sectionSizeHint(i))
        list << "column " + header->model()->headerData(i, header->orientation()).toString();
    }
  }
  for (const auto* area : window.findChildren<QScrollArea*>()) {
    if (isSeen(*area) && area->horizontalScrollBar()->maximum() > 0) list << "a form is too wide";
  }
  for (const auto* bar : window.findChildren<QToolBar*>()) {
    if (!isSeen(*bar)) continue;
    for (QAction* action : bar->actions()) {
      const QWidget* widget = bar->widgetForAction(action);
      if (action->isVisible() && widget != nullptr && !widget->isVisible())
        list << "not in the tool bar: " + action->text();
    }
  }
  return list;
}

/// Plots and tiles of which a part lies outside of what scrolls, and sentences whose last lines do
/// not fit.
inline QStringList hidden(const QWidget& window) {
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  QStringList list;
  for (const auto* widget : window.findChildren<QWidget*>()) {
    const bool isWhole =
        widget->inherits("mpm::gui::Plot") || widget->inherits("mpm::gui::FigureTile");
    if (isWhole && isSeen(*widget) && widget->visibleRegion().boundingRect() != widget->rect())
      list << widget->accessibleName();
  }
  for (const auto* label : window.findChildren<QLabel*>())
    if (label->wordWrap() && isSeen(*label) &&
        (label->heightForWidth(label->width()) > label->height() ||
         label->visibleRegion().boundingRect() != label->rect()))
      list << label->text();
  return list;
}

/// Words that tiles draw with an ellipsis, because there is no room.
inline QStringList elided(const QWidget& window) {
  QStringList list;
  for (auto* tile : window.findChildren<FigureTile*>()) {
    if (!isSeen(*tile)) continue;
    TextRecorder recorder(tile->size());
    tile->render(&recorder, {}, {}, {});
    for (const QString& word : recorder.drawn.words())
      if (word.contains(QChar(0x2026))) list << word;
  }
  return list;
}

}  // namespace mpm::gui::testing
