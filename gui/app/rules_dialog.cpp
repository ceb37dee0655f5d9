// SPDX-License-Identifier: Apache-2.0
#include "gui/app/rules_dialog.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "gui/app/wording.h"
#include "gui/plot/colours.h"
#include "gui/room_on_screen.h"
#include "gui/unbroken.h"
#include "monitor/rules/rules.h"
#include "monitor/statistics/metrics.h"

namespace mpm::gui {

namespace {
constexpr int kReadEveryMs = 500;

// Nothing is known of zones that were not measured then.
monitor::Hindsight hindsightIn(const RulePast& past, std::int64_t silentMs,
                               const monitor::Rule& rule) {
  if (!rule.metric.empty() && !past.metrics.find(rule.metric)) return {};
  return monitor::hindsightOf(rule, past.metrics, past.runs, silentMs);
}
}  // namespace

RulesDialog::RulesDialog(monitor::RuleBook book, const std::vector<std::string>& metrics,
                         QWidget* parent)
    : QDialog(parent),
      book_(std::move(book)),
      before_(book_),
      rules_(new QListWidget),
      zones_(new QListWidget),
      form_(new RuleForm),
      told_(new QLabel),
      sentence_(new QLabel) {
  setWindowTitle(tr("Rules and zones"));
  for (const std::string& name : metrics) {
    monitor::MetricName metric = monitor::MetricName::parse(name);
    if (metric.zone.empty()) plainMetrics_.push_back(std::move(metric));
  }
  ask_ = [this](const QString& question) {
    return QMessageBox::question(this, windowTitle(), question) == QMessageBox::Yes;
  };
  auto* pages = new QTabWidget;
  pages->addTab(makeRulesPage(), tr("&Rules"));
  pages->addTab(makeZonesPage(), tr("&Zones"));
  pages->setAccessibleName(tr("Rules and zones"));
  told_->setWordWrap(true);
  told_->setTextFormat(Qt::PlainText);
  told_->setMinimumHeight(fontMetrics().height() * 2);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel);
  save_ = buttons->button(QDialogButtonBox::Save);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(pages, 1);
  layout->addWidget(told_);
  layout->addWidget(buttons);
  resizeOnScreen(this, {860, 560});
  reading_.setInterval(kReadEveryMs);
  connect(&reading_, &QTimer::timeout, this, &RulesDialog::readRule);
  reading_.start();
  tellMetrics();
  for (const monitor::Rule& rule : book_.rules) rules_->addItem(QString::fromStdString(rule.name));
  listZones();
  rules_->setCurrentRow(0);
  showRule(rules_->currentRow());
  check();
}

QWidget* RulesDialog::makeRulesPage() {
  rules_->setAccessibleName(tr("Rules"));
  auto* add = new QPushButton(tr("&Add"));
  removeRule_ = new QPushButton(tr("R&emove"));
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(add);
  buttons->addWidget(removeRule_);
  auto* left = new QVBoxLayout;
  left->addWidget(rules_, 1);
  left->addLayout(buttons);
  auto* scrolled = new QScrollArea;
  scrolled->setWidget(form_);
  scrolled->setWidgetResizable(true);
  scrolled->setFrameShape(QFrame::NoFrame);
  scrolled->setFocusPolicy(Qt::NoFocus);
  for (QWidget* widget : {scrolled->viewport(), static_cast<QWidget*>(form_)}) {
    widget->setAutoFillBackground(false);  // what is behind it is the page's
  }
  sentence_->setWordWrap(true);
  sentence_->setTextFormat(Qt::PlainText);
  sentence_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  sentence_->setMinimumHeight(fontMetrics().lineSpacing() * 4);  // which most rules need
  sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  sentence_->setAccessibleName(tr("The rule in words"));
  auto* right = new QVBoxLayout;
  right->addWidget(sentence_);
  right->addWidget(scrolled, 1);
  auto* page = new QWidget;
  auto* layout = new QHBoxLayout(page);
  layout->addLayout(left, 2);
  layout->addLayout(right, 5);
  connect(add, &QPushButton::clicked, this, &RulesDialog::addRule);
  connect(removeRule_, &QPushButton::clicked, this, &RulesDialog::removeRule);
  connect(rules_, &QListWidget::currentRowChanged, this, &RulesDialog::showRule);
  connect(form_, &RuleForm::changed, this, &RulesDialog::takeRule);
  return page;
}

void RulesDialog::setValues(std::function<std::optional<double>(const std::string&)> values) {
  values_ = std::move(values);
  readRule();
}

void RulesDialog::setPast(RulePast past, std::int64_t silentMs) {
  past_ = std::move(past);
  silentMs_ = silentMs;
  check();
}

