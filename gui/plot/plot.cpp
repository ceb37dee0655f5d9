// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/plot.h"

#include <cmath>

#include "gui/plot/colours.h"

namespace mpm::gui {
namespace {

constexpr int kTablePauseMs = 500;

}  // namespace

Plot::Plot(QSize hint, QSize least, QWidget* parent)
    : QWidget(parent),
      hint_(hint),
      least_(least),
      description_(this),
      table_(this),
      tableAction_(new QAction(tr("Show as a &table"), this)) {
  tableAction_->setShortcut(Qt::Key_T);
  tableAction_->setShortcutContext(Qt::WidgetShortcut);
  connect(tableAction_, &QAction::triggered, this, &Plot::showTable);
  addAction(tableAction_);
  setContextMenuPolicy(Qt::ActionsContextMenu);
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setAttribute(Qt::WA_OpaquePaintEvent);
  tableLater_.setSingleShot(true);
  tableLater_.setInterval(kTablePauseMs);
  connect(&tableLater_, &QTimer::timeout, this, &Plot::tellTable);
}

QAbstractTableModel* Plot::table() {
  if (!tableWanted_ || tableOld_) {
    tableWanted_ = true;
    tellTable();
  }
  return &table_;
}

void Plot::tellTable() {
  tableOld_ = false;
  tableLater_.stop();
  table_.show(contents());
}

void Plot::showTable() {
  auto* dialog = new QDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(accessibleName());
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  QPushButton* copying = buttons->addButton(tr("&Copy as CSV"), QDialogButtonBox::ActionRole);
  connect(copying, &QPushButton::clicked, this, &Plot::copyTable);
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  auto* layout = new QVBoxLayout(dialog);
  layout->addWidget(viewOfRows(table(), accessibleName()));
  layout->addWidget(buttons);
  dialog->resize(560, 420);
  dialog->show();
}

void Plot::copyTable() const {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  if (exportCsv(buffer)) QGuiApplication::clipboard()->setText(QString::fromUtf8(buffer.data()));
}

QImage Plot::image(QSize size) const {
  if (size.isEmpty()) return {};
  QImage made(size, QImage::Format_ARGB32_Premultiplied);
  if (made.isNull()) return {};
  made.fill(palette().color(QPalette::Base));
  QPainter painter(&made);
  painter.setFont(font());
  draw(painter, size);
  return made;
}

void Plot::drawOver(QPainter&) const {}

std::optional<Plot::Hint> Plot::hintAt(QPoint) const { return std::nullopt; }

bool Plot::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  if (const auto hint = hintAt(help->pos())) {
    QToolTip::showText(help->globalPos(), hint->words, this, hint->place);
    return true;
  }
  QToolTip::hideText();
  event->ignore();
  return true;
}

void Plot::changed(bool dataToo) {
  still_ = {};
  update();
  if (!dataToo) return;
  description_.tell(summary());
  if (!tableWanted_) return;
  tableOld_ = true;
  if (!tableLater_.isActive()) tableLater_.start();
}

void Plot::paintEvent(QPaintEvent*) {
  const double ratio = devicePixelRatioF();
  const QSize pixels(static_cast<int>(std::lround(width() * ratio)),
                     static_cast<int>(std::lround(height() * ratio)));
  if (still_.size() != pixels || still_.devicePixelRatio() != ratio) {
    still_ = QImage(pixels, QImage::Format_RGB32);
    still_.setDevicePixelRatio(ratio);
    still_.fill(palette().color(QPalette::Base));
    QPainter painter(&still_);
    painter.setFont(font());
    draw(painter, size());
  }
  QPainter painter(this);
  painter.drawImage(QPointF(0, 0), still_);
  drawOver(painter);
  if (!hasFocus()) return;
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
}

void Plot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  switch (event->type()) {
    case QEvent::PaletteChange:
    case QEvent::FontChange:
    case QEvent::EnabledChange:
      changed(false);
      break;
    case QEvent::LanguageChange:
    case QEvent::LocaleChange:
      changed(true);
      break;
    default:
      break;
  }
}

void drawSentence(QPainter& painter, const QRect& place, const QString& sentence,
                  const QPalette& palette) {
  painter.setPen(quietTextColour(palette));
  painter.drawText(place.adjusted(8, 4, -8, -4), Qt::AlignCenter | Qt::TextWordWrap, sentence);
}

}  // namespace mpm::gui
