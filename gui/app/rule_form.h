// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <optional>
#include <string>
#include <vector>

#include "monitor/rules/rules.h"
#include "monitor/statistics/zones.h"

class QCheckBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace mpm::gui {

class ManyBox;
class NumberBox;
class Sentence;
class WordBox;

/// Shows one rule as a sentence with fields in it, and under *More* rarely needed fields. A field
/// that the user does not touch keeps its value in the rule.
class RuleForm : public QWidget {
  Q_OBJECT

 public:
  explicit RuleForm(QWidget* parent = nullptr);

  /// Sets what a rule may look at. Like the functions below, it emits no signal.
  void setMetrics(const std::vector<std::string>& names, const std::vector<monitor::Zone>& zones);
  void setRule(const monitor::Rule& rule);
  const monitor::Rule& rule() const { return rule_; }
  /// Offers clips and snapshots only with a record, which keeps them.
  void setRecorded(bool recorded);

  /// Shows the error below the sentence; std::nullopt: the rule is right.
  void showFault(const std::optional<monitor::RuleFault>& fault);
  QString shownFault() const;

 signals:
  void changed();  ///< by the user

 private:
  /// Kinds of what a rule looks at; each has a separate sentence.
  enum class Looks { share, camera, silence, light, metric };
  static Looks looksOf(const monitor::Rule& rule);

  void addMore();
  void connectFields();
  void listSubjects();
  void show();  // the whole rule
  void showLevels();
  void saySentences();
  void takeSubject();
  void takeMetric(const std::string& metric);
  void takeComparison();
  void takeLevel(std::optional<double>& level, const NumberBox& box);
  double scale() const;  // from a level to what its box shows

  monitor::Rule rule_;
  bool isShowing_ = false;  // so what changes in the fields is not the user's doing
  std::vector<std::string> metrics_;
  std::vector<monitor::Zone> zones_;
  Sentence *sentence_, *back_, *during_, *quiet_, *also_, *run_;
  WordBox *subject_, *metric_, *comparison_, *place_;
  NumberBox *level_, *upTo_, *dwell_, *hysteresis_, *quietFor_;
  ManyBox *light_, *only_;
  QCheckBox *notify_, *clip_, *snapshot_, *publish_;
  QPlainTextEdit* command_;
  QPushButton* more_;
  QWidget* behindMore_;
  QLabel *fault_, *extras_;
  std::vector<std::string> commandBefore_;  // an argument of several lines cannot be typed
};

}  // namespace mpm::gui
