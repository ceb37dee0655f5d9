// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <QTimer>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gui/app/rule_form.h"
#include "gui/dialog.h"
#include "monitor/rules/rules.h"

class QListWidget;
class QString;

namespace mpm::gui {

class Session;

/// Edits rules and zones of the source that is shown, in a dialog above `window`.
void editRules(Session& session, QWidget* window);

/// Common rules to begin with.
enum class RuleTemplate {
  appears,  ///< a class covers more than a share of a zone
  gone,     ///< or less
  fails     ///< two rules: the camera shows nothing of use, or sends no picture
};

/// Edits the rules and zones of one source as lists. Nothing acts before it is saved, errors cannot
/// be saved, and closing asks before it discards changes. A rule is a sentence, with the current
/// value of its metric below.
class RulesDialog : public Dialog {
  Q_OBJECT

 public:
  /// `metrics` are the running engine's names with `book`'s zones.
  RulesDialog(monitor::RuleBook book, const std::vector<std::string>& metrics,
              QWidget* parent = nullptr);

  const monitor::RuleBook& book() const { return book_; }

  /// Sets how a metric's current value is read; std::nullopt: unknown. It is read several times a
  /// second.
  void setValues(std::function<std::optional<double>(const std::string& metric)> values);
  /// Sets whether a record, which keeps clips and snapshots, is written; initially true.
  void setRecorded(bool recorded) { form_->setRecorded(recorded); }
  void reject() override;

  RuleForm* form() const { return form_; }
  QListWidget* ruleList() const { return rules_; }
  QListWidget* zoneList() const { return zones_; }
  QPushButton* saveButton() const { return save_; }
  QString read() const;  ///< what is said of the rule that is shown

  void addRule(RuleTemplate which = RuleTemplate::appears);
  void removeRule();  ///< the chosen one, after it was asked
  void removeZone();  ///< as above
  /// Replaces the box with Yes and No.
  void setAsking(std::function<bool(const QString& question)> ask) { ask_ = std::move(ask); }

 private:
  QWidget* makeRulesPage();
  QWidget* makeZonesPage();
  void add(monitor::Rule rule, const QString& name);
  std::string classToWatch() const;
  void showRule(int row);
  void takeRule();
  void renameRule(int row, const QString& name);
  void listZones();
  void renameZone(int row, const QString& name);
  std::vector<std::string> metricNames() const;
  std::optional<monitor::RuleFault> faultOfRule(std::size_t index) const;
  QStringList rulesOfZone(const monitor::Zone& zone) const;
  void check();
  void readRule();

  monitor::RuleBook book_, before_;
  std::vector<monitor::MetricName> plainMetrics_;  // of the picture, not of zones
  QListWidget *rules_, *zones_;
  RuleForm* form_;
  QPushButton *save_, *removeRule_ = nullptr, *renameRule_ = nullptr, *removeZone_ = nullptr,
                      *renameZone_ = nullptr;
  QLabel* read_;
  std::function<std::optional<double>(const std::string&)> values_;
  QTimer reading_;
  int shown_ = -1;  // the rule in the form; -1: none
  std::function<bool(const QString&)> ask_;
};

}  // namespace mpm::gui
