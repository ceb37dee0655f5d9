// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gui/app/rule_form.h"
#include "gui/app/rule_past.h"
#include "monitor/rules/rules.h"

namespace mpm::gui {

/// Rules and zones of one source, as lists to add to, change and remove from. Nothing acts before
/// it is saved, nothing that is wrong can be saved, and nothing is thrown away unasked. A rule
/// reads as sentences, too: what it looks at and does, what that is now, what it would have done.
class RulesDialog : public QDialog {
  Q_OBJECT

 public:
  /// `metrics`: the names of the engine that runs, with `book`'s zones.
  RulesDialog(monitor::RuleBook book, const std::vector<std::string>& metrics,
              QWidget* parent = nullptr);

  const monitor::RuleBook& book() const { return book_; }

  /// What a metric is now; nothing: not known. Asked several times a second.
  void setValues(std::function<std::optional<double>(const std::string& metric)> values);
  /// `silentMs`: as hindsightOf takes it.
  void setPast(RulePast past, std::int64_t silentMs = 0);
  void reject() override;

  RuleForm* form() const { return form_; }
  QListWidget* ruleList() const { return rules_; }
  QListWidget* zoneList() const { return zones_; }
  QPushButton* saveButton() const { return save_; }
  QString told() const { return told_->text(); }
  QString read() const { return sentence_->text(); }  ///< of the rule that is shown

  void addRule();
  void removeRule();  ///< the chosen one, after it was asked
  void removeZone();  ///< as above
  /// Instead of a box with Yes and No.
  void setAsking(std::function<bool(const QString& question)> ask) { ask_ = std::move(ask); }

 private:
  QWidget* makeRulesPage();
  QWidget* makeZonesPage();
  void showRule(int row);
  void takeRule();
  void listZones();
  void renameZone(int row, const QString& name);
  std::vector<std::string> metricNames() const;
  void tellMetrics();
  std::optional<monitor::RuleFault> faultOfRule(std::size_t index) const;
  QStringList rulesOfZone(const monitor::Zone& zone) const;
  void check();
  void tell(const QString& sentence);
  void readRule();

  monitor::RuleBook book_, before_;
  std::vector<monitor::MetricName> plainMetrics_;  // of the picture, not of zones
  QListWidget *rules_, *zones_;
  RuleForm* form_;
  QPushButton *save_ = nullptr, *removeRule_ = nullptr, *removeZone_ = nullptr,
              *renameZone_ = nullptr;
  QLabel *told_, *sentence_;
  std::function<std::optional<double>(const std::string&)> values_;
  std::optional<RulePast> past_;
  std::int64_t silentMs_ = 0;  // behind it
  QString hindsight_;          // of the rule that is shown
  QTimer reading_;
  static constexpr int kNothing = -2;  // in the form; -1 is a list without a choice
  int shown_ = kNothing;               // the rule in the form
  std::function<bool(const QString&)> ask_;
};

}  // namespace mpm::gui
