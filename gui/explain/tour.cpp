// SPDX-License-Identifier: Apache-2.0
#include "gui/explain/tour.h"

#include <QtWidgets>
#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace mpm::gui {
namespace {

constexpr int kCardWidth = 380, kGap = 12, kAround = 4;
const QColor kShade(0, 0, 0, 150);

}  // namespace

Tour::Tour(std::vector<TourStop> stops, QWidget* lit, QWidget* window)
    : QWidget(window),
      stops_(std::move(stops)),
      lit_(lit),
      before_(QApplication::focusWidget()),
      card_(new QFrame(this)),
      title_(new QLabel),
      words_(new QLabel),
      count_(new QLabel),
      skip_(new QPushButton(tr("Skip the tour"))),
      back_(new QPushButton(tr("Back"))),
      next_(new QPushButton) {
  setAccessibleName(tr("Tour"));
  setAttribute(Qt::WA_DeleteOnClose);
  card_->setAutoFillBackground(true);
  card_->setFrameShape(QFrame::StyledPanel);
  card_->setFixedWidth(kCardWidth);
  QFont large = font();
  large.setBold(true);
  large.setPointSizeF(large.pointSizeF() * 1.2);
  title_->setFont(large);
  words_->setWordWrap(true);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(skip_);
  buttons->addStretch();
  buttons->addWidget(count_);
  buttons->addWidget(back_);
  buttons->addWidget(next_);
  auto* layout = new QVBoxLayout(card_);
  layout->addWidget(title_);
  layout->addWidget(words_);
  layout->addLayout(buttons);
  connect(skip_, &QPushButton::clicked, this, &Tour::end);
  connect(back_, &QPushButton::clicked, this, [this] { goTo(stop_ - 1); });
  connect(next_, &QPushButton::clicked, this, [this] { goTo(stop_ + 1); });
  for (const auto& [key, step] : {std::pair{Qt::Key_Right, 1}, std::pair{Qt::Key_Left, -1}}) {
    auto* shortcut = new QShortcut(key, this);
    shortcut->setContext(Qt::WidgetWithChildrenShortcut);
    connect(shortcut, &QShortcut::activated, this, [this, by = step] { goTo(stop_ + by); });
  }
  window->installEventFilter(this);
  setGeometry(window->rect());
  show();
  raise();
  goTo(0);
}

void Tour::end() {
  if (before_) before_->setFocus();
  emit ended();
  close();
}

void Tour::goTo(int stop) {
  if (stop >= static_cast<int>(stops_.size())) return end();
  stop_ = std::max(0, stop);
  const TourStop& shown = stops_[static_cast<std::size_t>(stop_)];
  const bool isLast = stop_ + 1 == static_cast<int>(stops_.size());
  const QLocale locale;
  title_->setText(shown.title);
  words_->setText(shown.words);
  count_->setText(
      tr("%1 of %2")
          .arg(locale.toString(stop_ + 1), locale.toString(static_cast<qlonglong>(stops_.size()))));
  back_->setEnabled(stop_ > 0);
  skip_->setVisible(!isLast);
  next_->setText(isLast ? tr("Done") : tr("Next"));
  next_->setAccessibleDescription(shown.title + QStringLiteral(". ") + shown.words);
  next_->setFocus();
  place();
}

QRect Tour::rectOf(const QWidget* widget) const {
  if (!widget || !widget->isVisible()) return {};
  return QRect(widget->mapTo(parentWidget(), QPoint()), widget->size());
}

QRect Tour::shownRect() const {
  const QRect at = rectOf(stops_[static_cast<std::size_t>(stop_)].at);
  if (at.isEmpty()) return {};
  return at.adjusted(-kAround, -kAround, kAround, kAround).intersected(rect());
}

// Below what it is about, else above it, beside it, below what stays lit, or in its middle.
void Tour::place() {
  card_->setFixedWidth(std::min(kCardWidth, width()));
  card_->layout()->activate();
  const QSize size(card_->width(), std::max(card_->heightForWidth(card_->width()),
                                            card_->layout()->minimumSize().height()));
  const QRect about = shownRect(), lit = rectOf(lit_);
  QRect card(QPoint(), size);
  card.moveCenter(about.isEmpty() ? rect().center() : about.center());
  const std::array<QPoint, 5> corners{QPoint(card.left(), about.bottom() + kGap),
                                      QPoint(card.left(), about.top() - kGap - size.height()),
                                      QPoint(about.right() + kGap, card.top()),
                                      QPoint(about.left() - kGap - size.width(), card.top()),
                                      QPoint(card.left(), lit.bottom() + kGap)};
  for (const QPoint& corner : corners) {
    if (about.isEmpty()) break;
    QRect tried(corner, size);
    if (tried.top() < 0 || tried.bottom() > height()) continue;
    tried.moveLeft(std::clamp(tried.left(), 0, std::max(0, width() - size.width())));
    if (tried.intersects(about) || tried.intersects(lit)) continue;
    card = tried;
    break;
  }
  card.moveLeft(std::clamp(card.left(), 0, std::max(0, width() - size.width())));
  card.moveTop(std::clamp(card.top(), 0, std::max(0, height() - size.height())));
  card_->setGeometry(card);
  update();
}

void Tour::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const QRect about = shownRect();
  painter.setClipRegion(QRegion(rect()) - QRegion(about) - QRegion(rectOf(lit_)));
  painter.fillRect(rect(), kShade);
  if (about.isEmpty()) return;
  painter.setClipping(false);
  painter.setPen(QPen(palette().color(QPalette::Highlight), 3));
  painter.drawRect(about.adjusted(1, 1, -2, -2));
}

void Tour::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return end();
  if (event->key() != Qt::Key_Return && event->key() != Qt::Key_Enter)
    return QWidget::keyPressEvent(event);
  for (QPushButton* button : {skip_, back_, next_})
    if (button->hasFocus()) return button->click();
}

bool Tour::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize && watched == parentWidget()) {
    setGeometry(parentWidget()->rect());
    place();
  }
  return QWidget::eventFilter(watched, event);
}

// Nothing below it can have the focus.
bool Tour::focusNextPrevChild(bool next) {
  std::vector<QPushButton*> buttons;
  for (QPushButton* button : {skip_, back_, next_})
    if (button->isVisible() && button->isEnabled()) buttons.push_back(button);
  if (buttons.empty()) return false;  // it is about to go
  const auto at = std::find(buttons.begin(), buttons.end(), QApplication::focusWidget());
  const auto count = static_cast<std::ptrdiff_t>(buttons.size());
  const std::ptrdiff_t from = at == buttons.end() ? 0 : at - buttons.begin();
  buttons[static_cast<std::size_t>((from + (next ? 1 : count - 1)) % count)]->setFocus(
      next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
  return true;
}

}  // namespace mpm::gui
