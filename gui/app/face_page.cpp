// SPDX-License-Identifier: Apache-2.0
// The first page, which asks what the window is for.
#include <QBoxLayout>
#include <QCoreApplication>
#include <QEvent>
#include <QFrame>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <functional>
#include <utility>

#include "gui/app/panels.h"
#include "gui/canvas/frame_view.h"
#include "gui/exhibition/exhibition_view.h"

namespace mpm::gui {
namespace {

// A frame above a button that names it. A click on the frame presses the button.
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

// Creates the camera's view as a face shows it.
QWidget* newView(Session& session, Face face, const QString& emptyText) {
  if (face == Face::exhibition) {
    auto* view = new ExhibitionView(&session.classes());
    QObject::connect(&session, &Session::frameShown, view, &ExhibitionView::setResult);
    return view;
  }
  auto* view = new FrameView(face == Face::watch ? ViewKind::segmentation : ViewKind::mergeMap);
  view->setClasses(&session.classes());
  view->setTitled(false);
  view->setNamed(face == Face::watch);
  view->setEmptyText(emptyText);
  QObject::connect(&session, &Session::frameShown, view, &FrameView::setResult);
  return view;
}

class FacePage : public QWidget {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::FacePage)

 public:
  FacePage(Session& session, QWidget* window, const std::function<void(Face)>& chosen)
      : QWidget(window) {
    setAccessibleName(tr("What would you like to see?"));
    auto* question = new QLabel(accessibleName());
    QFont large = question->font();
    large.setPointSizeF(large.pointSizeF() * 1.8);
    large.setBold(true);
    question->setFont(large);
    question->setAlignment(Qt::AlignCenter);
    auto* later = new QLabel(tr("Change it at any time in the View menu."));
    later->setAlignment(Qt::AlignCenter);
    auto* cards = new QHBoxLayout;
    cards->setSpacing(16);
    for (int i = 0; i < kFaces; ++i) {
      const auto face = static_cast<Face>(i);
      auto* card = new Card(newView(session, face, tr("Opening the source ...")), face);
      cards->addWidget(card, 1);
      connect(card->button(), &QPushButton::clicked, this, [chosen, face] { chosen(face); });
      if (i == 0) setFocusProxy(card->button());
    }
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(24, 24, 24, 24);
    column->setSpacing(12);
    column->addWidget(question);
    column->addLayout(cards, 1);
    column->addWidget(later);
    window->installEventFilter(this);
    cover();
  }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter(this).fillRect(rect(), palette().window());
  }
  bool eventFilter(QObject* window, QEvent* event) override {
    if (window == parent() && event->type() == QEvent::Resize) cover();
    return QWidget::eventFilter(window, event);
  }

 private:
  void cover() {
    setGeometry(parentWidget()->rect());
    raise();
  }
};

}  // namespace

QWidget* newFirstPage(Session& session, QWidget* window, std::function<void(Face)> chosen) {
  return new FacePage(session, window, chosen);
}

}  // namespace mpm::gui
