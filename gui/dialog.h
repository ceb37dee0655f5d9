// SPDX-License-Identifier: Apache-2.0
// What all dialogs have: how they begin and end, what they tell, and pictures that may be missing.
#pragma once

#include <QBoxLayout>
#include <QDialog>
#include <QDialogButtonBox>
#include <QIcon>
#include <QImage>
#include <QLabel>
#include <QPixmap>
#include <QPushButton>

#include "gui/plot/colours.h"
#include "gui/room_on_screen.h"
#include "gui/unbroken.h"

namespace mpm::gui {

/// Creates a label for text of any length, shown verbatim.
inline QLabel* plainLabel(const QString& accessibleName = {}) {
  auto* label = new QLabel;
  label->setWordWrap(true);
  label->setTextFormat(Qt::PlainText);
  label->setAccessibleName(accessibleName);
  return label;
}

/// Creates a frame for an image of that size, or for text in its place.
inline QLabel* pictureLabel(QSize size, const QString& accessibleName) {
  QLabel* label = plainLabel(accessibleName);
  label->setFixedSize(size);
  label->setAlignment(Qt::AlignCenter);
  label->setFrameShape(QFrame::StyledPanel);
  return label;
}

constexpr QSize kIconSize{64, 48};
/// Returns an icon for a list in which others have images; a null image gives an empty one.
inline QIcon iconOf(QImage picture, const QPalette& palette) {
  if (picture.isNull()) {
    picture = QImage(kIconSize, QImage::Format_RGB32);
    picture.fill(palette.color(QPalette::Midlight));
  }
  return QPixmap::fromImage(
      picture.scaled(kIconSize, Qt::KeepAspectRatio, Qt::SmoothTransformation));
}

/// A dialog with buttons below its content, one of which accepts. Above them, or at toldLine(), it
/// shows errors or progress.
class Dialog : public QDialog {
 public:
  QString told() const { return told_->text(); }

 protected:
  Dialog(const QString& title, QDialogButtonBox::StandardButtons buttons, QWidget* parent)
      : QDialog(parent), buttons_(new QDialogButtonBox(buttons)), told_(plainLabel()) {
    setWindowTitle(title);
    told_->setMinimumHeight(fontMetrics().height() * 2);
    connect(buttons_, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
  }

  QDialogButtonBox* buttons() const { return buttons_; }
  QLabel* toldLine() const { return told_; }
  /// Call once. The size is as wanted, limited by the screen.
  void layOut(QLayout* content, QSize wanted, bool toldBelow = true) {
    auto* column = new QVBoxLayout(this);
    column->addLayout(content, 1);
    if (toldBelow) column->addWidget(told_);
    column->addWidget(buttons_);
    resizeOnScreen(this, wanted);
  }
  void tell(const QString& sentence, bool bad) {
    told_->setText(breakable(sentence));
    told_->setPalette(bad ? faultPalette(palette()) : palette());
  }

 private:
  QDialogButtonBox* buttons_;
  QLabel* told_;
};

}  // namespace mpm::gui
