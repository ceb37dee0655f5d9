// SPDX-License-Identifier: Apache-2.0
#include "gui/app/events_panel.h"

#include <QApplication>
#include <QDateTime>
#include <QHeaderView>
#include <QIcon>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocale>
#include <QMenu>
#include <QPainter>
#include <QPixmap>
#include <QPolygonF>
#include <QSystemTrayIcon>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>

#include "gui/app/clips.h"
#include "gui/app/wording.h"
#include "gui/aside.h"
#include "gui/canvas/pictures.h"
#include "gui/plot/axes.h"
#include "gui/plot/plot.h"
#include "monitor/record/record_reader.h"

namespace mpm::gui {
namespace {

constexpr int kMostListed = 1000, kMostPictured = 200, kLately = 20;
constexpr qint64 kPicturedMs = 2000;  // a picture shows what happened until then
constexpr std::int64_t kBackMs = std::int64_t{7} * 86'400'000;
constexpr std::int64_t kNearMs = 2000, kOwnNearMs = 60'000;
constexpr std::size_t kMostOlder = 300;
constexpr int kMostPictures = 60;  // that are read from files
// A clip ends at most a minute after its alert, and then has to be written.
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

// Returns the reason that a snapshot kept for an event carries.
std::string reasonOf(const EventList::Entry& event) {
  return (event.kind == QLatin1String("camera") ? "camera " : "") + event.name.toStdString();
}

// Returns the nearest snapshot kept for the event, or one that shows its moment.
const monitor::RecordedSnapshot* pictureOf(const EventList::Entry& event,
                                           const Snapshots& snapshots) {
  const monitor::RecordedSnapshot* nearest = nullptr;
  std::int64_t least = 0;
  for (const monitor::RecordedSnapshot& one : snapshots) {
    const std::int64_t apart = std::llabs(one.taken.utcMs - event.utcMs);
    const std::int64_t most = one.reason == reasonOf(event) ? kOwnNearMs : kNearMs;
    if (one.overlay.empty() || apart > most || (nearest != nullptr && apart >= least)) continue;
    nearest = &one;
    least = apart;
  }
  return nearest;
}

// A clip carries the rules of all alerts that it shows, and its begin and end.
bool isClipOf(const EventList::Entry& alert, const monitor::RecordedSnapshot& snapshot) {
  if (snapshot.clip.empty()) return false;
  const QString reasons = QStringLiteral(", %1, ").arg(QString::fromStdString(snapshot.reason));
  const QJsonObject facts =
      QJsonDocument::fromJson(QByteArray::fromStdString(snapshot.facts)).object();
  return reasons.contains(QStringLiteral(", %1, ").arg(alert.name)) &&
         facts.value("from_utc_ms").toDouble() <= static_cast<double>(alert.utcMs) &&
         facts.value("to_utc_ms").toDouble() >= static_cast<double>(alert.utcMs - kNearMs);
}

// Returns an alert's clip and picture, or a camera problem's picture as it began.
EventList::Kept keptOf(const EventList::Entry& event, const Snapshots& snapshots) {
  EventList::Kept kept;
  if (!event.isAlert() && event.kind != QLatin1String("camera")) return kept;
  for (const monitor::RecordedSnapshot& one : snapshots)
    if (event.isAlert() && isClipOf(event, one)) kept.clip = QString::fromStdString(one.clip);
  const monitor::RecordedSnapshot* own = pictureOf(event, snapshots);
  if (own != nullptr && own->reason == reasonOf(event))
    kept.picture = QString::fromStdString(own->overlay);
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
    // New events are listed all the same; the record's own error is reported elsewhere.
  }
  return older;
}

// Returns how monitor::beganText begins.
QString beginningOf(const EventList::Entry& event) {
  return QStringLiteral("Rule '%1' began: ").arg(event.name);
}

// Draws a triangle on a dark disk, on the frame or, without one, on black.
QImage withPlaySign(QImage picture) {
  if (picture.isNull()) {
    picture = QImage(EventList::kPictureSize, QImage::Format_RGB32);
    picture.fill(Qt::black);
  }
  picture = picture.convertToFormat(QImage::Format_RGB32);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  const QPointF middle = QRectF(picture.rect()).center();
  const double radius = picture.height() / 4.0;
  painter.setBrush(QColor(0, 0, 0, 150));
  painter.drawEllipse(middle, radius, radius);
  painter.setBrush(Qt::white);
  painter.drawPolygon(QPolygonF({middle + QPointF(-radius * 0.35, -radius * 0.55),
                                 middle + QPointF(-radius * 0.35, radius * 0.55),
                                 middle + QPointF(radius * 0.6, 0)}));
  return picture;
}

}  // namespace

