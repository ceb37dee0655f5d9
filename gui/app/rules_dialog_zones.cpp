// SPDX-License-Identifier: Apache-2.0
// The zones of the dialog; rules that look at one go with its name.
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <exception>
#include <utility>

#include "gui/app/rules_dialog.h"
#include "monitor/statistics/metrics.h"

namespace mpm::gui {

// What the names of its metrics begin with.
std::string RulesDialog::metricsOf(const monitor::Zone& zone) {
  return "zone." + monitor::metricPart(zone.name) + ".";
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
  const std::string before = metricsOf(zone);
  zone.name = name.trimmed().toStdString();
  try {
    monitor::checkZones(zones);
  } catch (const std::exception& fault) {
    listZones();
    tell(QString::fromUtf8(fault.what()));
    return;
  }
  for (monitor::Rule& rule : book_.rules) {
    if (rule.metric.starts_with(before)) {
      rule.metric = metricsOf(zone) + rule.metric.substr(before.size());
    }
  }
  book_.zones = std::move(zones);
  listZones();
  tellMetrics();
  if (shown_ >= 0) form_->setRule(book_.rules[static_cast<std::size_t>(shown_)]);
  check();
}

QStringList RulesDialog::rulesOfZone(const monitor::Zone& zone) const {
  QStringList names;
  for (const monitor::Rule& rule : book_.rules) {
    if (rule.metric.starts_with(metricsOf(zone))) names << QString::fromStdString(rule.name);
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
          : tr("Remove the zone %1? These rules look at it, and have to be changed then: %2.")
                .arg(name, looking.join(QStringLiteral(", ")));
  if (!ask_(question)) return;
  book_.zones.erase(book_.zones.begin() + row);
  listZones();
  tellMetrics();
  check();
}

}  // namespace mpm::gui
