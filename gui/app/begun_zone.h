// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <utility>

#include "gui/app/session.h"
#include "gui/app/view_deck.h"

namespace mpm::gui {

/// A zone that was begun on the picture of a source: dropped when another source comes, which is
/// said then.
class BegunZone : public QObject {
  Q_OBJECT

 public:
  BegunZone(Session& session, ViewDeck* deck, QObject* parent)
      : QObject(parent), session_(session), deck_(deck) {
    connect(&session_, &Session::shownChanged, this, &BegunZone::look);
    connect(&session_.live(), &Live::opened, this, &BegunZone::look);
  }

 private:
  void look() {
    const QString now = session_.shownSource();
    if (std::exchange(drawnOn_, now) == now || !deck_->forgetDraft()) return;
    QMetaObject::invokeMethod(  // behind what the other source has to say
        this,
        [this] {
          emit session_.said(
              tr("The unfinished zone was discarded, because another source was opened."), true);
        },
        Qt::QueuedConnection);
  }

  Session& session_;
  ViewDeck* deck_;
  QString drawnOn_;  // the source's address
};

}  // namespace mpm::gui
