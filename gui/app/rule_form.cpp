// SPDX-License-Identifier: Apache-2.0
#include "gui/app/rule_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QStringList>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "gui/app/sentence.h"
#include "gui/app/wording.h"
#include "gui/plot/colours.h"
#include "gui/unbroken.h"
#include "monitor/statistics/metrics.h"

namespace mpm::gui {

namespace {

using monitor::MetricKind;
using monitor::MetricName;

constexpr double kMostSeconds = 366 * 86400.0, kMostNumber = 1e15;
constexpr double kUsualShare = 0.02, kAnyFault = 0.5;
constexpr std::int64_t kUsualSilenceMs = 30'000;
constexpr const char* kCamera = "camera_faults";
// Entries of the first menu that are no class; a class's entry is its name in a metric.
constexpr const char *kSilence = "/silence", *kLight = "/light", *kCameraEntry = "/camera",
                     *kOther = "/other";
constexpr const char *kAbove = "above", *kBelow = "below", *kOutside = "outside";

// Further digits come from the arithmetic of percents, not from the rule.
double rounded(double number) { return QString::number(number, 'g', 12).toDouble(); }

std::string classMetric(const QString& part, const QString& zone) {
  MetricName name{MetricKind::area, zone.toStdString(), part.toStdString()};
  return name.text();
}

QString wordsOfPart(const std::string& part) {
  return QString::fromStdString(part).replace(QLatin1Char('_'), QLatin1Char(' '));
}

std::vector<std::size_t> placesOf(const std::vector<monitor::LightState>& states) {
  std::vector<std::size_t> places;
  for (const monitor::LightState state : states) places.push_back(static_cast<std::size_t>(state));
  return places;
}

std::vector<monitor::LightState> statesAt(const std::vector<std::size_t>& places) {
  std::vector<monitor::LightState> states;
  for (const std::size_t place : places) states.push_back(monitor::kAllLightStates[place]);
  return states;
}

ManyBox* lightBox(const QString& accessibleName, const QString& none) {
  QStringList entries;
  for (const monitor::LightState state : monitor::kAllLightStates) entries << lightTitle(state);
  return new ManyBox(accessibleName, entries, [none](const std::vector<std::size_t>& places) {
    return places.empty() ? none : lightWords(statesAt(places));
  });
}

}  // namespace

RuleForm::RuleForm(QWidget* parent)
    : QWidget(parent),
      sentence_(new Sentence),
      back_(new Sentence),
      during_(new Sentence),
      quiet_(new Sentence),
      also_(new Sentence),
      run_(new Sentence),
      subject_(new WordBox(tr("What it looks at"))),
      metric_(new WordBox(tr("Metric"))),
      comparison_(new WordBox(tr("More or less"))),
      place_(new WordBox(tr("Where"))),
      level_(new NumberBox(tr("How much"), -kMostNumber, kMostNumber)),
      upTo_(new NumberBox(tr("Up to how much"), -kMostNumber, kMostNumber)),
      dwell_(new NumberBox(tr("For how long"), 0, kMostSeconds)),
      hysteresis_(new NumberBox(tr("Back by how much"), 0, kMostNumber)),
      quietFor_(new NumberBox(tr("How long after the light changes"), 0, kMostSeconds)),
      light_(lightBox(tr("Which light"), {})),
      only_(lightBox(tr("Only in which light"), tr("anything"))),
      notify_(new QCheckBox(tr("notify"))),
      clip_(new QCheckBox(tr("keep a clip"))),
      snapshot_(new QCheckBox(tr("keep a snapshot"))),
      publish_(new QCheckBox(tr("publish"))),
      command_(new QPlainTextEdit),
      more_(new QPushButton(tr("&More"))),
      behindMore_(new QWidget),
      fault_(new QLabel),
      extras_(new QLabel) {
  comparison_->addItem(tr("more than"), kAbove);
  comparison_->addItem(tr("less than"), kBelow);
  comparison_->addItem(tr("outside of"), kOutside);
  light_->setAtLeastOne();
  for (NumberBox* box : {dwell_, quietFor_}) box->setSuffix(tr(" s"));
  notify_->setToolTip(tr("A message on the desktop, with a sound, when it begins"));
  publish_->setToolTip(tr("Included in what mpm watch publishes"));
  sentence_->addFields(
      {subject_, metric_, comparison_, level_, upTo_, place_, light_, dwell_, notify_, clip_});
  for (QLabel* label : {fault_, extras_}) {
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
  }
  fault_->hide();
  more_->setCheckable(true);
  auto* moreLine = new QHBoxLayout;
  moreLine->addWidget(more_, 0, Qt::AlignLeft | Qt::AlignTop);
  moreLine->addWidget(extras_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(sentence_);
  layout->addWidget(fault_);
  layout->addLayout(moreLine);
  layout->addWidget(behindMore_);
  addMore();
  connectFields();
  setFocusProxy(subject_);
  setRecorded(true);
  setRule({});
}

void RuleForm::addMore() {
  command_->setAccessibleName(tr("A program to run"));
  command_->setTabChangesFocus(true);
  command_->setFixedHeight(fontMetrics().lineSpacing() * 4 + 10);
  command_->setPlaceholderText(tr("A program, then each argument on a separate line"));
  command_->setToolTip(tr("{rule}, {source}, {value}, {time} and {state} in it are replaced."));
  back_->addFields({hysteresis_});
  back_->say(tr("It ends once the value is back by %1"), {hysteresis_});
  during_->addFields({only_});
  during_->say(tr("It holds only while the light is %1"), {only_});
  quiet_->addFields({quietFor_});
  quiet_->say(tr("It waits for %1 after the light has changed"), {quietFor_});
  also_->addFields({snapshot_, publish_});
  also_->say(tr("When it begins, also %1 %2"), {snapshot_, publish_});
  run_->say(tr("When it begins and ends, run"), {});
  auto* below = new QVBoxLayout(behindMore_);
  below->setContentsMargins(0, 0, 0, 0);
  for (QWidget* line : {static_cast<QWidget*>(also_), static_cast<QWidget*>(back_),
                        static_cast<QWidget*>(during_), static_cast<QWidget*>(quiet_),
                        static_cast<QWidget*>(run_), static_cast<QWidget*>(command_)})
    below->addWidget(line);
  behindMore_->hide();
}

void RuleForm::connectFields() {
  // Showing a choice does not make the user have chosen it.
  const auto told = [this](auto take) {
    return [this, take] {
      if (isShowing_) return;
      take();
      extras_->setText(breakable(unbroken(ruleExtras(rule_))));
      emit changed();
    };
  };
  connect(subject_, &QComboBox::currentIndexChanged, this, told([this] { takeSubject(); }));
  connect(metric_, &QComboBox::currentIndexChanged, this,
          told([this] { takeMetric(metric_->currentData().toString().toStdString()); }));
  connect(place_, &QComboBox::currentIndexChanged, this, told([this] {
            rule_.metric =
                classMetric(subject_->currentData().toString(), place_->currentData().toString());
          }));
  connect(comparison_, &QComboBox::currentIndexChanged, this, told([this] { takeComparison(); }));
  connect(level_, &QDoubleSpinBox::valueChanged, this,
          told([this] { takeLevel(rule_.below ? rule_.below : rule_.above, *level_); }));
  connect(upTo_, &QDoubleSpinBox::valueChanged, this,
          told([this] { takeLevel(rule_.above, *upTo_); }));
  connect(hysteresis_, &QDoubleSpinBox::valueChanged, this,
          told([this] { rule_.hysteresis = rounded(hysteresis_->value() / scale()); }));
  for (const auto& [box, ms] : {std::pair(dwell_, &monitor::Rule::dwellMs),
                                std::pair(quietFor_, &monitor::Rule::quietAfterLightMs)})
    connect(box, &QDoubleSpinBox::valueChanged, this,
            told([this, box = box, ms = ms] { rule_.*ms = std::llround(box->value() * 1000); }));
  light_->onChosen(told([this] { rule_.light = statesAt(light_->chosen()); }));
  only_->onChosen(told([this] { rule_.during = statesAt(only_->chosen()); }));
  for (const auto& [box, flag] :
       {std::pair(notify_, &monitor::Rule::notify), std::pair(clip_, &monitor::Rule::clip),
        std::pair(snapshot_, &monitor::Rule::snapshot),
        std::pair(publish_, &monitor::Rule::publish)})
    connect(box, &QCheckBox::toggled, this,
            told([this, box = box, flag = flag] { rule_.*flag = box->isChecked(); }));
  connect(command_, &QPlainTextEdit::textChanged, this, told([this] {
            rule_.command = commandBefore_;
            if (!command_->document()->isModified()) return;
            QStringList words = command_->toPlainText().split(QLatin1Char('\n'));
            while (!words.isEmpty() && words.back().isEmpty()) words.removeLast();
            rule_.command.clear();
            for (const QString& word : words) rule_.command.push_back(word.toStdString());
          }));
  connect(more_, &QPushButton::toggled, this, [this](bool open) {
    behindMore_->setVisible(open);
    extras_->setVisible(!open);
  });
}

RuleForm::Looks RuleForm::looksOf(const monitor::Rule& rule) {
  if (rule.stale) return Looks::silence;
  if (!rule.light.empty()) return Looks::light;
  if (MetricName::parse(rule.metric).kind == MetricKind::area) return Looks::share;
  const bool isAnyFault =
      rule.metric == kCamera && rule.above == kAnyFault && !rule.below && rule.hysteresis == 0;
  return isAnyFault ? Looks::camera : Looks::metric;
}

void RuleForm::setMetrics(const std::vector<std::string>& names,
                          const std::vector<monitor::Zone>& zones) {
  metrics_ = names;
  zones_ = zones;
  setRule(rule_);
}

void RuleForm::setRule(const monitor::Rule& rule) {
  rule_ = rule;
  listSubjects();
  show();
}

void RuleForm::setRecorded(bool recorded) {
  for (QCheckBox* box : {clip_, snapshot_}) {
    box->setEnabled(recorded);
    box->setToolTip(recorded ? QString() : tr("It is stored with a record, but there is none."));
  }
  if (recorded) clip_->setToolTip(tr("From 5 s before it begins to 10 s after"));
}

void RuleForm::showFault(const std::optional<monitor::RuleFault>& fault) {
  fault_->setVisible(fault.has_value());
  fault_->setPalette(faultPalette(palette()));
  fault_->setText(fault ? breakable(QString::fromStdString(fault->sentence)) : QString());
}

QString RuleForm::shownFault() const { return fault_->text(); }

double RuleForm::scale() const { return isShare(rule_.metric) ? 100 : 1; }

void RuleForm::listSubjects() {
  const QScopedValueRollback showing(isShowing_, true);
  subject_->clear();
  metric_->clear();
  for (const std::string& text : metrics_) {
    const MetricName name = MetricName::parse(text);
    if (name.kind == MetricKind::area) {
      if (name.zone.empty())
        subject_->addItem(wordsOfPart(name.part), QString::fromStdString(name.part));
    } else {
      metric_->addItem(metricWords(text), QString::fromStdString(text));
    }
  }
  if (subject_->count() > 0) subject_->insertSeparator(subject_->count());
  if (std::find(metrics_.begin(), metrics_.end(), kCamera) != metrics_.end())
    subject_->addItem(tr("the camera"), kCameraEntry);
  subject_->addItem(tr("no picture"), kSilence);
  subject_->addItem(tr("the light"), kLight);
  subject_->addItem(tr("Other:"), kOther);
  place_->clear();
  place_->addItem(tr("the picture"), QString());
  for (const monitor::Zone& zone : zones_)
    place_->addItem(QString::fromStdString(zone.name),
                    QString::fromStdString(monitor::metricPart(zone.name)));
}

void RuleForm::show() {
  const QScopedValueRollback showing(isShowing_, true);
  const MetricName name = MetricName::parse(rule_.metric);
  const QString part = QString::fromStdString(name.part), zone = QString::fromStdString(name.zone);
  switch (looksOf(rule_)) {
    case Looks::share:
      subject_->choose(part, wordsOfPart(name.part));
      place_->choose(zone, zone);
      break;
    case Looks::camera:
      subject_->choose(kCameraEntry, tr("the camera"));
      break;
    case Looks::silence:
      subject_->choose(kSilence, {});
      break;
    case Looks::light:
      subject_->choose(kLight, {});
      light_->setChosen(placesOf(rule_.light));
      break;
    case Looks::metric:
      subject_->choose(kOther, {});
      metric_->choose(QString::fromStdString(rule_.metric), metricWords(rule_.metric));
      break;
  }
  showLevels();
  dwell_->setValue(static_cast<double>(rule_.dwellMs) / 1000);
  quietFor_->setValue(static_cast<double>(rule_.quietAfterLightMs) / 1000);
  only_->setChosen(placesOf(rule_.during));
  notify_->setChecked(rule_.notify);
  clip_->setChecked(rule_.clip);
  snapshot_->setChecked(rule_.snapshot);
  publish_->setChecked(rule_.publish);
  QStringList words;
  for (const std::string& word : rule_.command) words << QString::fromStdString(word);
  commandBefore_ = rule_.command;
  command_->setPlainText(words.join(QLatin1Char('\n')));
  command_->document()->setModified(false);
  extras_->setText(breakable(unbroken(ruleExtras(rule_))));
  saySentences();
}

void RuleForm::showLevels() {
  const QString suffix = isShare(rule_.metric) ? percentText({}) : QString();
  for (NumberBox* box : {level_, upTo_, hysteresis_}) box->setSuffix(suffix);
  const QString which = !rule_.below ? kAbove : rule_.above ? kOutside : kBelow;
  comparison_->choose(which, {});
  level_->setValue(rounded((rule_.below ? rule_.below : rule_.above).value_or(0) * scale()));
  upTo_->setValue(rounded(rule_.above.value_or(0) * scale()));
  hysteresis_->setValue(rounded(rule_.hysteresis * scale()));
}

void RuleForm::saySentences() {
  const bool isRange = rule_.above && rule_.below;
  const Looks looks = looksOf(rule_);
  switch (looks) {
    case Looks::share:
      sentence_->say(isRange ? tr("When %1 covers %2 %3 to %4 of %5 for %6 then %7 %8")
                             : tr("When %1 covers %2 %3 of %5 for %6 then %7 %8"),
                     {subject_, comparison_, level_, upTo_, place_, dwell_, notify_, clip_});
      break;
    case Looks::camera:
      sentence_->say(
          tr("When %1 is moved, covered, blurred, frozen or badly exposed for %2 then %3 %4"),
          {subject_, dwell_, notify_, clip_});
      break;
    case Looks::silence:
      sentence_->say(tr("When %1 comes for %2 then %3 %4"), {subject_, dwell_, notify_, clip_});
      break;
    case Looks::light:
      sentence_->say(tr("When %1 is %2 for %3 then %4 %5"),
                     {subject_, light_, dwell_, notify_, clip_});
      break;
    case Looks::metric:
      sentence_->say(isRange ? tr("When %1 %2 is %3 %4 to %5 for %6 then %7 %8")
                             : tr("When %1 %2 is %3 %4 for %6 then %7 %8"),
                     {subject_, metric_, comparison_, level_, upTo_, dwell_, notify_, clip_});
      break;
  }
  const bool isOfMetric = !rule_.metric.empty();
  back_->setVisible(isOfMetric && looks != Looks::camera);
  during_->setVisible(isOfMetric);
  quiet_->setVisible(isOfMetric);
  QWidget* last = sentence_->tabAfter(nullptr);
  QWidget::setTabOrder(last, more_);
  last = more_;
  for (const Sentence* line : {also_, back_, during_, quiet_}) last = line->tabAfter(last);
  QWidget::setTabOrder(last, command_);
}

void RuleForm::takeSubject() {
  const QString subject = subject_->currentData().toString();
  const bool isClass = !subject.startsWith(QLatin1Char('/'));
  if (!isClass || looksOf(rule_) != Looks::share) {
    rule_.above.reset();
    rule_.below.reset();
    rule_.hysteresis = 0;
  }
  rule_.light.clear();
  rule_.stale = subject == kSilence;
  if (rule_.stale || subject == kLight) {
    rule_.metric.clear();
    rule_.during.clear();
    rule_.quietAfterLightMs = 0;
  }
  if (rule_.stale && rule_.dwellMs == 0) rule_.dwellMs = kUsualSilenceMs;
  if (subject == kLight) rule_.light = {monitor::LightState::night};
  if (subject == kCameraEntry) {
    rule_.metric = kCamera;
    rule_.above = kAnyFault;
  }
  if (isClass) {
    rule_.metric = classMetric(subject, place_->currentData().toString());
    if (!rule_.above && !rule_.below) rule_.above = kUsualShare;
  }
  if (subject == kOther) return takeMetric(metric_->currentData().toString().toStdString());
  show();
}

void RuleForm::takeMetric(const std::string& metric) {
  if (isShare(metric) != isShare(rule_.metric)) {
    rule_.above.reset();
    rule_.below.reset();
    rule_.hysteresis = 0;
  }
  rule_.metric = metric;
  if (!rule_.above && !rule_.below) rule_.above = 0.5;
  show();
}

void RuleForm::takeComparison() {
  const QString which = comparison_->currentData().toString();
  const double level = (rule_.below ? rule_.below : rule_.above).value_or(0);
  rule_.above.reset();
  rule_.below.reset();
  if (which != kAbove) rule_.below = level;
  if (which == kAbove) rule_.above = level;
  if (which == kOutside) rule_.above = level + (isShare(rule_.metric) ? 0.1 : 1);
  show();
}

void RuleForm::takeLevel(std::optional<double>& level, const NumberBox& box) {
  level = rounded(box.value() / scale());
}

}  // namespace mpm::gui
