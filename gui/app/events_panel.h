// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QMap>
#include <QStringList>
#include <QTimer>
#include <QWidget>

#include "gui/app/event_list.h"
#include "monitor/engine/frame_result.h"

class QTableView;

namespace mpm::gui {

class ClipPlayer;

/// What happened: while the app runs, and before, as the record of each source has it. A click, or
/// Enter, plays the clip or shows the picture that was kept of it; where nothing was, and from the
/// context menu, it asks to be shown that moment.
class EventsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit EventsPanel(QWidget* parent = nullptr);

  EventList& list() { return list_; }
  QTableView* view() const { return view_; }
  ClipPlayer* player() const { return player_; }  ///< null: nothing was played yet

  struct Source {
    QString address;     ///< as in LiveOptions
    QString recordedAs;  ///< in the record
    QString name;        ///< as people read it
  };

  /// What is watched now, the first one first, each named where they are several. Where another
  /// came in place of the first, its events go; what the record knows of new ones from before
  /// `untilUtcMs` comes.
  void begin(const QString& record, const QList<Source>& sources, qint64 untilUtcMs);
  /// At the source with that address. `newest`: its newest picture, or null.
  void hear(const monitor::Event& event, const QString& source,
            const monitor::FrameResultPtr& newest);
  /// A frame of it that what happened lately may have its picture from.
  void see(const monitor::FrameResult& result, const QString& source);
  /// Goes to an event that is listed, and does what a click on it does.
  void reveal(const EventList::Entry& event);

 signals:
  void jumped(const mpm::gui::EventList::Entry& to);

 private:
  // An alert of which a clip or a picture may still come into the record.
  struct Awaited {
    EventList::Entry alert;
    int looks = 0;
  };
  void activate(const QModelIndex& index);
  bool showKept(const EventList::Entry& of);  // false: nothing was
  void offer(const QPoint& at);
  void nameThem(const QList<Source>& sources);
  void lookForKept();

  EventList list_;
  QTableView* view_;
  ClipPlayer* player_ = nullptr;
  QString record_;
  QStringList watched_;      // by their addresses
  QMap<QString, int> read_;  // of each whose past is listed, which reading that was
  int readings_ = 0;
  QMap<QString, QString> names_, recordedAs_;  // by address
  QList<Awaited> awaited_;
  QTimer looking_;
};

}  // namespace mpm::gui
