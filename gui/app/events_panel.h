// SPDX-License-Identifier: Apache-2.0
// What happened: listed, shown when somebody clicks it, and told of on the desktop.
#pragma once

#include <QAbstractTableModel>
#include <QImage>
#include <QList>
#include <QMap>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <QVariant>
#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "gui/app/session.h"
#include "monitor/engine/frame_result.h"
#include "monitor/rules/rules.h"

class QSystemTrayIcon;
class QTableView;

namespace mpm::gui {

class ClipPlayer;

/// Lists events to the second, the newest first, with a thumbnail where there is one. It holds the
/// last thousand; older ones are in the record.
class EventList : public QAbstractTableModel {
  Q_OBJECT

 public:
  static constexpr QSize kPictureSize{84, 56};

  /// Files that a record keeps of an event; empty: none.
  struct Kept {
    QString clip{}, picture{};
    bool operator==(const Kept&) const = default;
  };

  struct Entry {
    QString kind, name, text;  ///< as monitor::Event has them
    qint64 utcMs = 0;
    QImage picture{};
    QString source{};  ///< the address of the one that it happened at; empty: the app itself
    Kept kept{};

    bool isAlert() const;    ///< whether it is a rule that begins
    QString reason() const;  ///< the sentence of an alert without the rule's name; else all of it
    bool isSame(const Entry& other) const;  ///< whatever is known of it since
  };

  using QAbstractTableModel::QAbstractTableModel;

  void add(const Entry& entry) { insert(0, entry); }  ///< in front of all others
  /// Inserts older events of one source, the newest first, by their time.
  void addOlder(const QList<Entry>& entries);
  void forget(const QString& source);
  /// Sets names by sources' addresses. Each precedes its source's events; other sources are not
  /// named.
  void setNames(const QMap<QString, QString>& names);
  /// Tells whether a recent event of the source has no picture yet, which one taken then could be.
  bool wantsPicture(const QString& source, qint64 utcMs) const {
    return rowFor(source, utcMs) >= 0;
  }
  void addPicture(const QString& source, qint64 utcMs, const QImage& picture);
  /// Adds what was kept of a listed event, which is known some time after it.
  void keep(const Entry& of, const Kept& kept);

  const Entry& entry(int row) const { return entries_[row]; }
  int rowOf(const Entry& entry) const;  ///< -1: it is not listed
  QString words(int row) const;         ///< what happened, as it is shown

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  /// Returns the picture with a play sign if a clip was kept.
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation,
                      int role = Qt::DisplayRole) const override;

 private:
  void insert(int row, const Entry& entry);
  void changed(int row) { emit dataChanged(index(row, 0), index(row, 2)); }
  int rowFor(const QString& source, qint64 utcMs) const;

  QList<Entry> entries_;
  QMap<QString, QString> names_;
};

/// Announces alerts on the desktop: a message with a sound when a rule begins that asks for it. The
/// window's task bar entry calls for attention, too. Alerts in quick succession share one message
/// at most, for the newest of them. Without a tray there is no message.
class Notifier : public QObject {
  Q_OBJECT

 public:
  static constexpr int kRestMs = 5000;

  /// `inside` is a widget of the window that a click brings to the front.
  explicit Notifier(QWidget* inside, int restMs = kRestMs);

  /// Tells whether an event is the beginning of a rule that asks for a message.
  static bool wants(const EventList::Entry& event, const std::vector<monitor::Rule>& rules);
  /// `camera` is its name, empty if there is only one. The event's picture may be null.
  void notify(const EventList::Entry& event, const QString& camera);

  struct Message {
    QString title, text;
    QImage picture;
  };
  /// Replaces the message on the desktop and its sound.
  void setTelling(std::function<void(const Message&)> tell) { tell_ = std::move(tell); }
  /// Brings the window to the front as a click on the message does; `clicked` follows.
  void open();

 signals:
  void clicked(const mpm::gui::EventList::Entry& event);  ///< the one that was told last

 private:
  struct Alert {
    EventList::Entry event;
    QString camera;
  };
  void tellNewest();
  void tellOnDesktop(const Message& message);

  QWidget* inside_;
  QSystemTrayIcon* tray_ = nullptr;
  std::function<void(const Message&)> tell_;
  QTimer rest_;                   // runs since the last message
  std::optional<Alert> waiting_;  // the newest, until the rest is over
  std::optional<EventList::Entry> told_;
};

/// Lists the events of a session's sources, from this run and from each source's record. A click,
/// or Enter, plays the clip or shows the picture that was kept. Without either, and from the
/// context menu, it asks to show that moment.
class EventsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit EventsPanel(Session& session);

  EventList& list() { return list_; }
  QTableView* view() const { return view_; }
  Notifier* notifier() const { return notifier_; }
  ClipPlayer* player() const { return player_; }  ///< null: nothing was played yet

  struct Source {
    QString address;     ///< as in LiveOptions
    QString recordedAs;  ///< in the record
    QString name;        ///< as people read it
  };
  /// Sets the watched sources in order, each named if there are several. Events of a replaced first
  /// source go. Events of new sources from before `untilUtcMs` come from the record.
  void begin(const QString& record, const QList<Source>& sources, qint64 untilUtcMs);
  /// Adds an event of the source with that address. `newest` is its newest frame, or null.
  void hear(const monitor::Event& event, const QString& source,
            const monitor::FrameResultPtr& newest);
  /// Goes to a listed event and does what a click on it does.
  void reveal(const EventList::Entry& event);

 private:
  // An event with a clip or a picture that may still enter the record.
  struct Awaited {
    EventList::Entry event;
    int looks = 0;
  };
  void listSources();
  void hearFrom(std::size_t source, const monitor::Event& event);
  void see(const monitor::FrameResult& result, const QString& source);
  void activate(const QModelIndex& index);
  bool showKept(const EventList::Entry& of);  // false: nothing was
  void showMoment(const EventList::Entry& of);
  void offer(const QPoint& at);
  void nameThem(const QList<Source>& sources);
  void lookForKept();

  Session& session_;
  EventList list_;
  QTableView* view_;
  Notifier* notifier_;
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
