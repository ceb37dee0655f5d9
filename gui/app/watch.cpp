// SPDX-License-Identifier: Apache-2.0
#include "gui/app/watch.h"

#include <exception>
#include <stdexcept>
#include <string>

#include "gui/app/settings.h"
#include "monitor/rules/rules.h"

namespace mpm::gui {

Watch::Watch(Settings& settings) : settings_(settings) {
  connect(&live_, &Live::opened, this, &Watch::opened);
  connect(&live_, &Live::failed, this, &Watch::failed);
}

void Watch::open() {
  emit opening();
  live_.open(settings_.live);
}

void Watch::openSource(const QString& address) {
  settings_.live.source = address;
  bringBook();
  open();
}

void Watch::openModel(const QString& path) {
  settings_.live.model = path;
  settings_.live.schedule.reset();
  open();
}

void Watch::opened() {
  settings_.live = live_.options();
  settings_.recentSources = withRecentSource(settings_.recentSources, settings_.live.source);
  settings_.recentModels = withRecent(settings_.recentModels, settings_.live.model);
  emit zonesSet(settings_.live.book.zones);
}

void Watch::failed(const QString& sentence) {
  if (live_.engine()) settings_.live = live_.options();
  emit zonesSet(settings_.live.book.zones);
  emit said(sentence, true);
}

void Watch::complain(const std::exception& fault) {
  emit said(QString::fromUtf8(fault.what()), true);
}

void Watch::setSchedule(const QString& blocks) {
  const auto engine = live_.engine();
  if (!engine) return;
  const auto parsed = parseBlocks(blocks);
  try {
    if (!parsed)
      throw std::invalid_argument(
          tr("%1 is not a list of blocks; write 2,5 or none").arg(blocks).toStdString());
    engine->setSchedule(*parsed);
    settings_.live.schedule = *parsed;
    emit said({}, false);
  } catch (const std::exception& fault) {
    complain(fault);
  }
  emit scheduleSet();
}

void Watch::bringBook() {
  if (!settings_.rules.isEmpty()) return;  // one file for all sources
  try {
    settings_.live.book = readBook(rulesFileOf(settings_.live.source));
  } catch (const std::exception& fault) {
    settings_.live.book = {};
    complain(fault);
  }
}

void Watch::setBook(const monitor::RuleBook& book) {
  const QString file =
      settings_.rules.isEmpty() ? rulesFileOf(settings_.live.source) : settings_.rules;
  const bool goesOn = book.zones == settings_.live.book.zones && !live_.isOpening();
  try {
    if (goesOn) live_.setRules(book.rules);
  } catch (const std::exception& fault) {
    return complain(fault);
  }
  settings_.live.book = book;
  emit zonesSet(book.zones);
  if (!goesOn) open();  // areas of other zones are measured from now on
  try {
    writeBook(file, book);
    emit said(tr("Rules and zones are kept in %1.").arg(file), false);
  } catch (const std::exception& fault) {
    complain(fault);
  }
}

void Watch::changeZones(const std::vector<monitor::Zone>& zones) {
  monitor::RuleBook book = settings_.live.book;
  for (const monitor::Rule& rule : book.rules) {
    if (!monitor::zoneFaultOf(rule, zones)) continue;
    emit zonesSet(book.zones);
    emit said(tr("The zone stays: the rule %1 looks at it. View, Rules and zones changes both.")
                  .arg(QString::fromStdString(rule.name)),
              true);
    return;
  }
  book.zones = zones;
  setBook(book);
}

}  // namespace mpm::gui
