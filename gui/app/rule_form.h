// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "monitor/rules/rules.h"

namespace mpm::gui {

/// One rule as fields. What is wrong stands below the field that it is about.
class RuleForm : public QWidget {
  Q_OBJECT

 public:
  explicit RuleForm(QWidget* parent = nullptr);

  void setMetrics(const QStringList& names);
  void setRule(const monitor::Rule& rule);  ///< tells nobody
  /// What the fields say; what they do not understand is a fault and left out.
  monitor::Rule rule() const;

  /// Of a number that is none; then other faults are not looked for.
  std::optional<monitor::RuleFault> fieldFault() const;
  /// Below its field; nothing: nowhere. `key`: of a rules file.
  void showFault(const std::optional<monitor::RuleFault>& fault);
  QString shownFault() const;

 signals:
  void changed();  ///< by the user

 private:
  enum class Looks { metric, light, stale };

  struct Field {
    QWidget* cell = nullptr;
    QLabel* fault = nullptr;
  };

  void addField(const QString& key, const QString& title, QWidget* editor);
  QWidget* statesBox(std::array<QCheckBox*, monitor::kLightStates>& boxes, const QString& name);
  void showLooks();
  Looks looks() const;
  void connectFields();

  QFormLayout* form_;
  QMap<QString, Field> fields_;  // by key
  QLineEdit *name_, *above_, *below_, *hysteresis_;
  QComboBox *looks_, *metric_;
  std::array<QCheckBox*, monitor::kLightStates> light_{}, during_{};
  QDoubleSpinBox *dwell_, *quiet_;
  QCheckBox *snapshot_, *publish_;
  QPlainTextEdit* command_;
  std::vector<std::string> commandBefore_;  // an argument of several lines cannot be typed
};

}  // namespace mpm::gui
