// SPDX-License-Identifier: Apache-2.0
#include "gui/app/face_page.h"

#include <QtWidgets>
#include <cstddef>

namespace mpm::gui {
namespace {

// A picture, and under it a button with what it is. A click on the picture is one on the button.
class Card : public QFrame {
 public:
  Card(QWidget* view, Face face) : button_(new QPushButton(Faces::titleOf(face))) {
    setFrameShape(QFrame::StyledPanel);
    setCursor(Qt::PointingHandCursor);
    view->setAttribute(Qt::WA_TransparentForMouseEvents);
    view->setFocusPolicy(Qt::NoFocus);
    view->setMinimumSize(160, 120);
    auto* words = new QLabel(Faces::descriptionOf(face));
    words->setWordWrap(true);
    words->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    words->setMinimumHeight(2 * words->fontMetrics().lineSpacing());
    QFont large = button_->font();
    large.setPointSizeF(large.pointSizeF() * 1.3);
    large.setBold(true);
    button_->setFont(large);
    button_->setAccessibleDescription(words->text());
    auto* column = new QVBoxLayout(this);
    column->addWidget(view, 1);
    column->addWidget(button_);
    column->addWidget(words);
  }
  QPushButton* button() const { return button_; }

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override {
    if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint()))
      button_->click();
  }

 private:
  QPushButton* button_;
};

}  // namespace

FacePage::FacePage(const std::vector<QWidget*>& views, QWidget* window) : QWidget(window) {
  setAccessibleName(tr("What would you like to see?"));
  auto* question = new QLabel(accessibleName());
  QFont large = question->font();
  large.setPointSizeF(large.pointSizeF() * 1.8);
  large.setBold(true);
  question->setFont(large);
  question->setAlignment(Qt::AlignCenter);
  auto* later = new QLabel(tr("The menu View changes it at any time."));
  later->setAlignment(Qt::AlignCenter);
  auto* cards = new QHBoxLayout;
  cards->setSpacing(16);
  for (std::size_t i = 0; i < views.size(); ++i) {
    const auto face = static_cast<Face>(i);
    auto* card = new Card(views[i], face);
    cards->addWidget(card, 1);
    connect(card->button(), &QPushButton::clicked, this, [this, face] { emit chosen(face); });
    if (i == 0) setFocusProxy(card->button());
  }
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(24, 24, 24, 24);
  column->setSpacing(12);
  column->addWidget(question);
  column->addLayout(cards, 1);
  column->addWidget(later);
  cover();
}

void FacePage::cover() {
  setGeometry(parentWidget()->rect());
  raise();
}

void FacePage::paintEvent(QPaintEvent* /*event*/) {
  QPainter(this).fillRect(rect(), palette().window());
}

}  // namespace mpm::gui
