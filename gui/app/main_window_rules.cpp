// SPDX-License-Identifier: Apache-2.0
// Rules and zones: where they are changed, kept, and how they come into force.
#include <exception>
#include <string>
#include <vector>

#include "gui/app/main_window.h"
#include "gui/app/rule_files.h"
#include "gui/app/rules_dialog.h"
#include "monitor/rules/rule_check.h"

namespace mpm::gui {

void MainWindow::bringBook() {
  if (!settings_.rules.isEmpty()) return;  // one file for all sources
  try {
    settings_.live.book = readBook(rulesFileOf(settings_.live.source));
  } catch (const std::exception& fault) {
    settings_.live.book = {};
    say(QString::fromUtf8(fault.what()), true);
  }
}

void MainWindow::editRules() {
  const auto engine = live_.engine();
  if (!engine) return say(tr("There is no source yet that rules could look at."), true);
  RulesDialog dialog(settings_.live.book, engine->metrics(0).names(), this);
  if (dialog.exec() == QDialog::Accepted) setBook(dialog.book());
}

void MainWindow::setBook(const monitor::RuleBook& book) {
  const QString file =
      settings_.rules.isEmpty() ? rulesFileOf(settings_.live.source) : settings_.rules;
  const bool goesOn = book.zones == settings_.live.book.zones && !live_.isOpening();
  try {
    if (goesOn) live_.setRules(book.rules);
  } catch (const std::exception& fault) {
    return say(QString::fromUtf8(fault.what()), true);
  }
  settings_.live.book = book;
  deck_->setZones(book.zones);
  if (!goesOn) reopen();  // areas of other zones are measured from now on
  try {
    writeBook(file, book);
    say(tr("Rules and zones are kept in %1.").arg(file));
  } catch (const std::exception& fault) {
    say(QString::fromUtf8(fault.what()), true);
  }
}

void MainWindow::changeZones(const std::vector<monitor::Zone>& zones) {
  for (const monitor::Rule& rule : settings_.live.book.rules) {
    const auto fault = monitor::zoneFaultOf(rule, zones);
    if (!fault) continue;
    deck_->setZones(settings_.live.book.zones);
    return say(tr("The zone stays: the rule %1 looks at it. View, Rules and zones changes both.")
                   .arg(QString::fromStdString(rule.name)),
               true);
  }
  monitor::RuleBook book = settings_.live.book;
  book.zones = zones;
  setBook(book);
}

}  // namespace mpm::gui