bool EventList::Entry::isAlert() const {
  return kind == QLatin1String("rule") && text.startsWith(beginningOf(*this));
}

QString EventList::Entry::reason() const {
  return isAlert() ? text.mid(beginningOf(*this).size()) : text;
}

bool EventList::Entry::isSame(const Entry& other) const {
  return utcMs == other.utcMs && name == other.name && text == other.text && source == other.source;
}

void EventList::insert(int row, const Entry& entry) {
  beginInsertRows({}, row, row);
  entries_.insert(row, entry);
  endInsertRows();
  if (entries_.size() > kMostListed) {
    beginRemoveRows({}, kMostListed, kMostListed);
    entries_.removeLast();
    endRemoveRows();
  }
  if (entries_.size() > kMostPictured) entries_[kMostPictured].picture = {};
}

void EventList::addOlder(const QList<Entry>& entries) {
  int row = 0;
  for (const Entry& entry : entries) {
    while (row < rowCount() && entries_[row].utcMs >= entry.utcMs) ++row;
    if (row >= kMostListed) break;
    insert(row, entry);
  }
}

void EventList::forget(const QString& source) {
  for (int row = rowCount() - 1; row >= 0; --row) {
    if (entries_[row].source != source) continue;
    beginRemoveRows({}, row, row);
    entries_.removeAt(row);
    endRemoveRows();
  }
}

void EventList::setNames(const QMap<QString, QString>& names) {
  if (names == names_) return;
  names_ = names;
  if (rowCount() > 0) emit dataChanged(index(0, 2), index(rowCount() - 1, 2));
}

void EventList::addPicture(const QString& source, qint64 utcMs, const QImage& picture) {
  for (int row = rowFor(source, utcMs); row >= 0; row = rowFor(source, utcMs)) {
    entries_[row].picture = picture;
    changed(row);
  }
}

void EventList::keep(const Entry& of, const Kept& kept) {
  const int row = rowOf(of);
  if (row < 0) return;
  entries_[row].kept = kept;
  changed(row);
}

int EventList::rowOf(const Entry& entry) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& other) { return other.isSame(entry); });
  return found == entries_.end() ? -1 : static_cast<int>(found - entries_.begin());
}

int EventList::rowFor(const QString& source, qint64 utcMs) const {
  for (int row = 0; row < std::min(rowCount(), kLately); ++row) {
    const Entry& entry = entries_[row];
    const qint64 apart = utcMs - entry.utcMs;
    if (entry.source == source && entry.picture.isNull() && apart >= 0 && apart <= kPicturedMs)
      return row;
  }
  return -1;
}

QString EventList::words(int row) const {
  const Entry& entry = entries_[row];
  const QString sentence = eventSentence(entry.text), name = names_.value(entry.source);
  return name.isEmpty() ? sentence : tr("%1: %2").arg(name, sentence);
}

int EventList::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(entries_.size());
}

int EventList::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : 3; }

QVariant EventList::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Entry& entry = entries_[index.row()];
  const bool hasClip = !entry.kept.clip.isEmpty();
  if (role == Qt::DecorationRole && index.column() == 0) {
    if (hasClip) return withPlaySign(entry.picture);
    return entry.picture.isNull() ? QVariant() : QVariant(entry.picture);
  }
  if (role == Qt::AccessibleDescriptionRole && index.column() == 0 && hasClip)
    return tr("A clip was kept.");
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  if (index.column() == 1) return kindWord(entry.kind);
  if (index.column() == 2) return words(index.row());
  const QDateTime at = QDateTime::fromMSecsSinceEpoch(entry.utcMs);
  return QLocale().toString(at.date(), QLocale::ShortFormat) + QLatin1Char('\n') +
         clockText(at.time(), true, QLocale());
}

