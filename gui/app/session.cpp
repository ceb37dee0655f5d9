// SPDX-License-Identifier: Apache-2.0
#include "gui/app/session.h"

#include <QCoreApplication>
#include <QEvent>
#include <QFileInfo>
#include <QLocale>
#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "gui/app/wording.h"
#include "gui/why_not_merging.h"
#include "models/street/street_model.h"
#include "mpm/tune.h"

namespace mpm::gui {
namespace {

constexpr int kAroundMs = 250, kTellEveryMs = 1000;

// Returns what was chosen when any precision was allowed, and why; empty if it was asked for.
QString choiceOf(const Live& live) {
  if (live.options().precision != kAutoPrecision) return {};
  const Computing& computing = live.computing();
  if (computing.precisions.empty())
    return Session::tr("Computing in float32: no picture arrived to compare other precisions on.");
  const TunedPrecision* chosen = &computing.precisions[0];
  for (const TunedPrecision& one : computing.precisions) {
    if (one.precision == computing.precision.toStdString()) chosen = &one;
  }
  if (chosen->precision == "fp32")
    return Session::tr("Computing in float32: nothing faster gives the same labels.");
  const QLocale locale;
  return Session::tr(
             "Computing in %1: %2% of pixels are labelled as in float32, in %3% of its time.")
      .arg(precisionTitle(computing.precision),
           locale.toString(std::floor(chosen->agreement * 1000) / 10, 'f', 1),
           locale.toString(chosen->ratio * 100, 'f', 0));
}

}  // namespace

Session::Session(Settings& settings, monitor::Clock& clock)
    : settings_(settings), live_(nullptr, clock) {
  classes_.setHidden(settings_.hiddenClasses, settings_.soloClass);
  connect(&live_, &Live::opened, this, &Session::opened);
  connect(&live_, &Live::failed, this, &Session::failed);
  connect(&live_, &Live::happened, this, [this](int source, const monitor::Event& event) {
    emit happened(static_cast<std::size_t>(source), event);
  });
  connect(&live_, &Live::resultReady, this, &Session::takeNewest, Qt::QueuedConnection);
  connect(&around_, &QTimer::timeout, this, &Session::look);
  around_.start(kAroundMs);
}

monitor::FrameResultPtr Session::frame() const {
  return live_.shown() < newest_.size() ? newest_[live_.shown()] : nullptr;
}

void Session::open() { open({}); }

void Session::open(const QStringList& anew) {
  emit opening();
  live_.open(settings_.live, anew);
}

void Session::openSource(const QString& address, bool replay) {
  const auto shown = static_cast<qsizetype>(live_.shown());
  const QString replaced = coming_.isEmpty() ? settings_.live.source : coming_[shown];
  if (replaced.isNull()) return openBeside(address, replay);
  const qsizetype beside = settings_.live.beside.indexOf(replaced);  // -1: the first
  try {
    refuseWatched(address, beside + 1);
    (beside < 0 ? settings_.live.source : settings_.live.beside[beside]) = address;
    settings_.live.replay = replay;
    if (!coming_.isEmpty()) coming_[shown] = address;
    open({address});
  } catch (const std::exception& fault) {
    complain(fault);
  }
}

void Session::openBeside(const QString& address, bool replay) {
  try {
    refuseWatched(address, -1);
    settings_.live.beside << address;
    settings_.live.replay = replay;
    settings_.watchedBefore.clear();
    open();
  } catch (const std::exception& fault) {
    complain(fault);
  }
}

void Session::closeSource(int source) {
  QStringList& beside = settings_.live.beside;
  if (beside.isEmpty() || coming_[source].isNull()) return;
  const QString address = std::exchange(coming_[source], QString());
  if (!beside.removeOne(address)) settings_.live.source = beside.takeFirst();
  open();
}

void Session::openModel(const QString& path, For cameras) {
  LiveOptions& live = settings_.live;
  const QString shown = shownSource();
  const bool runs = path == live_.model();
  const std::optional<Schedule> schedule = live_.options().scheduleOf(shown);
  if (cameras == For::all || live.beside.isEmpty()) {
    live.model = path;
    live.schedule.reset();
    for (const QString& address : live.sources()) live.setModelOf(address, path);
  } else {
    live.setModelOf(shown, path);
  }
  if (runs && schedule) live.setScheduleOf(shown, *schedule);
  open();
}

void Session::openOwnModel(const QString& address, const QString& path) {
  settings_.live.setModelOf(address, path);
  open();
}

void Session::show(int source) {
  const auto place = static_cast<std::size_t>(source);
  if (!live_.engine(place) || place == live_.shown()) return;
  live_.show(place);
  shownEngine_ = live_.engine();
  readClasses();
  placed_.reset();
  tellAnew();
  emit shownChanged();
  emit zonesSet(shownZones());
  if (frame()) showFrame();
}

QString Session::shownSource() const {
  return coming_.isEmpty() ? settings_.live.source : live_.shownAddress();
}

QString Session::recordedAs() const {
  const auto engine = live_.engine();
  return engine ? QString::fromStdString(engine->source().name)
                : nameInRecord(shownSource(), settings_.live.record);
}

std::int64_t Session::nowUtcMs() const {
  const bool replays = live_.options().replay && frame();
  return replays ? frame()->frame.taken.utcMs : monitor::systemClock().now().utcMs;
}

QStringList Session::names() const {
  QStringList names;
  for (const QString& address : live_.options().sources()) names << nameOf(address);
  return names;
}

void Session::nameSource(const QString& address, const QString& name) {
  const QString key = sourceName(address);
  settings_.sourceNames[key] = name;  // also where it is empty: the earlier key may have one
  if (name.isEmpty() && !settings_.sourceNames.contains(earlierSourceName(address)))
    settings_.sourceNames.remove(key);
  emit named();
}

void Session::setPaused(bool paused) {
  paused_ = paused;
  hold();
  emit pausedChanged(paused);
}

// A source that is opened while paused shows a frame all the same.
void Session::hold() {
  live_.pause(paused_);
  for (std::size_t i = 0; paused_ && i < live_.sources(); ++i)
    if (const auto engine = live_.engine(i); engine && !engine->latest()) engine->step();
}

void Session::step() {
  if (const auto engine = live_.engine(); engine && paused_) engine->step();
}

monitor::RuleBook Session::book() const {
  if (live_.sources() == 0) return {};
  if (live_.isOpening() && !isLeaving()) return keptRules(shownSource(), settings_.live).book;
  return live_.book(live_.shown());
}

QString Session::whyRulesStay() const {
  if (isLeaving())
    return tr("Another source is being opened; rules and zones can be changed once it is open.");
  if (const QString fault = live_.bookFault(); !fault.isEmpty())
    return tr("To change rules and zones, correct or remove their file and open the source again: "
              "%1")
        .arg(fault);
  return {};
}

void Session::setSchedule(const QString& blocks) {
  const auto engine = live_.engine();
  if (!engine) return;
  const auto parsed = parseBlocks(blocks);
  try {
    if (!parsed)
      throw std::invalid_argument(
          tr("%1 is not a list of blocks; write 2,5 or none").arg(blocks).toStdString());
    live_.setSchedule(*parsed);
    keepSchedule();
    emit said({}, false);
  } catch (const std::exception& fault) {
    complain(fault);
  }
  emit scheduleSet();
}

// Remembers the schedules that run, for models that stay.
void Session::keepSchedule() {
  const LiveOptions& runs = live_.options();
  for (const QString& address : runs.sources()) {
    const auto schedule = runs.scheduleOf(address);
    if (schedule && settings_.live.modelOf(address) == runs.modelOf(address))
      settings_.live.setScheduleOf(address, *schedule);
  }
}

// Reports a schedule that the net refused, which is known some frames later.
void Session::tellRefusedSchedule() {
  const QString fault = live_.takeScheduleFault();
  if (fault.isEmpty()) return;
  keepSchedule();
  emit said(fault, true);
  emit scheduleSet();
}

// Zones follow a moved camera if they are shown there.
void Session::showZonesOf(const monitor::FrameResult& result) {
  if (result.placed == placed_) return;
  placed_ = result.placed;
  emit zonesSet(shownZones());
}

void Session::setPrecision(const QString& precision) {
  settings_.live.precision = precision;
  open();
}

void Session::setMemory(bool memory) {
  settings_.memory = settings_.live.memory = memory;
  live_.setMemory(memory);
}

void Session::setPicturesPerHour(int perHour) {
  settings_.live.picturesPerHour = perHour;
  live_.setPicturesPerHour(perHour);
}

void Session::setBook(const monitor::RuleBook& book) {
  if (rulesStay()) return;
  const QString file = rulesFileOf(shownSource(), settings_.live);
  const bool isOfOthers = !settings_.live.rules.isEmpty() && live_.sources() > 1;
  const bool goesOn =
      monitor::measuresAlike(book, this->book()) && !live_.isOpening() && !isOfOthers;
  try {
    if (goesOn) live_.setRules(book.rules);
    writeBook(file, book);  // where the next engine reads it
  } catch (const std::exception& fault) {
    emit zonesSet(shownZones());
    return complain(fault);
  }
  emit zonesSet(goesOn ? shownZones() : book.zones);
  if (!goesOn) open();  // areas of other zones are measured from now on
  emit said(tr("Rules and zones are kept in %1.").arg(file), false);
}

void Session::changeZones(const std::vector<monitor::Zone>& zones) {
  if (rulesStay()) return;
  monitor::RuleBook book = this->book();
  for (const monitor::Rule& rule : book.rules) {
    if (!monitor::zoneFaultOf(rule, zones)) continue;
    emit zonesSet(shownZones());
    emit said(tr("The zone stays because the rule %1 uses it. View, Rules and zones changes both.")
                  .arg(QString::fromStdString(rule.name)),
              true);
    return;
  }
  book.zones = zones;
  if (placed_) book.ground = placed_->ground;  // both are of the view that is shown
  setBook(book);
}

void Session::opened() {
  goOnAsItRuns();
  if (!std::exchange(began_, true)) {  // before anybody else hears of the engines
    for (qsizetype i = 0; i < coming_.size(); ++i)
      if (sourceName(coming_[i]) == settings_.shownSource) live_.show(static_cast<std::size_t>(i));
  }
  for (const QString& beside : settings_.live.beside)
    settings_.recentSources = withRecentSource(settings_.recentSources, beside);
  settings_.recentSources = withRecentSource(settings_.recentSources, settings_.live.source);
  for (const QString& address : coming_)
    settings_.recentModels = withRecent(settings_.recentModels, settings_.live.modelOf(address));
  settings_.recentModels = withRecent(settings_.recentModels, live_.model());
  newest_.assign(live_.sources(), nullptr);
  const bool isOther = live_.engine() != shownEngine_.lock();
  shownEngine_ = live_.engine();
  readClasses();
  if (isOther) {
    placed_.reset();
    tellAnew();
  }
  hold();
  emit began(live_.engines());
  if (isOther) emit shownChanged();
  emit zonesSet(shownZones());
  emit scheduleSet();
  tellOpened();
  takeNewest();  // of cameras that went on
}

void Session::readClasses() {
  const auto engine = live_.engine();
  classes_.setClasses(engine->classes(), engine->palette());
}

// Reports what the model cannot do, or what was chosen for it.
void Session::tellOpened() {
  const auto engine = live_.engine();
  const QString model = QFileInfo(live_.model()).fileName();
  if (engine->blocks() == 0) {
    emit said(
        tr("%1 runs, but cannot merge: %2.").arg(model, WhyNotMerging::words(engine->reason())),
        false);
  } else if (const QString fault = live_.computing().fault; !fault.isEmpty()) {
    emit said(tr("%1; using the processor.").arg(fault), false);
  } else if (settings_.live.memory && !engine->memoryFault().empty()) {
    emit said(tr("%1 runs without a scene memory: %2.")
                  .arg(model, QString::fromStdString(engine->memoryFault())),
              false);
  } else {
    emit said(choiceOf(live_), false);
  }
  QStringList faults = live_.ruleFaults();
  if (const QString gone = std::exchange(settings_.goneModel, {}); !gone.isEmpty())
    faults.prepend(tr("The model %1 is no longer there; the street model runs instead.").arg(gone));
  if (!faults.isEmpty()) emit said(faults.join(QStringLiteral("  •  ")), true);
}

void Session::failed(const QString& sentence) {
  if (live_.engine() && !live_.isOpening()) goOnAsItRuns();
  emit zonesSet(shownZones());
  emit said(sentence, true);
  if (live_.engine() || live_.isOpening()) return;
  newest_.clear();
  tellAnew();
  emit ended(sentence);
}

void Session::takeNewest() {
  showing_.start();
  if (!live_.engine()) return;
  for (std::size_t i = 0; i < newest_.size(); ++i) {
    const monitor::FrameResultPtr newest = live_.newest(i);
    if (!newest || newest == newest_[i]) continue;
    newest_[i] = newest;
    emit came(newest, live_.compared(i), i);
    if (i == live_.shown()) showFrame();
  }
}

void Session::showFrame() {
  const monitor::FrameResultPtr newest = frame();
  heat_.add(*newest);
  emit frameShown(newest);
  showZonesOf(*newest);
  // Painting, nearly all of it, is an event of this priority, and Qt keeps their order.
  static const auto kPainted = static_cast<QEvent::Type>(QEvent::registerEventType());
  QCoreApplication::postEvent(this, new QEvent(kPainted), Qt::LowEventPriority);
}

void Session::tellFrame() {
  if (frame() == told_ || (telling_.isValid() && telling_.elapsed() < kTellEveryMs)) return;
  told_ = frame();
  telling_.start();
  emit frameTold(told_);
}

void Session::tellAnew() {
  heat_.clear();
  told_.reset();
  telling_.invalidate();
}

void Session::customEvent(QEvent* /*event*/) {
  if (frame()) emit painted(frame(), static_cast<double>(showing_.nsecsElapsed()) / 1e6);
}

QString Session::stateOfAll() const {
  std::vector<Liveness> cameras;
  for (std::size_t i = 0; i < live_.sources(); ++i) {
    const auto engine = live_.engine(i);
    cameras.push_back(engine ? Liveness::of(*engine, live_.sources(), paused_)
                             : Liveness::between(nullptr, paused_));
  }
  return Liveness::ofAll(cameras);
}

void Session::look() {
  const auto engine = live_.engine();
  if (!engine && !live_.isOpening()) return;
  if (!engine) return emit looked(Liveness::between(frame(), paused_));
  tellRefusedSchedule();
  const bool isStreetElsewhere = live_.model() == QString::fromStdString(streetModel()) &&
                                 !live_.shownAddress().startsWith(QLatin1String("scene:"));
  scene_.look(*engine, live_.usualConfidence(), isStreetElsewhere);
  tellFrame();
  emit looked(Liveness::of(*engine, live_.sources(), paused_));
}

void Session::goOnAsItRuns() {
  settings_.live = live_.options();
  coming_ = settings_.live.sources();
}

// Refuses an address if another source than the one at `place` has its name.
void Session::refuseWatched(const QString& address, qsizetype place) const {
  const QStringList watched = settings_.live.sources();
  for (qsizetype i = 0; i < watched.size(); ++i) {
    if (i != place && sourceName(watched[i]) == sourceName(address))
      throw std::invalid_argument(tr("It is already being watched.").toStdString());
  }
}

// Tells whether the shown source is about to go, while its last frame is still visible.
bool Session::isLeaving() const {
  const auto shown = static_cast<qsizetype>(live_.shown());
  return live_.isOpening() && !coming_.isEmpty() && coming_[shown] != live_.shownAddress();
}

// Reports why rules stay, and restores the earlier zones; returns false if rules may change.
bool Session::rulesStay() {
  const QString why = whyRulesStay();
  if (why.isEmpty()) return false;
  emit zonesSet(shownZones());
  emit said(why, true);
  return true;
}

}  // namespace mpm::gui
