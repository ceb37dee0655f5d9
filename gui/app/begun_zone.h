// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <utility>

#include "gui/app/view_deck.h"
#include "gui/app/watch.h"

namespace mpm::gui {

/// A zone that was begun on the picture of a source: dropped when another source comes, which is
/// said then.
class BegunZone : public QObject {
  Q_OBJECT

 public:
  BegunZone(Watch& watch, ViewDeck* deck, QObject* parent)
      : QObject(parent), watch_(watch), deck_(deck) {
    connect(&watch_, &Watch::shownChanged, this, &BegunZone::look);
    connect(&watch_.live(), &Live::opened, this, &BegunZone::look);
  }

 private:
  void look() {
    const QString now = watch_.shownSource();
    if (std::exchange(drawnOn_, now) == now || !deck_->forgetDraft()) return;
    QMetaObject::invokeMethod(  // behind what the other source has to say
        this,
        [this] {
          emit watch_.said(
              tr("The unfinished zone was discarded, because another source was opened."), true);
        },
        Qt::QueuedConnection);
  }

  Watch& watch_;
  ViewDeck* deck_;
  QString drawnOn_;  // the source's address
};

}  // namespace mpm::gui
