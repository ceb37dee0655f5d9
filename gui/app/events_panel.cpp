// SPDX-License-Identifier: Apache-2.0
#include "gui/app/events_panel.h"

#include <QtWidgets>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "gui/app/clip_player.h"
#include "gui/app/wording.h"
#include "gui/aside.h"
#include "gui/canvas/pictures.h"
#include "gui/plot/plot.h"
#include "monitor/record/record_reader.h"

namespace mpm::gui {

namespace {

constexpr std::int64_t kBackMs = std::int64_t{7} * 86'400'000;
constexpr std::int64_t kNearMs = 2000, kOwnNearMs = 60'000;
constexpr std::size_t kMostOlder = 300;
constexpr int kMostPictures = 60;  // that are read from files
// A clip is whole a minute after its alert at the latest, and then has to be written.
constexpr int kLookEveryMs = 4000, kMostLooks = 20;

using Snapshots = std::vector<monitor::RecordedSnapshot>;

EventList::Entry entryOf(const monitor::Event& event, const QString& source) {
  return {QString::fromStdString(event.kind),
          QString::fromStdString(event.name),
          QString::fromStdString(event.text),
          event.at.utcMs,
          {},
          source};
}

// The nearest that was kept for it, however slow the frames were, or that shows its moment.
const monitor::RecordedSnapshot* pictureOf(const EventList::Entry& event,
                                           const Snapshots& snapshots) {
  const monitor::RecordedSnapshot* nearest = nullptr;
  std::int64_t least = 0;
  for (const monitor::RecordedSnapshot& one : snapshots) {
    const std::int64_t apart = std::llabs(one.taken.utcMs - event.utcMs);
    const std::int64_t most = one.reason == event.name.toStdString() ? kOwnNearMs : kNearMs;
    if (one.overlay.empty() || apart > most || (nearest != nullptr && apart >= least)) continue;
    nearest = &one;
    least = apart;
  }
  return nearest;
}

// A clip has the rules of all alerts that it shows, and from when to when it goes.
bool isClipOf(const EventList::Entry& alert, const monitor::RecordedSnapshot& snapshot) {
  if (snapshot.clip.empty()) return false;
  const QString reasons = QStringLiteral(", %1, ").arg(QString::fromStdString(snapshot.reason));
  const QJsonObject facts =
      QJsonDocument::fromJson(QByteArray::fromStdString(snapshot.facts)).object();
  return reasons.contains(QStringLiteral(", %1, ").arg(alert.name)) &&
         facts.value("from_utc_ms").toDouble() <= static_cast<double>(alert.utcMs) &&
         facts.value("to_utc_ms").toDouble() >= static_cast<double>(alert.utcMs - kNearMs);
}

EventList::Kept keptOf(const EventList::Entry& event, const Snapshots& snapshots) {
  EventList::Kept kept;
  if (event.isAlert()) {
    for (const monitor::RecordedSnapshot& one : snapshots)
      if (isClipOf(event, one)) kept.clip = QString::fromStdString(one.clip);
    const monitor::RecordedSnapshot* own = pictureOf(event, snapshots);
    if (own != nullptr && own->reason == event.name.toStdString())
      kept.picture = QString::fromStdString(own->overlay);
  }
  return kept;
}

QList<EventList::Entry> readOlder(const std::string& file, const EventsPanel::Source& from,
                                  std::int64_t untilUtcMs, int mostPictures) {
  const std::string source = from.recordedAs.toStdString();
  QList<EventList::Entry> older;
  try {
    const monitor::RecordReader record(file);
    std::vector<monitor::Event> events = record.events(source, untilUtcMs - kBackMs, untilUtcMs);
    const Snapshots snapshots = record.snapshots(source, untilUtcMs - kBackMs, untilUtcMs);
    std::reverse(events.begin(), events.end());
    if (events.size() > kMostOlder) events.resize(kMostOlder);
    int pictures = 0;
    for (const monitor::Event& event : events) {
      EventList::Entry& entry = older.emplace_back(entryOf(event, from.address));
      entry.kept = keptOf(entry, snapshots);
      const monitor::RecordedSnapshot* shown = pictureOf(entry, snapshots);
      if (shown == nullptr || ++pictures > mostPictures) continue;
      entry.picture =
          QImage(QString::fromStdString(shown->overlay))
              .scaled(EventList::kPictureSize, Qt::KeepAspectRatio, Qt::SmoothTransformation);
    }
  } catch (const std::exception&) {
    // What happens from now on is listed; the record's own fault is told elsewhere.
  }
  return older;
}

}  // namespace

EventsPanel::EventsPanel(QWidget* parent)
    : QWidget(parent), view_(viewOfRows(&list_, tr("What happened"))) {
  view_->setIconSize(EventList::kPictureSize);
  view_->setWordWrap(true);
  view_->setSelectionMode(QAbstractItemView::SingleSelection);
  view_->setShowGrid(false);
  // A header that fits its contents does so when they change, not when the first ones come.
  connect(&list_, &QAbstractItemModel::rowsInserted, view_->horizontalHeader(),
          [header = view_->horizontalHeader()] {
            header->resizeSections(QHeaderView::ResizeToContents);
          });
  view_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  view_->verticalHeader()->setDefaultSectionSize(EventList::kPictureSize.height() + 6);
  view_->setToolTip(
      tr("A click shows what was kept of it: a clip or a picture; else that moment in the plot."));
  view_->setContextMenuPolicy(Qt::CustomContextMenu);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  setFocusProxy(view_);
  looking_.setInterval(kLookEveryMs);
  connect(view_, &QTableView::clicked, this, &EventsPanel::activate);
  connect(view_, &QTableView::activated, this, &EventsPanel::activate);
  connect(view_, &QTableView::customContextMenuRequested, this, &EventsPanel::offer);
  connect(&looking_, &QTimer::timeout, this, &EventsPanel::lookForKept);
}

void EventsPanel::begin(const QString& record, const QList<Source>& sources, qint64 untilUtcMs) {
  nameThem(sources);
  record_ = record;
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

void EventsPanel::hear(const monitor::Event& event, const QString& source,
                       const monitor::FrameResultPtr& newest) {
  const EventList::Entry entry = entryOf(event, source);
  list_.add(entry);
  if (newest) see(*newest, source);
  if (!entry.isAlert() || record_.isEmpty()) return;
  awaited_ << Awaited{entry};
  if (!looking_.isActive()) looking_.start();
}

void EventsPanel::see(const monitor::FrameResult& result, const QString& source) {
  const qint64 taken = result.frame.taken.utcMs;
  if (!list_.wantsPicture(source, taken)) return;
  list_.addPicture(source, taken, thumbnailOf(result.frame.picture, EventList::kPictureSize));
}

// Clips come into the record when they are whole, and nobody tells.
void EventsPanel::lookForKept() {
  awaited_.removeIf([](const Awaited& one) { return one.looks >= kMostLooks; });
  if (awaited_.isEmpty()) return looking_.stop();
  for (Awaited& one : awaited_) {
    ++one.looks;
    computeAside(
        this,
        [file = record_.toStdString(), alert = one.alert,
         source = recordedAs_.value(one.alert.source).toStdString()] {
          try {
            return keptOf(alert, monitor::RecordReader(file).snapshots(
                                     source, alert.utcMs - kOwnNearMs, alert.utcMs + kOwnNearMs));
          } catch (const std::exception&) {
            return EventList::Kept();  // the record's own fault is told elsewhere
          }
        },
        [this, alert = one.alert](const EventList::Kept& kept) {
          if (kept == EventList::Kept()) return;
          list_.keep(alert, kept);
          if (kept.clip.isEmpty()) return;
          awaited_.removeIf([&](const Awaited& other) {
            return other.alert.utcMs == alert.utcMs && other.alert.name == alert.name &&
                   other.alert.source == alert.source;
          });
        });
  }
}

bool EventsPanel::showKept(const EventList::Entry& of) {
  if (of.kept == EventList::Kept()) return false;
  if (player_ == nullptr) player_ = new ClipPlayer(this);
  const QString time =
      QLocale().toString(QDateTime::fromMSecsSinceEpoch(of.utcMs), QLocale::ShortFormat);
  const QString title = tr("%1, %2").arg(of.name, time);
  if (of.kept.clip.isEmpty())
    player_->showPicture(of.kept.picture, title);
  else
    player_->play(of.kept.clip, title);
  return true;
}

void EventsPanel::reveal(const EventList::Entry& event) {
  const int row = list_.rowOf(event);
  if (row < 0) return;
  view_->setCurrentIndex(list_.index(row, 0));
  activate(list_.index(row, 0));
}

void EventsPanel::activate(const QModelIndex& index) {
  const EventList::Entry entry = list_.entry(index.row());
  if (!showKept(entry)) emit jumped(entry);
}

void EventsPanel::offer(const QPoint& at) {
  const QModelIndex index = view_->indexAt(at);
  if (!index.isValid()) return;
  const EventList::Entry entry = list_.entry(index.row());
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  if (entry.kept != EventList::Kept())
    menu->addAction(entry.kept.clip.isEmpty() ? tr("Show the &picture") : tr("&Play the clip"),
                    this, [this, entry] { showKept(entry); });
  menu->addAction(tr("Show in the p&lot"), this, [this, entry] { emit jumped(entry); });
  menu->popup(view_->viewport()->mapToGlobal(at));
}

// Those that are gone keep theirs.
void EventsPanel::nameThem(const QList<Source>& sources) {
  for (const Source& source : sources) {
    names_[source.address] = source.name;
    recordedAs_[source.address] = source.recordedAs;
  }
  if (sources.size() == 1) names_.remove(sources[0].address);
  list_.setNames(names_);
}

}  // namespace mpm::gui
