// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/plot.h"

#include <QAction>
#include <QBuffer>
#include <QByteArrayList>
#include <QClipboard>
#include <QDateTime>
#include <QDialog>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLocale>
#include <QPushButton>
#include <QTableView>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "files/text.h"
#include "gui/plot/colours.h"
#include "gui/room_on_screen.h"
#include "gui/unbroken.h"

namespace mpm::gui {
namespace {

constexpr int kTablePauseMs = 500;

/// Returns the shortest number that reads back the same, nothing for NaN, UTC times, or a field.
QByteArray csvOf(const PlotTable::Cell& cell) {
  const QVariant value = cell.value.isValid() ? cell.value : QVariant(cell.text);
  switch (value.typeId()) {
    case QMetaType::Double:
      return std::isfinite(value.toDouble())
                 ? QByteArray::number(value.toDouble(), 'g', QLocale::FloatingPointShortest)
                 : QByteArray();
    case QMetaType::Bool:
      return value.toBool() ? "1" : "0";
    case QMetaType::QDateTime:
      return value.toDateTime().toUTC().toString(Qt::ISODateWithMs).toLatin1();
    default:
      return QByteArray::fromStdString(files::csvField(value.toString().toStdString()));
  }
}

bool isNumber(const QVariant& value) {
  return value.isValid() && value.typeId() != QMetaType::QString &&
         value.typeId() != QMetaType::QDateTime && value.typeId() != QMetaType::Bool;
}

}  // namespace

PlotTable::Contents PlotTable::contentsOf(std::vector<Column> columns, std::vector<Row> rows) {
  Contents made{std::move(columns), {}, {}};
  for (const Row& row : rows) made.rows.push_back(row.key);
  made.cell = [rows = std::move(rows)](int row, int column) {
    return rows[static_cast<std::size_t>(row)].cells[static_cast<std::size_t>(column)];
  };
  return made;
}

// A moving window loses rows at its beginning and gains some at its end. Other changes reset it.
void PlotTable::show(Contents contents) {
  const std::vector<Key>& before = contents_.rows;
  const std::vector<Key>& after = contents.rows;
  const auto old =
      after.empty() ? before.end() : std::find(before.begin(), before.end(), after.front());
  const int gone = static_cast<int>(old - before.begin());
  const int stay = static_cast<int>(before.end() - old);
  const int total = static_cast<int>(after.size());
  std::vector<int> shown;
  for (std::size_t i = 0; i < contents.columns.size(); ++i)
    if (!contents.columns[i].title.isEmpty()) shown.push_back(static_cast<int>(i));
  const auto title = [](const Column& one, const Column& other) {
    return one.title == other.title;
  };
  if (stay == 0 || stay > total || !std::equal(old, before.end(), after.begin()) ||
      !std::equal(contents.columns.begin(), contents.columns.end(), contents_.columns.begin(),
                  contents_.columns.end(), title)) {
    beginResetModel();
    contents_ = std::move(contents);
    shown_ = std::move(shown);
    first_ = 0;
    count_ = total;
    endResetModel();
    return;
  }
  if (gone > 0) {
    beginRemoveRows({}, 0, gone - 1);
    first_ = gone;
    count_ = stay;
    endRemoveRows();
  }
  contents_ = std::move(contents);
  first_ = 0;
  emit dataChanged(index(0, 0), index(stay - 1, columnCount() - 1));
  if (stay == total) return;
  beginInsertRows({}, stay, total - 1);
  count_ = total;
  endInsertRows();
}

int PlotTable::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : count_; }

int PlotTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

QVariant PlotTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  if (role != Qt::DisplayRole && role != Qt::TextAlignmentRole) return {};
  const int column = shown_[static_cast<std::size_t>(index.column())];
  const Cell cell = contents_.cell(first_ + index.row(), column);
  if (role == Qt::DisplayRole) return cell.text;
  const Qt::Alignment side = isNumber(cell.value) ? Qt::AlignRight : Qt::AlignLeft;
  return QVariant::fromValue(side | Qt::AlignVCenter);
}

