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

/// What happened: while the app runs, and before, as the record of the source has it. A click asks
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

  /// Another source's events go; what the record knows from before `untilUtcMs` comes.
  void begin(const QString& record, const QString& source, qint64 untilUtcMs) {
    if (source == source_) return;
    source_ = source;
    list_.forgetSource();
    if (record.isEmpty()) return;
    computeAside(
        this,
        [file = record.toStdString(), source = source.toStdString(), untilUtcMs] {
          return readOlder(file, source, untilUtcMs);
        },
        [this, source](const QList<EventList::Entry>& older) {
          if (source_ == source) list_.addOlder(older);
        });
  }

  /// `newest`: the picture that is shown, or null.
  void hear(const monitor::Event& event, const monitor::FrameResultPtr& newest) {
    list_.add({QString::fromStdString(event.kind), QString::fromStdString(event.name),
               QString::fromStdString(event.text), event.at.utcMs});
    if (newest) see(*newest);
  }

  /// At a source beside the first: `address` as in LiveOptions, `source` as it is shown.
  void hearBeside(const monitor::Event& event, const QString& address, const QString& source,
                  const monitor::FrameResultPtr& newest) {
    list_.add({QString::fromStdString(event.kind), QString::fromStdString(event.name),
               tr("%1: %2").arg(source, eventSentence(QString::fromStdString(event.text))),
               event.at.utcMs,
               newest ? thumbnailOf(newest->frame.picture, EventList::kPictureSize) : QImage(),
               false, address});
  }

  /// A frame that what happened lately may have its picture from.
  void see(const monitor::FrameResult& result) {
    const qint64 taken = result.frame.taken.utcMs;
    if (!list_.wantsPicture(taken)) return;
    list_.addPicture(taken, thumbnailOf(result.frame.picture, EventList::kPictureSize));
  }

 signals:
  void jumped(const mpm::gui::EventList::Entry& to);

 private:
  static constexpr std::int64_t kBackMs = std::int64_t{7} * 86'400'000, kNearMs = 2000;
  static constexpr std::size_t kMostOlder = 300;
  static constexpr int kMostPictures = 60;  // that are read from files

  void jump(const QModelIndex& index) { emit jumped(list_.entry(index.row())); }

  static QList<EventList::Entry> readOlder(const std::string& file, const std::string& source,
                                           std::int64_t untilUtcMs) {
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
        entry = {QString::fromStdString(event.kind), QString::fromStdString(event.name),
                 QString::fromStdString(event.text), event.at.utcMs};
        const auto kept = std::find_if(snapshots.begin(), snapshots.end(), [&](const auto& one) {
          return !one.overlay.empty() && std::llabs(one.taken.utcMs - event.at.utcMs) <= kNearMs;
        });
        if (kept == snapshots.end() || ++pictures > kMostPictures) continue;
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
  QString source_;
};

}  // namespace mpm::gui
