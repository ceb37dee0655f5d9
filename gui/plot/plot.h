// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <cmath>
#include <optional>

#include "gui/plot/colours.h"
#include "gui/plot/description.h"
#include "gui/plot/plot_table.h"
#include "gui/room_on_screen.h"
#include "gui/unbroken.h"

namespace mpm::gui {

/// What all plots offer besides the drawing: the same data as a table, as CSV and as a picture,
/// and a sentence about it as the accessible description. Give a plot an accessible name.
/// Its context menu, and the key T, show the table in a window of its own, which ends with the
/// plot.
class Plot : public QWidget {
  Q_OBJECT

 public:
  /// `hint`, `least`: the size that it would have, and the least.
  Plot(QSize hint, QSize least, QWidget* parent = nullptr)
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

  /// What is shown, kept up to date (at most twice a second). It lives as long as the plot.
  QAbstractTableModel* table() {
    if (!tableWanted_ || tableOld_) {
      tableWanted_ = true;
      tellTable();
    }
    return &table_;
  }

  QAction* tableAction() const { return tableAction_; }  ///< shows it in a window of its own

  /// What is shown, RFC 4180 in UTF-8: English headers, numbers with a point, times in UTC.
  /// `device` is open for writing; whether all of it was written.
  virtual bool exportCsv(QIODevice& device) const = 0;

  /// The plot alone, in this widget's palette and font, in `size` pixels; null of an empty size.
  QImage image(QSize size) const {
    if (size.isEmpty()) return {};
    QImage made(size, QImage::Format_ARGB32_Premultiplied);
    if (made.isNull()) return {};
    made.fill(palette().color(QPalette::Base));
    QPainter painter(&made);
    painter.setFont(font());
    draw(painter, size);
    return made;
  }

  /// One sentence: what there is to see.
  virtual QString summary() const = 0;

  QSize sizeHint() const override { return hint_; }
  QSize minimumSizeHint() const override { return least_; }

 protected:
  /// What the tool tip says, and within which rectangle it stays; empty: while the pointer rests.
  struct Hint {
    QString words;
    QRect place;
  };

  /// Everything but what follows the pointer, onto the palette's base.
  virtual void draw(QPainter& painter, QSize size) const = 0;
  /// What follows the pointer and the keyboard.
  virtual void drawOver(QPainter& /*painter*/) const {}
  virtual std::optional<Hint> hintAt(QPoint /*place*/) const { return std::nullopt; }
  using Contents = PlotTable::Contents;
  virtual Contents contents() const = 0;

  /// The drawing is made again; with `dataToo` also table and description.
  void changed(bool dataToo = true) {
    still_ = {};
    update();
    if (!dataToo) return;
    description_.tell(summary());
    if (!tableWanted_) return;
    tableOld_ = true;
    if (!tableLater_.isActive()) tableLater_.start();
  }

  bool event(QEvent* event) override {
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

  void paintEvent(QPaintEvent*) override {
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

  void changeEvent(QEvent* event) override {
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

 private:
  static constexpr int kTablePauseMs = 500;

  void tellTable() {
    tableOld_ = false;
    tableLater_.stop();
    table_.show(contents());
  }

  void showTable() {
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
    resizeOnScreen(dialog, {560, 420});
    dialog->show();
  }

  // As CSV to the clipboard.
  void copyTable() const {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    if (exportCsv(buffer)) QGuiApplication::clipboard()->setText(QString::fromUtf8(buffer.data()));
  }

  QSize hint_, least_;
  Description description_;
  PlotTable table_;
  QAction* tableAction_;
  bool tableWanted_ = false, tableOld_ = false;
  QTimer tableLater_;
  mutable QImage still_;
};

/// One sentence in the middle of an empty plot, in as many lines as it needs.
inline void drawSentence(QPainter& painter, const QRect& place, const QString& sentence,
                         const QPalette& palette) {
  painter.setPen(quietTextColour(palette));
  painter.drawText(place.adjusted(8, 4, -8, -4), Qt::AlignCenter | Qt::TextWordWrap,
                   unbroken(sentence));
}

}  // namespace mpm::gui