QVariant PlotTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole || orientation != Qt::Horizontal || section < 0 ||
      section >= columnCount())
    return QAbstractTableModel::headerData(section, orientation, role);
  const int column = shown_[static_cast<std::size_t>(section)];
  return contents_.columns[static_cast<std::size_t>(column)].title;
}

QTableView* viewOfRows(QAbstractItemModel* model, const QString& accessibleName) {
  auto* view = new QTableView;
  view->setModel(model);
  view->setAccessibleName(accessibleName);
  view->setTabKeyNavigation(false);
  view->setSelectionBehavior(QAbstractItemView::SelectRows);
  view->verticalHeader()->hide();
  view->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view->horizontalHeader()->setStretchLastSection(true);
  return view;
}

Description::Description(QWidget* widget) : QObject(widget), widget_(widget) {
  later_.setSingleShot(true);
  connect(&later_, &QTimer::timeout, this, &Description::speak);
}

void Description::tell(const QString& sentence) {
  waiting_ = sentence;
  if (later_.isActive()) return;
  if (!since_.isValid() || since_.elapsed() >= kDescriptionPauseMs) return speak();
  later_.start(static_cast<int>(kDescriptionPauseMs - since_.elapsed()));
}

void Description::speak() {
  if (widget_->accessibleDescription() == waiting_) return;
  since_.start();
  widget_->setAccessibleDescription(waiting_);
}

Legend::Legend(std::vector<Entry> entries, int width, int mostLines, const QFontMetrics& metrics)
    : lineHeight_(metrics.height() + 2),
      sample_(metrics.height()),
      gap_(metrics.horizontalAdvance('x')) {
  if (entries.empty() || width < 3 * sample_) return;
  const QString more = QStringLiteral("…");
  const int dots = metrics.horizontalAdvance(more);
  int x = 0, line = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Entry& entry = entries[i];
    const int before = sampleWidth(entry);
    entry.text = metrics.elidedText(entry.text, Qt::ElideRight, width - before - 2 * gap_ - dots);
    const int wide = before + metrics.horizontalAdvance(entry.text);
    const bool lastLine = line + 1 == mostLines;
    const int room = width - (lastLine && i + 1 < entries.size() ? dots + 2 * gap_ : 0);
    const int left = width - x - before;
    if (x + wide > room && lastLine && i + 1 == entries.size() && left >= 2 * sample_) {
      entry.text = metrics.elidedText(entry.text, Qt::ElideRight, left);
      placed_.push_back({entry, {x, line * lineHeight_, before + left, lineHeight_}});
      break;
    }
    if (x > 0 && x + wide > room) {
      if (lastLine) {
        placed_.push_back({{more, {}, Sample::none}, {x, line * lineHeight_, dots, lineHeight_}});
        break;
      }
      ++line;
      x = 0;
    }
    placed_.push_back({entry, {x, line * lineHeight_, wide, lineHeight_}});
    x += wide + 2 * gap_;
  }
  lines_ = line + 1;
}

