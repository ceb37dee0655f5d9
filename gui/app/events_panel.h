// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "gui/app/event_list.h"
#include "gui/aside.h"
#include "gui/canvas/thumbnail.h"
#include "gui/plot/plot_table.h"
#include "monitor/engine/frame_result.h"
#include "monitor/record/record_reader.h"

namespace mpm::gui {

/// What happened: while the app runs, and before, as the record of each source has it. A click asks
/// to be shown that moment.
class EventsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit EventsPanel(QWidget* parent = nullptr)
      : QWidget(parent), view_(viewOfRows(&list_, tr("What happened"))) {
    view_->setIconSize(EventList::kPictureSize);
    view_->setWordWrap(true);
    view_->setSelectionMode(QAbstractItemView::SingleSelection);
    view_->setShowGrid(false);
    view_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    view_->verticalHeader()->setDefaultSectionSize(EventList::kPictureSize.height() + 6);
    view_->setToolTip(tr("A click shows that moment in the plot."));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(view_);
    setFocusProxy(view_);
    connect(view_, &QTableView::clicked, this, &EventsPanel::jump);
    connect(view_, &QTableView::activated, this, &EventsPanel::jump);
  }

  EventList& list() { return list_; }
  QTableView* view() const { return view_; }

  struct Source {
    QString address;     ///< as in LiveOptions
    QString recordedAs;  ///< in the record
    QString name;        ///< as people read it
  };

  /// What is watched now, the first one first, each named where they are several. Where another
  /// came in place of the first, its events go; what the record knows of new ones from before
  /// `untilUtcMs` comes.
  void begin(const QString& record, const QList<Source>& sources, qint64 untilUtcMs) {
    nameThem(sources);
    const QString first = watched_.value(0);
    if (!first.isEmpty() && !watched_.contains(sources[0].address)) {
      list_.forget(first);
      read_.remove(first);
    }
    watched_.clear();
    for (const Source& source : sources) watched_ << source.address;
    for (const Source& source : sources) {
      if (read_.contains(source.address)) continue;
      const int reading = read_[source.address] = ++readings_;
      if (record.isEmpty()) continue;
      const int mostPictures = kMostPictures / static_cast<int>(sources.size());
      computeAside(
          this,
          [file = record.toStdString(), source, untilUtcMs, mostPictures] {
            return readOlder(file, source, untilUtcMs, mostPictures);
          },
          [this, source, reading](const QList<EventList::Entry>& older) {
            if (read_.value(source.address) == reading) list_.addOlder(older);
          });
    }
  }

  /// At the source with that address. `newest`: its newest picture, or null.
  void hear(const monitor::Event& event, const QString& source,
            const monitor::FrameResultPtr& newest) {
    list_.add({QString::fromStdString(event.kind),
               QString::fromStdString(event.name),
               QString::fromStdString(event.text),
               event.at.utcMs,
               {},
               source});
    if (newest) see(*newest, source);
  }

  /// A frame of it that what happened lately may have its picture from.
  void see(const monitor::FrameResult& result, const QString& source) {
    const qint64 taken = result.frame.taken.utcMs;
    if (!list_.wantsPicture(source, taken)) return;
    list_.addPicture(source, taken, thumbnailOf(result.frame.picture, EventList::kPictureSize));
  }

 signals:
  void jumped(const mpm::gui::EventList::Entry& to);

 private:
  static constexpr std::int64_t kBackMs = std::int64_t{7} * 86'400'000;
  static constexpr std::int64_t kNearMs = 2000, kOwnNearMs = 60'000;
  static constexpr std::size_t kMostOlder = 300;
  static constexpr int kMostPictures = 60;  // that are read from files

  void jump(const QModelIndex& index) { emit jumped(list_.entry(index.row())); }

  // Those that are gone keep theirs.
  void nameThem(const QList<Source>& sources) {
    for (const Source& source : sources) names_[source.address] = source.name;
    if (sources.size() == 1) names_.remove(sources[0].address);
    list_.setNames(names_);
  }

  // The nearest that was kept for it, however slow the frames were, or that shows its moment.
  static const monitor::RecordedSnapshot* pictureOf(
      const monitor::Event& event, const std::vector<monitor::RecordedSnapshot>& snapshots) {
    const monitor::RecordedSnapshot* nearest = nullptr;
    std::int64_t least = 0;
    for (const monitor::RecordedSnapshot& one : snapshots) {
      const std::int64_t apart = std::llabs(one.taken.utcMs - event.at.utcMs);
      const std::int64_t most = one.reason == event.name ? kOwnNearMs : kNearMs;
      if (one.overlay.empty() || apart > most || (nearest != nullptr && apart >= least)) continue;
      nearest = &one;
      least = apart;
    }
    return nearest;
  }

  static QList<EventList::Entry> readOlder(const std::string& file, const Source& from,
                                           std::int64_t untilUtcMs, int mostPictures) {
    const std::string source = from.recordedAs.toStdString();
    QList<EventList::Entry> older;
    try {
      const monitor::RecordReader record(file);
      std::vector<monitor::Event> events = record.events(source, untilUtcMs - kBackMs, untilUtcMs);
      const auto snapshots = record.snapshots(source, untilUtcMs - kBackMs, untilUtcMs);
      std::reverse(events.begin(), events.end());
      if (events.size() > kMostOlder) events.resize(kMostOlder);
      int pictures = 0;
      for (const monitor::Event& event : events) {
        EventList::Entry& entry = older.emplace_back();
        entry = {QString::fromStdString(event.kind),
                 QString::fromStdString(event.name),
                 QString::fromStdString(event.text),
                 event.at.utcMs,
                 {},
                 from.address};
        const monitor::RecordedSnapshot* kept = pictureOf(event, snapshots);
        if (kept == nullptr || ++pictures > mostPictures) continue;
        entry.picture =
            QImage(QString::fromStdString(kept->overlay))
                .scaled(EventList::kPictureSize, Qt::KeepAspectRatio, Qt::SmoothTransformation);
      }
    } catch (const std::exception&) {
      // What happens from now on is listed; the record's own fault is told elsewhere.
    }
    return older;
  }

  EventList list_;
  QTableView* view_;
  QStringList watched_;      // by their addresses
  QMap<QString, int> read_;  // of each whose past is listed, which reading that was
  int readings_ = 0;
  QMap<QString, QString> names_;
};

}  // namespace mpm::gui
