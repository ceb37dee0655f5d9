// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gui/app/settings.h"
#include "monitor/rules/rules.h"

namespace mpm::gui {

/// What is watched: source, model, schedule, and the rules and zones of each source; with what the
/// settings remember of them. Knows no widget.
class Session : public QObject {
  Q_OBJECT

 public:
  explicit Session(Settings& settings) : settings_(settings) {
    connect(&live_, &Live::opened, this, &Session::opened);
    connect(&live_, &Live::failed, this, &Session::failed);
  }

  Live& live() { return live_; }
  const Live& live() const { return live_; }
  const Settings& settings() const { return settings_; }

  /// What the settings say.
  void open() {
    emit opening();
    live_.open(settings_.live);
  }

  /// In place of the source that is shown, with the rules and zones that are kept for it; refused
  /// where it is watched beside that one already.
  void openSource(const QString& address) {
    const auto shown = static_cast<qsizetype>(live_.shown());
    const QString replaced = coming_.isEmpty() ? settings_.live.source : coming_[shown];
    if (replaced.isNull()) return openBeside(address);
    const qsizetype beside = settings_.live.beside.indexOf(replaced);  // -1: the first
    try {
      refuseWatched(address, beside + 1);
      (beside < 0 ? settings_.live.source : settings_.live.beside[beside]) = address;
      if (!coming_.isEmpty()) coming_[shown] = address;
      open();
    } catch (const std::exception& fault) {
      complain(fault);
    }
  }

  /// Watched as well, beside the others; refused where it is already.
  void openBeside(const QString& address) {
    try {
      refuseWatched(address, -1);
      settings_.live.beside << address;
      settings_.watchedBefore.clear();
      open();
    } catch (const std::exception& fault) {
      complain(fault);
    }
  }
  /// `source`: of the engine's. Nothing where it was asked for already, and the last one stays.
  void closeSource(int source) {
    QStringList& beside = settings_.live.beside;
    if (beside.isEmpty() || coming_[source].isNull()) return;
    const QString address = std::exchange(coming_[source], QString());
    if (!beside.removeOne(address)) settings_.live.source = beside.takeFirst();
    open();
  }

  /// With the schedule that is usual, where it is not the one that runs.
  void openModel(const QString& path) {
    const LiveOptions& running = live_.options();
    settings_.live.schedule = path == running.model ? running.schedule : std::nullopt;
    settings_.live.model = path;
    open();
  }

  /// Which of the engine's sources strip, plots, views, zones and rules are of from now on.
  void show(int source) {
    if (!live_.engine() || static_cast<std::size_t>(source) == live_.shown()) return;
    live_.show(static_cast<std::size_t>(source));
    placed_.reset();
    emit shownChanged();
    emit zonesSet(shownZones());
  }

  /// The address of the source whose picture is shown, or will be the first.
  QString shownSource() const {
    return coming_.isEmpty() ? settings_.live.source : live_.shownAddress();
  }

  /// What that source is called in the record.
  QString recordedAs() const {
    const auto engine = live_.engine();
    return engine ? QString::fromStdString(engine->source(live_.shown()).name)
                  : nameInRecord(shownSource(), settings_.live.record);
  }

  /// What a source is called where people read it.
  QString nameOf(const QString& address) const {
    return spokenName(address, settings_.sourceNames);
  }
  /// The same of each source of the engine.
  QStringList names() const {
    QStringList names{nameOf(live_.options().source)};
    for (const QString& beside : live_.options().beside) names << nameOf(beside);
    return names;
  }
  /// Empty: by its address again.
  void nameSource(const QString& address, const QString& name) {
    const QString key = sourceName(address);
    settings_.sourceNames[key] = name;  // also where it is empty: the earlier key may have one
    if (name.isEmpty() && !settings_.sourceNames.contains(earlierSourceName(address)))
      settings_.sourceNames.remove(key);
    emit named();
  }

  /// Rules and zones of the source that is shown, as they are, or are to be when it is opened anew.
  monitor::RuleBook book() const {
    if (live_.books().empty()) return {};
    if (live_.isOpening() && !isLeaving()) return keptRules(shownSource(), settings_.live).book;
    return live_.books()[live_.shown()];
  }
  /// Why they cannot be changed now; empty: they can.
  QString whyRulesStay() const {
    if (isLeaving())
      return tr("Another source is being opened; rules and zones can be changed when it is there.");
    if (const QString fault = live_.bookFault(); !fault.isEmpty())
      return tr("To change rules and zones, mend or remove their file and open the source again: "
                "%1")
          .arg(fault);
    return {};
  }

  /// Acts on the loaded net, and holds where the same model is opened anew.
  void setSchedule(const QString& blocks) {
    const auto engine = live_.engine();
    if (!engine) return;
    const auto parsed = parseBlocks(blocks);
    try {
      if (!parsed)
        throw std::invalid_argument(
            tr("%1 is not a list of blocks; write 2,5 or none").arg(blocks).toStdString());
      live_.setSchedule(*parsed);
      if (settings_.live.model == live_.options().model) settings_.live.schedule = *parsed;
      emit said({}, false);
    } catch (const std::exception& fault) {
      complain(fault);
    }
    emit scheduleSet();
  }

