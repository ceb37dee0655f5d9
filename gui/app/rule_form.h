// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "gui/plot/colours.h"
#include "gui/unbroken.h"
#include "monitor/rules/rules.h"

namespace mpm::gui {

/// One rule as fields. What is wrong stands below the field that it is about.
class RuleForm : public QWidget {
  Q_OBJECT

 public:
  explicit RuleForm(QWidget* parent = nullptr)
      : QWidget(parent),
        form_(new QFormLayout(this)),
        name_(new QLineEdit),
        above_(new QLineEdit),
        below_(new QLineEdit),
        hysteresis_(new QLineEdit),
        looks_(new QComboBox),
        metric_(new QComboBox),
        dwell_(secondsBox()),
        quiet_(secondsBox()),
        snapshot_(new QCheckBox(tr("Keep a &snapshot"))),
        clip_(new QCheckBox(tr("Keep a &clip: 5 s before it to 10 s after"))),
        publish_(new QCheckBox(tr("&Publish it where mpm watch publishes"))),
        command_(new QPlainTextEdit) {
    looks_->addItems({tr("A metric"), tr("The light"), tr("That no frame comes")});
    metric_->setEditable(true);
    metric_->setInsertPolicy(QComboBox::NoInsert);
    for (QDoubleSpinBox* box : {dwell_, quiet_}) box->setSuffix(tr(" s"));
    command_->setTabChangesFocus(true);
    command_->setFixedHeight(fontMetrics().lineSpacing() * 5 + 10);
    command_->setPlaceholderText(tr("A program, then each of its arguments on a line of its own"));
    command_->setToolTip(tr("{rule}, {source}, {value}, {time} and {state} in it are replaced."));
    addField("name", tr("&Name"), name_);
    addField("looks", tr("&Looks at"), looks_);
    addField("metric", tr("&Metric"), metric_);
    addField("above", tr("&Above"), above_);
    addField("below", tr("&Below"), below_);
    addField("hysteresis", tr("&Hysteresis"), hysteresis_);
    addField("light", tr("Begins in this light"), statesBox(light_, tr("Begins in this light")));
    addField("dwell_s", tr("&Dwell"), dwell_);
    addField("quiet_after_light_s", tr("&Quiet after light changes"), quiet_);
    addField("during", tr("Only in this light"), statesBox(during_, tr("Only in this light")));
    addField("snapshot", tr("Besides the record"), snapshot_);
    addField("clip", QString(), clip_);
    addField("publish", QString(), publish_);
    addField("command", tr("&Run a program"), command_);
    connectFields();
    setRule({});
  }

  void setMetrics(const QStringList& names) {
    const QSignalBlocker quiet(metric_);
    const QString now = metric_->currentText();
    metric_->clear();
    metric_->addItems(names);
    metric_->setEditText(now);
  }

  /// What stands in the other fields stays, also what they do not understand. Tells nobody.
  void setMetric(const std::string& name) {
    const QSignalBlocker quiet(this);
    metric_->setEditText(QString::fromStdString(name));
  }

  /// Tells nobody.
  void setRule(const monitor::Rule& rule) {
    const QSignalBlocker quiet(this);
    const Looks looks = rule.stale            ? Looks::stale
                        : !rule.light.empty() ? Looks::light
                                              : Looks::metric;
    name_->setText(QString::fromStdString(rule.name));
    looks_->setCurrentIndex(static_cast<int>(looks));
    metric_->setEditText(QString::fromStdString(rule.metric));
    above_->setText(numberText(rule.above));
    below_->setText(numberText(rule.below));
    hysteresis_->setText(numberText(rule.hysteresis));
    setStates(light_, rule.light);
    setStates(during_, rule.during);
    dwell_->setValue(static_cast<double>(rule.dwellMs) / 1000);
    quiet_->setValue(static_cast<double>(rule.quietAfterLightMs) / 1000);
    snapshot_->setChecked(rule.snapshot);
    clip_->setChecked(rule.clip);
    publish_->setChecked(rule.publish);
    QStringList words;
    for (const std::string& word : rule.command) words << QString::fromStdString(word);
    command_->setPlainText(words.join(QLatin1Char('\n')));
    command_->document()->setModified(false);
    commandBefore_ = rule.command;
    showLooks();
    showFault(std::nullopt);
  }

