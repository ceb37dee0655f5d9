// SPDX-License-Identifier: Apache-2.0
#include "gui/app/rules_dialog.h"

#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QTabWidget>
#include <algorithm>
#include <cstddef>
#include <exception>
#include <utility>

#include "gui/app/session.h"
#include "gui/app/wording.h"
#include "gui/teach/teach_panels.h"
#include "monitor/statistics/metrics.h"

namespace mpm::gui {
namespace {

constexpr int kReadEveryMs = 500;

QListWidget* listToRename(const QString& accessibleName) {
  auto* list = new QListWidget;
  list->setAccessibleName(accessibleName);
  list->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
  return list;
}

void addToRename(QListWidget* list, const std::string& name) {
  auto* item = new QListWidgetItem(QString::fromStdString(name), list);
  item->setFlags(item->flags() | Qt::ItemIsEditable);
}

}  // namespace

void editRules(Session& session, QWidget* window) {
  const auto engine = session.live().engine();
  if (!engine)
    return emit session.said(RulesDialog::tr("There is no source yet for rules to watch."), true);
  if (const QString why = session.whyRulesStay(); !why.isEmpty())
    return emit session.said(why, true);
  RulesDialog dialog(session.book(), engine->metrics().names(), window);
  dialog.setRecorded(!session.live().options().record.isEmpty());
  dialog.setValues([weak = std::weak_ptr(engine)](const std::string& metric) {
    const auto living = weak.lock();
    const auto newest = living ? living->latest() : nullptr;
    const auto place = newest ? living->metrics().find(metric) : std::nullopt;
    return place ? std::optional(newest->known.values[*place]) : std::nullopt;
  });
  if (dialog.exec() == QDialog::Accepted) session.setBook(dialog.book());
}

RulesDialog::RulesDialog(monitor::RuleBook book, const std::vector<std::string>& metrics,
                         QWidget* parent)
    : Dialog(tr("Rules and zones"), QDialogButtonBox::Save | QDialogButtonBox::Cancel, parent),
      book_(std::move(book)),
      before_(book_),
      rules_(listToRename(tr("Rules"))),
      zones_(listToRename(tr("Zones"))),
      form_(new RuleForm),
      save_(buttons()->button(QDialogButtonBox::Save)),
      read_(plainLabel(tr("Current value"))) {
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
  auto* content = new QVBoxLayout;
  content->addWidget(pages);
  layOut(content, {860, 560});
  reading_.setInterval(kReadEveryMs);
  connect(&reading_, &QTimer::timeout, this, &RulesDialog::readRule);
  reading_.start();
  {
    const QSignalBlocker quiet(rules_);
    for (const monitor::Rule& rule : book_.rules) addToRename(rules_, rule.name);
    rules_->setCurrentRow(0);
  }
  listZones();
  showRule(rules_->currentRow());
}

QString RulesDialog::read() const { return read_->text(); }

QWidget* RulesDialog::makeRulesPage() {
  auto* add = new QPushButton(tr("&Add"));
  auto* templates = new QMenu(add);
  for (const auto& [title, which] : {std::pair(tr("Something &appears"), RuleTemplate::appears),
                                     std::pair(tr("Something is &gone"), RuleTemplate::gone),
                                     std::pair(tr("The &camera fails"), RuleTemplate::fails)})
    templates->addAction(title, this, [this, which = which] { addRule(which); });
  add->setMenu(templates);
  renameRule_ = new QPushButton(tr("Re&name"));
  removeRule_ = new QPushButton(tr("R&emove"));
  auto* left = new QGridLayout;
  left->addWidget(rules_, 0, 0, 1, 2);
  left->addWidget(add, 1, 0, 1, 2);
  left->addWidget(renameRule_, 2, 0);
  left->addWidget(removeRule_, 2, 1);
  auto* rule = new QWidget;
  auto* below = new QVBoxLayout(rule);
  below->setContentsMargins(0, 0, below->spacing(), 0);
  below->addWidget(form_);
  below->addSpacing(fontMetrics().height());
  below->addWidget(read_);
  below->addStretch();
  auto* scrolled = new QScrollArea;
  scrolled->setWidget(rule);
  scrolled->setWidgetResizable(true);
  scrolled->setFrameShape(QFrame::NoFrame);
  scrolled->setFocusPolicy(Qt::NoFocus);
  for (QWidget* widget : {scrolled->viewport(), rule}) {
    widget->setAutoFillBackground(false);  // what is behind it is the page's
  }
  read_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  read_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* page = new QWidget;
  auto* layout = new QHBoxLayout(page);
  layout->addLayout(left, 2);
  layout->addSpacing(layout->spacing());
  layout->addWidget(scrolled, 5);
  connect(renameRule_, &QPushButton::clicked, this, [this] {
    if (QListWidgetItem* item = rules_->currentItem()) rules_->editItem(item);
  });
  connect(removeRule_, &QPushButton::clicked, this, &RulesDialog::removeRule);
  connect(rules_, &QListWidget::currentRowChanged, this, &RulesDialog::showRule);
  connect(rules_, &QListWidget::itemChanged, this,
          [this](QListWidgetItem* item) { renameRule(rules_->row(item), item->text()); });
  connect(form_, &RuleForm::changed, this, &RulesDialog::takeRule);
  return page;
}

void RulesDialog::setValues(std::function<std::optional<double>(const std::string&)> values) {
  values_ = std::move(values);
  readRule();
}

void RulesDialog::readRule() {
  if (shown_ < 0)
    return read_->setText(book_.rules.empty() ? tr("There is no rule yet; Add creates one.")
                                              : QString());
  const monitor::Rule& rule = book_.rules[static_cast<std::size_t>(shown_)];
  read_->setText(values_ ? breakable(unbroken(valueSentence(rule, values_(rule.metric))))
                         : QString());
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

// Returns the share of a person or else of the first class; without classes the first metric.
std::string RulesDialog::classToWatch() const {
  const monitor::MetricName* found = nullptr;
  const auto isPerson = [](const monitor::MetricName& name) {
    return name.part == "person" || name.part == ClassList::usualNames().front().toStdString();
  };
  for (const monitor::MetricName& name : plainMetrics_)
    if (name.kind == monitor::MetricKind::area && (found == nullptr || isPerson(name)))
      found = &name;
  if (found == nullptr) return plainMetrics_.empty() ? std::string() : plainMetrics_[0].text();
  monitor::MetricName name = *found;
  if (!book_.zones.empty()) name.zone = monitor::metricPart(book_.zones[0].name);
  return name.text();
}

void RulesDialog::addRule(RuleTemplate which) {
  monitor::Rule rule;
  rule.notify = rule.clip = true;
  switch (which) {
    case RuleTemplate::appears:
      rule.metric = classToWatch();
      rule.above = 0.02;
      rule.dwellMs = 3000;
      add(rule, tr("Something appears"));
      break;
    case RuleTemplate::gone:
      rule.metric = classToWatch();
      rule.below = 0.01;
      rule.dwellMs = 10'000;
      add(rule, tr("Something is gone"));
      break;
    case RuleTemplate::fails:
      rule.stale = true;
      rule.dwellMs = 30'000;
      add(rule, tr("No picture"));
      rule.stale = false;
      rule.metric = "camera_faults";
      rule.above = 0.5;
      rule.dwellMs = 0;
      add(rule, tr("The camera fails"));
      break;
  }
  form_->setFocus();
}

// Adds the rule under this name, with a number if another rule has it.
void RulesDialog::add(monitor::Rule rule, const QString& name) {
  const auto isTaken = [this](const std::string& taken) {
    return std::any_of(book_.rules.begin(), book_.rules.end(),
                       [&](const monitor::Rule& other) { return other.name == taken; });
  };
  rule.name = name.toStdString();
  for (int number = 2; isTaken(rule.name); ++number)
    rule.name = QStringLiteral("%1 %2").arg(name).arg(number).toStdString();
  book_.rules.push_back(rule);
  {
    const QSignalBlocker quiet(rules_);
    addToRename(rules_, rule.name);
    rules_->setCurrentRow(rules_->count() - 1);
  }
  showRule(rules_->count() - 1);
}

void RulesDialog::removeRule() {
  const int row = rules_->currentRow();
  if (row < 0 || !ask_(tr("Remove the rule %1?").arg(rules_->item(row)->text()))) return;
  book_.rules.erase(book_.rules.begin() + row);
  {
    const QSignalBlocker quiet(rules_);
    delete rules_->takeItem(row);
  }
  showRule(rules_->currentRow());
}

void RulesDialog::showRule(int row) {
  shown_ = row;
  form_->setVisible(row >= 0);
  removeRule_->setEnabled(row >= 0);
  renameRule_->setEnabled(row >= 0);
  if (row >= 0) form_->setRule(book_.rules[static_cast<std::size_t>(row)]);
  check();
}

void RulesDialog::takeRule() {
  if (shown_ < 0) return;
  book_.rules[static_cast<std::size_t>(shown_)] = form_->rule();
  check();
}

void RulesDialog::renameRule(int row, const QString& name) {
  monitor::Rule& rule = book_.rules[static_cast<std::size_t>(row)];
  if (!name.trimmed().isEmpty()) rule.name = name.trimmed().toStdString();
  if (row == shown_) form_->setRule(rule);
  check();
}

// Returns the engine's metrics with the current zones.
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

std::optional<monitor::RuleFault> RulesDialog::faultOfRule(std::size_t index) const {
  const monitor::Rule& rule = book_.rules[index];
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
  const QSignalBlocker quiet(rules_);
  QStringList wrong;
  for (std::size_t i = 0; i < book_.rules.size(); ++i) {
    const auto fault = faultOfRule(i);
    QListWidgetItem* item = rules_->item(static_cast<int>(i));
    item->setText(QString::fromStdString(book_.rules[i].name));
    QFont font = item->font();
    font.setItalic(fault.has_value());
    item->setFont(font);
    item->setToolTip(fault ? QString::fromStdString(fault->sentence) : QString());
    if (fault) wrong << item->text();
    if (static_cast<int>(i) == shown_) form_->showFault(fault);
  }
  readRule();
  save_->setEnabled(wrong.isEmpty());
  tell(wrong.isEmpty() ? QString()
                       : tr("It cannot be saved yet: %1.").arg(wrong.join(QStringLiteral(", "))),
       true);
}

QWidget* RulesDialog::makeZonesPage() {
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
    addToRename(zones_, zone.name);
    zones_->item(zones_->count() - 1)
        ->setToolTip(tr("%n corners", nullptr, static_cast<int>(zone.corners.size())));
  }
  zones_->setCurrentRow(std::min(std::max(row, 0), zones_->count() - 1));
  renameZone_->setEnabled(zones_->count() > 0);
  removeZone_->setEnabled(zones_->count() > 0);
  form_->setMetrics(metricNames(), book_.zones);
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
    tell(QString::fromUtf8(fault.what()), true);
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
  showRule(shown_);
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
          : tr("Remove the zone %1? These rules use it and would have to be changed: %2.")
                .arg(name, looking.join(QStringLiteral(", ")));
  if (!ask_(question)) return;
  book_.zones.erase(book_.zones.begin() + row);
  listZones();
  check();
}

}  // namespace mpm::gui