QVariant EventList::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole || orientation != Qt::Horizontal)
    return QAbstractTableModel::headerData(section, orientation, role);
  return section == 0 ? tr("Time") : section == 1 ? tr("About") : tr("What happened");
}

Notifier::Notifier(QWidget* inside, int restMs)
    : QObject(inside),
      inside_(inside),
      tell_([this](const Message& message) { tellOnDesktop(message); }) {
  rest_.setSingleShot(true);
  rest_.setInterval(restMs);
  connect(&rest_, &QTimer::timeout, this, &Notifier::tellNewest);
}

bool Notifier::wants(const EventList::Entry& event, const std::vector<monitor::Rule>& rules) {
  return event.isAlert() && std::any_of(rules.begin(), rules.end(), [&](const monitor::Rule& rule) {
           return rule.notify && rule.name == event.name.toStdString();
         });
}

void Notifier::notify(const EventList::Entry& event, const QString& camera) {
  waiting_ = Alert{event, camera};
  if (!rest_.isActive()) tellNewest();
}

void Notifier::tellNewest() {
  if (!waiting_) return;
  const Alert alert = *std::exchange(waiting_, std::nullopt);
  const QString sentence = eventSentence(alert.event.reason());
  told_ = alert.event;
  rest_.start();
  tell_({alert.event.name,
         alert.camera.isEmpty() ? sentence : tr("%1: %2").arg(alert.camera, sentence),
         alert.event.picture});
}

void Notifier::tellOnDesktop(const Message& message) {
  QApplication::beep();
  QApplication::alert(inside_->window());
  if (!QSystemTrayIcon::isSystemTrayAvailable() || !QSystemTrayIcon::supportsMessages()) return;
  if (tray_ == nullptr) {
    tray_ = new QSystemTrayIcon(QApplication::windowIcon(), this);
    tray_->setToolTip(QApplication::applicationDisplayName());
    connect(tray_, &QSystemTrayIcon::messageClicked, this, &Notifier::open);
    connect(tray_, &QSystemTrayIcon::activated, this, &Notifier::open);
    tray_->show();
  }
  const QIcon icon = message.picture.isNull() ? QApplication::windowIcon()
                                              : QIcon(QPixmap::fromImage(message.picture));
  tray_->showMessage(message.title, message.text, icon);
}

void Notifier::open() {
  QWidget* window = inside_->window();
  window->setWindowState(window->windowState() & ~Qt::WindowMinimized);
  window->show();
  window->raise();
  window->activateWindow();
  if (told_) emit clicked(*told_);
}

EventsPanel::EventsPanel(Session& session)
    : session_(session),
      view_(viewOfRows(&list_, tr("What happened"))),
      notifier_(new Notifier(this)) {
  view_->setIconSize(EventList::kPictureSize);
  view_->setWordWrap(true);
  view_->setSelectionMode(QAbstractItemView::SingleSelection);
  view_->setShowGrid(false);
  // The header fits its contents when they change, but not when the first ones come.
  connect(&list_, &QAbstractItemModel::rowsInserted, view_->horizontalHeader(),
          [header = view_->horizontalHeader()] {
            header->resizeSections(QHeaderView::ResizeToContents);
          });
  view_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  view_->verticalHeader()->setDefaultSectionSize(EventList::kPictureSize.height() + 6);
  view_->setToolTip(tr("Click to see its clip or picture, or else that moment in the plot."));
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
  connect(notifier_, &Notifier::clicked, this, [this](const EventList::Entry& alert) {
    emit session_.panelWanted(QStringLiteral("Events"));
    reveal(alert);
  });
  connect(&session_, &Session::began, this, &EventsPanel::listSources);
  connect(&session_, &Session::named, this, &EventsPanel::listSources);
  connect(&session_, &Session::happened, this, &EventsPanel::hearFrom);
  connect(&session_, &Session::came, this,
          [this](const monitor::FrameResultPtr& newest, const auto&, std::size_t source) {
            see(*newest, session_.live().options().sources().value(static_cast<int>(source)));
          });
  connect(&session_, &Session::said, this, [this](const QString& sentence, bool bad) {
    if (bad) list_.add({"app", {}, sentence, monitor::systemClock().now().utcMs});
  });
}