  /// What the fields say; what they do not understand is a fault and left out.
  monitor::Rule rule() const {
    monitor::Rule rule;
    rule.name = name_->text().trimmed().toStdString();
    rule.dwellMs = msOf(*dwell_);
    rule.snapshot = snapshot_->isChecked();
    rule.clip = clip_->isChecked();
    rule.publish = publish_->isChecked();
    rule.stale = looks() == Looks::stale;
    if (looks() == Looks::light) rule.light = statesOf(light_);
    if (looks() == Looks::metric) {
      rule.metric = metric_->currentText().trimmed().toStdString();
      rule.above = numberOf(*above_);
      rule.below = numberOf(*below_);
      rule.hysteresis = numberOf(*hysteresis_).value_or(0);
      rule.quietAfterLightMs = msOf(*quiet_);
      rule.during = statesOf(during_);
    }
    if (!command_->document()->isModified()) {
      rule.command = commandBefore_;
      return rule;
    }
    QStringList words = command_->toPlainText().split(QLatin1Char('\n'));
    while (!words.isEmpty() && words.back().isEmpty()) words.removeLast();
    for (const QString& word : words) rule.command.push_back(word.toStdString());
    return rule;
  }

  /// Of a number that is none; then other faults are not looked for.
  std::optional<monitor::RuleFault> fieldFault() const {
    if (looks() == Looks::light && statesOf(light_).empty()) {
      return monitor::RuleFault{"light",
                                tr("Choose at least one state of the light.").toStdString()};
    }
    if (looks() != Looks::metric) return std::nullopt;
    if (metric_->currentText().trimmed().isEmpty()) {
      return monitor::RuleFault{"metric", tr("Choose what the rule looks at.").toStdString()};
    }
    for (const auto& [key, edit] : {std::pair("above", above_), std::pair("below", below_),
                                    std::pair("hysteresis", hysteresis_)}) {
      const QString text = edit->text().trimmed();
      if (text.isEmpty() || numberOf(*edit)) continue;
      return monitor::RuleFault{
          key, tr("%1 is not a number; write it as %2.").arg(text, numberText(0.25)).toStdString()};
    }
    return std::nullopt;
  }

  /// Below its field; nothing: nowhere. `key`: of a rules file.
  void showFault(const std::optional<monitor::RuleFault>& fault) {
    for (const Field& field : fields_) field.fault->setVisible(false);
    if (!fault) return;
    QString key = QString::fromStdString(fault->key);
    if (key == QLatin1String("stale")) key = QStringLiteral("dwell_s");
    const Field& field = fields_.contains(key) ? fields_[key] : fields_["name"];
    field.fault->setPalette(faultPalette(palette()));
    field.fault->setText(breakable(QString::fromStdString(fault->sentence)));
    field.fault->setVisible(true);
  }

  QString shownFault() const {
    for (const Field& field : fields_) {
      if (!field.fault->isHidden()) return field.fault->text();
    }
    return {};
  }

 signals:
  void changed();  ///< by the user

 private:
  static constexpr double kMostSeconds = 366 * 86400.0;
  static QString numberText(double number) { return QLocale().toString(number, 'g', 12); }
  static QString numberText(const std::optional<double>& number) {
    return number ? numberText(*number) : QString();
  }

  // In the user's spelling, or as it stands in files.
  static std::optional<double> numberOf(const QLineEdit& edit) {
    const QString text = edit.text().trimmed();
    bool good = false;
    double number = QLocale().toDouble(text, &good);
    if (!good) number = QLocale::c().toDouble(text, &good);
    return good && std::isfinite(number) ? std::optional(number) : std::nullopt;
  }

  // With as many decimals as the value has.
  class SecondsBox : public QDoubleSpinBox {
   public:
    QString textFromValue(double value) const override {
      return locale().toString(value, 'f', QLocale::FloatingPointShortest);
    }
  };

  static QDoubleSpinBox* secondsBox() {
    auto* box = new SecondsBox;
    box->setRange(0, kMostSeconds);
    box->setDecimals(3);
    box->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    return box;
  }

