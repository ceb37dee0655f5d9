// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/table_dialog.h"

#include <QBuffer>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QHeaderView>
#include <QPushButton>
#include <QVBoxLayout>

namespace mpm::gui {

TableDialog::TableDialog(Plot* plot) : QDialog(plot), plot_(plot), table_(new QTableView) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(plot->accessibleName());
  table_->setModel(plot->table());
  table_->setAccessibleName(plot->accessibleName());
  table_->setTabKeyNavigation(false);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->verticalHeader()->hide();
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setStretchLastSection(true);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  QPushButton* copying = buttons->addButton(tr("&Copy as CSV"), QDialogButtonBox::ActionRole);
  connect(copying, &QPushButton::clicked, this, &TableDialog::copy);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(table_);
  layout->addWidget(buttons);
  resize(560, 420);
}

void TableDialog::copy() const {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  if (plot_->exportCsv(buffer)) {
    QGuiApplication::clipboard()->setText(QString::fromUtf8(buffer.data()));
  }
}

}  // namespace mpm::gui