void EventsPanel::listSources() {
  const Live& live = session_.live();
  if (!live.engine()) return;
  const QStringList addresses = live.options().sources(), names = session_.names();
  QList<Source> sources;
  for (qsizetype i = 0; i < addresses.size(); ++i) {
    const auto engine = live.engine(static_cast<std::size_t>(i));
    sources << Source{addresses[i], QString::fromStdString(engine->source().name), names[i]};
  }
  begin(live.options().record, sources, live.begunUtcMs());
}

void EventsPanel::hearFrom(std::size_t source, const monitor::Event& event) {
  const Live& live = session_.live();
  const auto engine = live.engine(source);
  const QString address = live.options().sources().value(static_cast<int>(source));
  if (address.isEmpty()) return;
  hear(event, address, engine ? engine->latest() : nullptr);
  const EventList::Entry& newest = list_.entry(0);
  if (!engine || !Notifier::wants(newest, live.book(source).rules)) return;
  const QStringList names = session_.names();
  notifier_->notify(newest, names.size() > 1 ? names[static_cast<qsizetype>(source)] : QString());
}

// The moment is shown in the plot of the source where the event happened.
void EventsPanel::showMoment(const EventList::Entry& of) {
  const qsizetype source = session_.live().options().sources().indexOf(of.source);
  if (source < 0 && !of.source.isEmpty())
    return emit session_.said(tr("The camera where this happened is no longer watched."), true);
  if (source >= 0) session_.show(static_cast<int>(source));
  emit session_.momentWanted(of.utcMs, of.name.isEmpty() ? kindWord(of.kind) : of.name);
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
  const bool mayBeKept = entry.isAlert() || entry.kind == QLatin1String("camera");
  if (!mayBeKept || record_.isEmpty()) return;
  awaited_ << Awaited{entry};
  if (!looking_.isActive()) looking_.start();
}

void EventsPanel::see(const monitor::FrameResult& result, const QString& source) {
  const qint64 taken = result.frame.taken.utcMs;
  if (!list_.wantsPicture(source, taken)) return;
  list_.addPicture(source, taken, thumbnailOf(result.frame.picture, EventList::kPictureSize));
}

// Clips enter the record when they are whole, which nothing reports.
void EventsPanel::lookForKept() {
  awaited_.removeIf([](const Awaited& one) { return one.looks >= kMostLooks; });
  if (awaited_.isEmpty()) return looking_.stop();
  for (Awaited& one : awaited_) {
    ++one.looks;
    computeAside(
        this,
        [file = record_.toStdString(), event = one.event,
         source = recordedAs_.value(one.event.source).toStdString()] {
          try {
            return keptOf(event, monitor::RecordReader(file).snapshots(
                                     source, event.utcMs - kOwnNearMs, event.utcMs + kOwnNearMs));
          } catch (const std::exception&) {
            return EventList::Kept();  // the record's own fault is told elsewhere
          }
        },
        [this, event = one.event](const EventList::Kept& kept) {
          if (kept == EventList::Kept()) return;
          list_.keep(event, kept);
          if (event.isAlert() && kept.clip.isEmpty()) return;
          awaited_.removeIf([&](const Awaited& other) { return other.event.isSame(event); });
        });
  }
}

bool EventsPanel::showKept(const EventList::Entry& of) {
  if (of.kept == EventList::Kept()) return false;
  if (player_ == nullptr) player_ = new ClipPlayer(this);
  const QString time =
      QLocale().toString(QDateTime::fromMSecsSinceEpoch(of.utcMs), QLocale::ShortFormat);
  const QString title = tr("%1, %2").arg(of.isAlert() ? of.name : kindWord(of.kind), time);
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
  if (!showKept(entry)) showMoment(entry);
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
  menu->addAction(tr("Show in the p&lot"), this, [this, entry] { showMoment(entry); });
  menu->popup(view_->viewport()->mapToGlobal(at));
}

// Events of sources that are gone keep their names.
void EventsPanel::nameThem(const QList<Source>& sources) {
  for (const Source& source : sources) {
    names_[source.address] = source.name;
    recordedAs_[source.address] = source.recordedAs;
  }
  if (sources.size() == 1) names_.remove(sources[0].address);
  list_.setNames(names_);
}

}  // namespace mpm::gui