void Legend::draw(QPainter& painter, QPoint topLeft, const QPalette& palette) const {
  painter.save();
  painter.translate(topLeft);
  for (const auto& [entry, place] : placed_) {
    const QRect sample(place.left(), place.top() + lineHeight_ / 4, sample_, lineHeight_ / 2);
    if (entry.sample == Sample::line) {
      painter.setPen(QPen(entry.colour, 3, Qt::SolidLine, Qt::FlatCap));
      painter.drawLine(sample.left(), sample.center().y(), sample.right(), sample.center().y());
    } else if (entry.sample == Sample::patch) {
      painter.fillRect(sample, entry.colour);
      painter.fillRect(sample, entry.pattern);
      painter.setPen(mixed(gridColour(palette), palette.color(QPalette::Text), 0.25));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(sample);
    }
    painter.setPen(palette.color(QPalette::Text));
    painter.drawText(place.adjusted(sampleWidth(entry), 0, 1, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     entry.text);
  }
  painter.restore();
}

Plot::Plot(QSize hint, QSize least, QWidget* parent)
    : QWidget(parent), hint_(hint), least_(least), description_(this), table_(this) {
  auto* show = new QAction(tr("Show as a &table"), this);
  show->setShortcut(Qt::Key_T);
  show->setShortcutContext(Qt::WidgetShortcut);
  connect(show, &QAction::triggered, this, &Plot::showTable);
  addAction(show);
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

bool Plot::exportCsv(QIODevice& device) const {
  const Contents shown = contents();
  const auto write = [&](const auto& fieldOf) {
    QByteArrayList fields;
    for (std::size_t i = 0; i < shown.columns.size(); ++i)
      if (!shown.columns[i].name.isEmpty()) fields.append(fieldOf(static_cast<int>(i)));
    const QByteArray line = fields.join(',') + "\r\n";
    return device.write(line) == line.size();
  };
  bool good = write(
      [&](int column) { return csvOf({shown.columns[static_cast<std::size_t>(column)].name}); });
  for (int row = 0; row < static_cast<int>(shown.rows.size()); ++row)
    good = write([&](int column) { return csvOf(shown.cell(row, column)); }) && good;
  return good;
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

bool Plot::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString hint = hintAt(help->pos());
  if (hint.isEmpty()) {
    QToolTip::hideText();
    event->ignore();
  } else {
    QToolTip::showText(help->globalPos(), hint, this);
  }
  return true;
}

void Plot::paintEvent(QPaintEvent* /*event*/) {
  const double ratio = devicePixelRatioF();
  const QSize pixels(static_cast<int>(std::lround(width() * ratio)),
                     static_cast<int>(std::lround(height() * ratio)));
  if (still_.size() != pixels || still_.devicePixelRatio() != ratio) {
    still_ = QImage(pixels, QImage::Format_RGB32);
    still_.setDevicePixelRatio(ratio);
    still_.fill(palette().color(QPalette::Base));
    QPainter painter(&still_);
    painter.setFont(font());
    draw(painter);
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
      return changed(false);
    case QEvent::LanguageChange:
    case QEvent::LocaleChange:
      return changed(true);
    default:
      break;
  }
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
  resizeOnScreen(dialog, {560, 420});
  dialog->show();
}

void Plot::copyTable() const {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  if (exportCsv(buffer)) QGuiApplication::clipboard()->setText(QString::fromUtf8(buffer.data()));
}

void drawSentence(QPainter& painter, const QRect& place, const QString& sentence,
                  const QPalette& palette) {
  painter.setPen(quietTextColour(palette));
  painter.drawText(place.adjusted(8, 4, -8, -4), Qt::AlignCenter | Qt::TextWordWrap,
                   unbroken(sentence));
}

void drawReadout(QPainter& painter, const QRect& inside, int pointer, int top,
                 const std::vector<ReadoutLine>& lines, const QPalette& palette) {
  constexpr int kAway = 10, kMargin = 6;
  const QFontMetrics metrics(painter.font(), painter.device());
  const int swatch = metrics.height() / 2;
  int wide = 0;
  for (const ReadoutLine& line : lines)
    wide = std::max(wide, metrics.horizontalAdvance(line.words) +
                              (line.colour.isValid() ? swatch + kMargin : 0));
  const QSize size(std::min(wide + 2 * kMargin, inside.width()),
                   static_cast<int>(lines.size()) * metrics.height() + 8);
  int left = pointer + kAway;
  if (left + size.width() > inside.right()) left = pointer - kAway - size.width();
  const QRect box(QPoint(std::clamp(left, inside.left(), inside.right() + 1 - size.width()),
                         std::max(top, inside.top())),
                  size);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(quietTextColour(palette));
  painter.setBrush(palette.color(QPalette::Base));
  painter.drawRect(box);
  painter.setPen(palette.color(QPalette::Text));
  int y = box.top() + 4;
  for (const ReadoutLine& line : lines) {
    int x = box.left() + kMargin;
    if (line.colour.isValid()) {
      painter.fillRect(x, y + metrics.height() / 4, swatch, swatch, line.colour);
      x += swatch + kMargin;
    }
    painter.drawText(x, y + metrics.ascent(),
                     metrics.elidedText(line.words, Qt::ElideRight, box.right() - x));
    y += metrics.height();
  }
}

}  // namespace mpm::gui