  static std::int64_t msOf(const QDoubleSpinBox& box) { return std::llround(box.value() * 1000); }
  static void setStates(const std::array<QCheckBox*, monitor::kLightStates>& boxes,
                        const std::vector<monitor::LightState>& states) {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const auto state = monitor::kAllLightStates[i];
      boxes[i]->setChecked(std::find(states.begin(), states.end(), state) != states.end());
    }
  }

  static std::vector<monitor::LightState> statesOf(
      const std::array<QCheckBox*, monitor::kLightStates>& boxes) {
    std::vector<monitor::LightState> states;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (boxes[i]->isChecked()) states.push_back(monitor::kAllLightStates[i]);
    }
    return states;
  }

  enum class Looks { metric, light, stale };

  struct Field {
    QWidget* cell = nullptr;
    QLabel* fault = nullptr;
  };

  void addField(const QString& key, const QString& title, QWidget* editor) {
    auto* fault = new QLabel;
    fault->setWordWrap(true);
    fault->setVisible(false);
    fault->setTextFormat(Qt::PlainText);
    auto* cell = new QWidget;
    auto* below = new QVBoxLayout(cell);
    below->setContentsMargins(0, 0, 0, 0);
    below->setSpacing(2);
    below->addWidget(editor);
    below->addWidget(fault);
    if (editor == command_) below->addStretch();  // it is the one that would grow
    auto* label = new QLabel(title);
    label->setBuddy(editor);
    if (editor->accessibleName().isEmpty()) {
      editor->setAccessibleName(QString(title).remove(QLatin1Char('&')));
    }
    form_->addRow(label, cell);
    fields_.insert(key, {cell, fault});
  }

  QWidget* statesBox(std::array<QCheckBox*, monitor::kLightStates>& boxes, const QString& name) {
    auto* box = new QWidget;
    box->setAccessibleName(name);
    auto* layout = new QGridLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      boxes[i] = new QCheckBox(lightTitle(monitor::kAllLightStates[i]));
      layout->addWidget(boxes[i], static_cast<int>(i) / 3, static_cast<int>(i) % 3);
    }
    return box;
  }

  // What the rule does not look at has no fields.
  void showLooks() {
    const auto show = [this](const QString& key, bool shown) {
      form_->setRowVisible(fields_[key].cell, shown);
    };
    for (const char* key :
         {"metric", "above", "below", "hysteresis", "quiet_after_light_s", "during"}) {
      show(key, looks() == Looks::metric);
    }
    show("light", looks() == Looks::light);
  }

  Looks looks() const { return static_cast<Looks>(looks_->currentIndex()); }
  void connectFields() {
    for (QLineEdit* edit : {name_, above_, below_, hysteresis_}) {
      connect(edit, &QLineEdit::textEdited, this, &RuleForm::changed);
    }
    connect(looks_, &QComboBox::currentIndexChanged, this, [this] {
      showLooks();
      emit changed();
    });
    connect(metric_, &QComboBox::currentTextChanged, this, &RuleForm::changed);
    for (QDoubleSpinBox* box : {dwell_, quiet_}) {
      connect(box, &QDoubleSpinBox::valueChanged, this, &RuleForm::changed);
    }
    for (const auto* boxes : {&light_, &during_}) {
      for (QCheckBox* box : *boxes) connect(box, &QCheckBox::toggled, this, &RuleForm::changed);
    }
    for (QCheckBox* box : {snapshot_, clip_, publish_}) {
      connect(box, &QCheckBox::toggled, this, &RuleForm::changed);
    }
    connect(command_, &QPlainTextEdit::textChanged, this, &RuleForm::changed);
  }

  QFormLayout* form_;
  QMap<QString, Field> fields_;  // by key
  QLineEdit *name_, *above_, *below_, *hysteresis_;
  QComboBox *looks_, *metric_;
  std::array<QCheckBox*, monitor::kLightStates> light_{}, during_{};
  QDoubleSpinBox *dwell_, *quiet_;
  QCheckBox *snapshot_, *clip_, *publish_;
  QPlainTextEdit* command_;
  std::vector<std::string> commandBefore_;  // an argument of several lines cannot be typed
};

}  // namespace mpm::gui