void RulesDialog::readRule() {
  if (shown_ < 0)
    return sentence_->setText(book_.rules.empty() ? tr("There is no rule yet; Add creates one.")
                                                  : QString());
  const monitor::Rule& rule = book_.rules[static_cast<std::size_t>(shown_)];
  QStringList sentences{ruleSentence(rule)};
  if (values_) sentences << valueSentence(rule, values_(rule.metric));
  sentences << hindsight_;
  sentences.removeAll(QString());
  sentence_->setText(sentences.isEmpty()
                         ? tr("Once it is complete, the rule stands here as a sentence.")
                         : breakable(unbroken(sentences.join(QLatin1Char(' ')))));
}

void RulesDialog::reject() {
  if (book_ == before_) return QDialog::reject();
  QMessageBox box(QMessageBox::Question, windowTitle(),
                  tr("Rules or zones were changed. Save the changes?"),
                  QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
  box.button(QMessageBox::Save)->setEnabled(save_->isEnabled());
  box.setDefaultButton(save_->isEnabled() ? QMessageBox::Save : QMessageBox::Cancel);
  const int answer = box.exec();
  if (answer == QMessageBox::Save) return accept();
  if (answer == QMessageBox::Discard) QDialog::reject();
}

void RulesDialog::addRule() {
  QStringList names;
  for (const monitor::Rule& rule : book_.rules) names << QString::fromStdString(rule.name);
  QString name;
  for (int number = 1; name.isEmpty() || names.contains(name); ++number) {
    name = tr("rule %1").arg(number);
  }
  monitor::Rule rule;
  rule.name = name.toStdString();
  book_.rules.push_back(rule);
  rules_->addItem(name);
  rules_->setCurrentRow(rules_->count() - 1);
  form_->setFocus();
  check();
}

void RulesDialog::removeRule() {
  const int row = rules_->currentRow();
  if (row < 0 || !ask_(tr("Remove the rule %1?").arg(rules_->item(row)->text()))) return;
  book_.rules.erase(book_.rules.begin() + row);
  {
    const QSignalBlocker quiet(rules_);
    delete rules_->takeItem(row);
  }
  shown_ = kNothing;
  showRule(rules_->currentRow());
  check();
}

// What a field does not understand would be lost: it is mended before another rule is shown.
void RulesDialog::showRule(int row) {
  if (row == shown_) return;
  if (shown_ >= 0 && row >= 0 && form_->fieldFault()) {
    const QSignalBlocker quiet(rules_);
    rules_->setCurrentRow(shown_);
    return;
  }
  shown_ = row;
  form_->setEnabled(row >= 0);
  removeRule_->setEnabled(row >= 0);
  form_->setRule(row >= 0 ? book_.rules[static_cast<std::size_t>(row)] : monitor::Rule());
  check();
}

void RulesDialog::takeRule() {
  if (shown_ < 0) return;
  monitor::Rule& rule = book_.rules[static_cast<std::size_t>(shown_)];
  rule = form_->rule();
  rules_->item(shown_)->setText(QString::fromStdString(rule.name));
  check();
}

// As the engine has them with these zones.
std::vector<std::string> RulesDialog::metricNames() const {
  using Kind = monitor::MetricKind;
  std::vector<std::string> names;
  for (const monitor::MetricName& name : plainMetrics_) names.push_back(name.text());
  for (const monitor::Zone& zone : book_.zones) {
    for (monitor::MetricName name : plainMetrics_) {
      const bool isOfZones = name.kind == Kind::area || name.kind == Kind::gcc ||
                             (name.kind == Kind::squareMetres && zone.onGround);
      if (!isOfZones) continue;
      name.zone = monitor::metricPart(zone.name);
      names.push_back(name.text());
    }
  }
  return names;
}

void RulesDialog::tellMetrics() {
  QStringList names;
  for (const std::string& name : metricNames()) names << QString::fromStdString(name);
  form_->setMetrics(names);
}

std::optional<monitor::RuleFault> RulesDialog::faultOfRule(std::size_t index) const {
  const monitor::Rule& rule = book_.rules[index];
  if (static_cast<int>(index) == shown_) {
    if (auto fault = form_->fieldFault()) return fault;
  }
  if (auto fault = monitor::faultOf(rule)) return fault;
  for (std::size_t other = 0; other < index; ++other) {
    if (book_.rules[other].name == rule.name) {
      return monitor::RuleFault{"name", tr("Another rule has this name.").toStdString()};
    }
  }
  if (auto fault = monitor::zoneFaultOf(rule, book_.zones)) return fault;
  return monitor::metricFaultOf(rule, monitor::Metrics(metricNames()));
}

void RulesDialog::check() {
  QStringList wrong;
  for (std::size_t i = 0; i < book_.rules.size(); ++i) {
    const auto fault = faultOfRule(i);
    QListWidgetItem* item = rules_->item(static_cast<int>(i));
    QFont font = item->font();
    font.setItalic(fault.has_value());
    item->setFont(font);
    item->setToolTip(fault ? QString::fromStdString(fault->sentence) : QString());
    if (fault) wrong << item->text();
    if (static_cast<int>(i) != shown_) continue;
    form_->showFault(fault);
    hindsight_ = fault || !past_
                     ? QString()
                     : hindsightSentence(hindsightIn(*past_, silentMs_, book_.rules[i]));
  }
  readRule();
  if (save_ != nullptr) save_->setEnabled(wrong.isEmpty());
  tell(wrong.isEmpty() ? QString()
                       : tr("It cannot be saved yet: %1.").arg(wrong.join(QStringLiteral(", "))));
}

void RulesDialog::tell(const QString& sentence) {
  told_->setPalette(faultPalette(palette()));
  told_->setText(breakable(sentence));
}

QWidget* RulesDialog::makeZonesPage() {
  zones_->setAccessibleName(tr("Zones"));
  zones_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
  renameZone_ = new QPushButton(tr("Re&name"));
  removeZone_ = new QPushButton(tr("R&emove"));
  auto* hint = new QLabel(tr("Zones are drawn on the picture: View, Draw zones."));
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(renameZone_);
  buttons->addWidget(removeZone_);
  buttons->addWidget(hint, 1);
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->addWidget(zones_, 1);
  layout->addLayout(buttons);
  connect(renameZone_, &QPushButton::clicked, this, [this] {
    if (QListWidgetItem* item = zones_->currentItem()) zones_->editItem(item);
  });
  connect(removeZone_, &QPushButton::clicked, this, &RulesDialog::removeZone);
  connect(zones_, &QListWidget::itemChanged, this,
          [this](QListWidgetItem* item) { renameZone(zones_->row(item), item->text()); });
  return page;
}

void RulesDialog::listZones() {
  const QSignalBlocker quiet(zones_);
  const int row = zones_->currentRow();
  zones_->clear();
  for (const monitor::Zone& zone : book_.zones) {
    auto* item = new QListWidgetItem(QString::fromStdString(zone.name), zones_);
    item->setFlags(item->flags() | Qt::ItemIsEditable);
    item->setToolTip(tr("%n corners", nullptr, static_cast<int>(zone.corners.size())));
  }
  zones_->setCurrentRow(std::min(std::max(row, 0), zones_->count() - 1));
  renameZone_->setEnabled(zones_->count() > 0);
  removeZone_->setEnabled(zones_->count() > 0);
}

void RulesDialog::renameZone(int row, const QString& name) {
  std::vector<monitor::Zone> zones = book_.zones;
  monitor::Zone& zone = zones[static_cast<std::size_t>(row)];
  const std::string before = monitor::metricPart(zone.name);
  zone.name = name.trimmed().toStdString();
  try {
    monitor::checkZones(zones);
  } catch (const std::exception& fault) {
    listZones();
    tell(QString::fromUtf8(fault.what()));
    return;
  }
  for (monitor::Rule& rule : book_.rules) {
    monitor::MetricName metric = monitor::MetricName::parse(rule.metric);
    if (metric.zone != before) continue;
    metric.zone = monitor::metricPart(zone.name);
    rule.metric = metric.text();
  }
  book_.zones = std::move(zones);
  listZones();
  tellMetrics();
  if (shown_ >= 0) form_->setMetric(book_.rules[static_cast<std::size_t>(shown_)].metric);
  check();
}

QStringList RulesDialog::rulesOfZone(const monitor::Zone& zone) const {
  QStringList names;
  const std::string part = monitor::metricPart(zone.name);
  for (const monitor::Rule& rule : book_.rules) {
    if (monitor::MetricName::parse(rule.metric).zone == part)
      names << QString::fromStdString(rule.name);
  }
  return names;
}

void RulesDialog::removeZone() {
  const int row = zones_->currentRow();
  if (row < 0) return;
  const monitor::Zone& zone = book_.zones[static_cast<std::size_t>(row)];
  const QString name = QString::fromStdString(zone.name);
  const QStringList looking = rulesOfZone(zone);
  const QString question =
      looking.isEmpty()
          ? tr("Remove the zone %1?").arg(name)
          : tr("Remove the zone %1? These rules look at it and would have to be changed: %2.")
                .arg(name, looking.join(QStringLiteral(", ")));
  if (!ask_(question)) return;
  book_.zones.erase(book_.zones.begin() + row);
  listZones();
  tellMetrics();
  check();
}

}  // namespace mpm::gui
