// SPDX-License-Identifier: Apache-2.0
#include "gui/app/sentence.h"

#include <QAction>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QMouseEvent>
#include <QRegularExpression>
#include <QStyle>
#include <QStyleOption>
#include <algorithm>
#include <cmath>
#include <utility>

namespace mpm::gui {

FlowLayout::FlowLayout(QWidget* parent) : QLayout(parent) { setContentsMargins(0, 0, 0, 0); }

FlowLayout::~FlowLayout() {
  while (QLayoutItem* item = takeAt(0)) delete item;
}

QLayoutItem* FlowLayout::takeAt(int index) {
  return index >= 0 && index < items_.size() ? items_.takeAt(index) : nullptr;
}

QSize FlowLayout::sizeHint() const {
  constexpr int kUsualWidth = 480;
  return {kUsualWidth, heightForWidth(kUsualWidth)};
}

QSize FlowLayout::minimumSize() const {
  QSize least;
  for (const QLayoutItem* item : items_) least = least.expandedTo(item->minimumSize());
  return least;
}

void FlowLayout::setGeometry(const QRect& room) {
  QLayout::setGeometry(room);
  layOut(room, true);
}

int FlowLayout::layOut(const QRect& room, bool moves) const {
  const QWidget& widget = *parentWidget();
  const int gap = widget.fontMetrics().horizontalAdvance(QLatin1Char(' ')) + 1;
  const int lineGap = widget.fontMetrics().height() / 3;
  const bool isMirrored = widget.isRightToLeft();
  int y = room.y();
  for (qsizetype first = 0; first < items_.size();) {
    int width = 0, height = 0;
    qsizetype next = first;
    for (; next < items_.size(); ++next) {
      const QSize size = items_[next]->sizeHint();
      const int wider = width + (next > first ? gap : 0) + size.width();
      if (next > first && wider > room.width()) break;
      width = wider;
      height = std::max(height, size.height());
    }
    int x = room.x();
    for (; first < next; ++first) {
      const QSize size = items_[first]->sizeHint().boundedTo({room.width(), height});
      const QRect place(QPoint(x, y + (height - size.height()) / 2), size);
      if (moves)
        items_[first]->setGeometry(
            isMirrored ? place.translated(room.left() + room.right() - 2 * x - size.width() + 1, 0)
                       : place);
      x += size.width() + gap;
    }
    y += height + (next < items_.size() ? lineGap : 0);
  }
  return y - room.y();
}

Sentence::Sentence(QWidget* parent) : QWidget(parent) {
  new FlowLayout(this);
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void Sentence::addFields(const QList<QWidget*>& fields) {
  for (QWidget* field : fields) {
    field->setParent(this);
    field->hide();
  }
  fields_ << fields;
}

void Sentence::say(const QString& words, const QList<QWidget*>& fields) {
  static const QRegularExpression kPlace(QStringLiteral("^(.*)%(\\d)(.*)$"));
  while (QLayoutItem* item = layout()->takeAt(0)) {
    if (auto* label = qobject_cast<QLabel*>(item->widget())) delete label;
    delete item;
  }
  shown_.clear();
  const auto addWord = [this](const QString& word) {
    if (word.isEmpty()) return;
    auto* label = new QLabel(word, this);
    label->setTextFormat(Qt::PlainText);
    label->show();
    layout()->addWidget(label);
  };
  for (const QString& word : words.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    const QRegularExpressionMatch place = kPlace.match(word);
    QWidget* field = place.hasMatch() ? fields.value(place.captured(2).toInt() - 1) : nullptr;
    addWord(field != nullptr ? place.captured(1) : word);
    if (field == nullptr) continue;
    layout()->addWidget(field);
    shown_ << field;
    addWord(place.captured(3));
  }
  for (QWidget* field : std::as_const(fields_)) field->setVisible(shown_.contains(field));
  layout()->invalidate();
  updateGeometry();
}

QWidget* Sentence::tabAfter(QWidget* before) const {
  for (QWidget* field : shown_) {
    if (before != nullptr) QWidget::setTabOrder(before, field);
    before = field;
  }
  return before;
}

WordBox::WordBox(const QString& accessibleName) {
  setAccessibleName(accessibleName);
  connect(this, &QComboBox::currentIndexChanged, this, [this] { updateGeometry(); });
}

QSize WordBox::sizeHint() const {
  constexpr int kMostLetters = 34;
  QStyleOptionComboBox option;
  initStyleOption(&option);
  const QFontMetrics metrics = fontMetrics();
  const int width = std::min(metrics.horizontalAdvance(currentText()) + 2,
                             metrics.averageCharWidth() * kMostLetters);
  const QSize words(width, std::max(metrics.height(), 14) + 2);
  return {style()->sizeFromContents(QStyle::CT_ComboBox, &option, words, this).width(),
          QComboBox::sizeHint().height()};
}

void WordBox::choose(const QString& entry, const QString& words) {
  int place = findData(entry);
  if (place < 0) {
    place = count();
    addItem(words, entry);
  }
  setCurrentIndex(place);
  updateGeometry();
}

NumberBox::NumberBox(const QString& accessibleName, double least, double most) {
  QLocale plain = locale();
  plain.setNumberOptions(QLocale::OmitGroupSeparator | QLocale::RejectGroupSeparator);
  setLocale(plain);
  setAccessibleName(accessibleName);
  setDecimals(10);
  setRange(least, most);
  setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
  connect(this, &QDoubleSpinBox::textChanged, this, [this] { updateGeometry(); });
}

QSize NumberBox::sizeHint() const {
  const QFontMetrics metrics = fontMetrics();
  const int least = metrics.horizontalAdvance(QStringLiteral("000") + suffix());
  QStyleOptionSpinBox option;
  initStyleOption(&option);
  const QSize words(std::max(least, metrics.horizontalAdvance(text())) + 8, metrics.height());
  return {style()->sizeFromContents(QStyle::CT_SpinBox, &option, words, this).width(),
          QDoubleSpinBox::sizeHint().height()};
}

QString NumberBox::textFromValue(double value) const {
  return locale().toString(value, 'f', QLocale::FloatingPointShortest);
}

std::optional<double> NumberBox::numberIn(QString text) const {
  if (text.endsWith(suffix())) text.chop(suffix().size());
  text = text.trimmed();
  bool good = false;
  double number = locale().toDouble(text, &good);
  if (!good) number = QLocale::c().toDouble(text, &good);
  return good && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

double NumberBox::valueFromText(const QString& text) const {
  return numberIn(text).value_or(value());
}

QValidator::State NumberBox::validate(QString& text, int& /*at*/) const {
  const auto number = numberIn(text);
  const bool fits = number && *number >= minimum() && *number <= maximum();
  return fits ? QValidator::Acceptable : QValidator::Intermediate;
}

ManyBox::ManyBox(const QString& accessibleName, const QStringList& entries,
                 std::function<QString(const std::vector<std::size_t>& places)> words)
    : menu_(new QMenu(this)), words_(std::move(words)) {
  setAccessibleName(accessibleName);
  for (const QString& entry : entries) {
    QAction* action = menu_->addAction(entry);
    action->setCheckable(true);
    connect(action, &QAction::triggered, this, [this, action](bool on) {
      if (!on && atLeastOne_ && chosen().empty()) action->setChecked(true);
      tell();
      if (then_) then_();
    });
  }
  menu_->installEventFilter(this);
  setMenu(menu_);
}

// Leaves room between the words and the arrow.
QSize ManyBox::sizeHint() const {
  return QPushButton::sizeHint() + QSize(2 * fontMetrics().averageCharWidth(), 0);
}

void ManyBox::setChosen(const std::vector<std::size_t>& places) {
  for (qsizetype i = 0; i < menu_->actions().size(); ++i)
    menu_->actions()[i]->setChecked(
        std::find(places.begin(), places.end(), static_cast<std::size_t>(i)) != places.end());
  tell();
}

std::vector<std::size_t> ManyBox::chosen() const {
  std::vector<std::size_t> places;
  for (qsizetype i = 0; i < menu_->actions().size(); ++i)
    if (menu_->actions()[i]->isChecked()) places.push_back(static_cast<std::size_t>(i));
  return places;
}

void ManyBox::tell() {
  setText(words_(chosen()));
  updateGeometry();
}

// The menu stays open while several entries are chosen.
bool ManyBox::eventFilter(QObject* menu, QEvent* event) {
  QAction* entry = nullptr;
  if (event->type() == QEvent::MouseButtonRelease)
    entry = menu_->actionAt(static_cast<QMouseEvent*>(event)->position().toPoint());
  if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space)
    entry = menu_->activeAction();
  if (entry == nullptr) return QPushButton::eventFilter(menu, event);
  entry->trigger();
  return true;
}

}  // namespace mpm::gui
