// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/plot.h"

#include <QEvent>
#include <QPaintEvent>
#include <cmath>

#include "gui/plot/colours.h"
#include "gui/plot/table_dialog.h"

namespace mpm::gui {
namespace {

constexpr int kTablePauseMs = 500;

}  // namespace

Plot::Plot(QWidget* parent)
    : QWidget(parent),
      description_(this),
      table_(this),
      tableAction_(new QAction(tr("Show as a &table"), this)) {
  tableAction_->setShortcut(Qt::Key_T);
  tableAction_->setShortcutContext(Qt::WidgetShortcut);
  connect(tableAction_, &QAction::triggered, this, [this] { (new TableDialog(this))->show(); });
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