  /// Says it where the net refused the schedule that was set: known some frames later.
  void tellRefusedSchedule() {
    const std::optional<Schedule> refused = live_.options().schedule;
    const QString fault = live_.takeScheduleFault();
    if (fault.isEmpty()) return;
    if (settings_.live.model == live_.options().model && settings_.live.schedule == refused)
      settings_.live.schedule = live_.options().schedule;
    emit said(fault, true);
    emit scheduleSet();
  }

  /// Where zones are shown that follow a moved camera.
  void showZonesOf(const monitor::FrameResult& result) {
    if (result.placed == placed_) return;
    placed_ = result.placed;
    emit zonesSet(shownZones());
  }

  /// As LiveOptions has it; the model is read anew in it.
  void setPrecision(const QString& precision) {
    settings_.live.precision = precision;
    open();
  }

  /// Acts on the engine that runs, and on those that follow.
  void setMemory(bool memory) {
    settings_.memory = settings_.live.memory = memory;
    live_.setMemory(memory);
  }

  /// The same of the pictures that the record keeps.
  void setPicturesPerHour(int perHour) {
    settings_.live.picturesPerHour = perHour;
    live_.setPicturesPerHour(perHour);
  }

  /// Rules and zones from now on, written to their file. Where zones stay, nothing begins anew.
  void setBook(const monitor::RuleBook& book) {
    if (rulesStay()) return;
    const QString file = rulesFileOf(shownSource(), settings_.live);
    const bool isOfOthers = !settings_.live.rules.isEmpty() && live_.books().size() > 1;
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

  /// The same for zones alone; refused where a rule looks at one that would be gone.
  void changeZones(const std::vector<monitor::Zone>& zones) {
    if (rulesStay()) return;
    monitor::RuleBook book = this->book();
    for (const monitor::Rule& rule : book.rules) {
      if (!monitor::zoneFaultOf(rule, zones)) continue;
      emit zonesSet(shownZones());
      emit said(
          tr("The zone stays, because the rule %1 looks at it. View, Rules and zones changes both.")
              .arg(QString::fromStdString(rule.name)),
          true);
      return;
    }
    book.zones = zones;
    if (placed_) book.ground = placed_->ground;  // both are of the view that is shown
    setBook(book);
  }

 signals:
  void shownChanged();  ///< another source of the same engine
  void named();         ///< a source
  void opening();       ///< the engine is to end: whoever keeps it busy stops
  void scheduleSet();
  void zonesSet(const std::vector<mpm::monitor::Zone>& zones);  ///< or back to what they were
  /// Also by menus; empty: nothing any more.
  void said(const QString& sentence, bool bad);

 private:
  void opened() {
    goOnAsItRuns();
    if (!std::exchange(began_, true)) showRemembered();
    for (const QString& beside : settings_.live.beside)
      settings_.recentSources = withRecentSource(settings_.recentSources, beside);
    settings_.recentSources = withRecentSource(settings_.recentSources, settings_.live.source);
    settings_.recentModels = withRecent(settings_.recentModels, settings_.live.model);
    placed_.reset();
    emit zonesSet(shownZones());
  }

  // Before anybody else hears of the engine.
  void showRemembered() {
    for (qsizetype i = 0; i < coming_.size(); ++i)
      if (sourceName(coming_[i]) == settings_.shownSource) live_.show(static_cast<std::size_t>(i));
  }

  void failed(const QString& sentence) {
    if (live_.engine() && !live_.isOpening()) goOnAsItRuns();
    emit zonesSet(shownZones());
    emit said(sentence, true);
  }

  void goOnAsItRuns() {
    settings_.live = live_.options();
    coming_ = QStringList{settings_.live.source} + settings_.live.beside;
  }

  // Where another source than the one at `place` is of that name.
  void refuseWatched(const QString& address, qsizetype place) const {
    const QStringList watched = QStringList{settings_.live.source} + settings_.live.beside;
    for (qsizetype i = 0; i < watched.size(); ++i) {
      if (i != place && sourceName(watched[i]) == sourceName(address))
        throw std::invalid_argument(tr("It is already being watched.").toStdString());
    }
  }

  // Whether the source that is shown is about to go. Its picture is still seen.
  bool isLeaving() const {
    const auto shown = static_cast<qsizetype>(live_.shown());
    return live_.isOpening() && !coming_.isEmpty() && coming_[shown] != live_.shownAddress();
  }

  // Says why, and brings back the zones that were there.
  bool rulesStay() {
    const QString why = whyRulesStay();
    if (why.isEmpty()) return false;
    emit zonesSet(shownZones());
    emit said(why, true);
    return true;
  }

  std::vector<monitor::Zone> shownZones() const { return placed_ ? placed_->zones : book().zones; }

  void complain(const std::exception& fault) { emit said(QString::fromUtf8(fault.what()), true); }

  Settings& settings_;
  bool began_ = false;  // with an engine
  // What each source of the engine that runs is to be in the next one; null: no longer watched.
  QStringList coming_;
  std::shared_ptr<const monitor::RuleBook> placed_;  // where zones follow a moved camera
  Live live_;
};

}  // namespace mpm::gui
