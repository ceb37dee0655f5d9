// SPDX-License-Identifier: Apache-2.0
// What the window is made of: its sides, its menus, which hold a key for each act, and its tools.
#include <QAbstractScrollArea>
#include <QAction>
#include <QActionGroup>
#include <QHBoxLayout>
#include <QKeySequence>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QSplitter>
#include <QToolBar>
#include <QVBoxLayout>
#include <QWidget>
#include <algorithm>
#include <cmath>

#include "gui/teach/teach_window.h"

namespace mpm::gui {

QWidget* TeachWindow::makeSides() {
  constexpr int kFramesWidth = 164, kSideWidth = 268;
  QWidget *left = makeFramesSide(), *right = makeLessonSide();
  left->setMinimumWidth(kFramesWidth);
  right->setMinimumWidth(kSideWidth);
  auto* sides = new QSplitter;
  for (QWidget* part : {left, static_cast<QWidget*>(canvas_), right}) sides->addWidget(part);
  sides->setStretchFactor(1, 1);
  sides->setSizes({kFramesWidth, 2 * kSideWidth, kSideWidth});
  sides->setChildrenCollapsible(false);
  return sides;
}

QWidget* TeachWindow::makeFramesSide() {
  auto* left = new QWidget;
  auto* frames = new QVBoxLayout(left);
  frames->setContentsMargins(4, 4, 0, 4);
  auto* take = new QPushButton(tr("Take &another frame"));
  connect(take, &QPushButton::clicked, this, &TeachWindow::takeFrame);
  frames->addWidget(frames_, 1);
  frames->addWidget(take);
  auto* kept = new QPushButton(tr("From the &record ..."));
  connect(kept, &QPushButton::clicked, this, &TeachWindow::takeOfRecord);
  frames->addWidget(kept);
  return left;
}

QWidget* TeachWindow::makeLessonSide() {
  auto* right = new QWidget;
  auto* side = new QVBoxLayout(right);
  side->setContentsMargins(0, 4, 4, 4);
  auto* add = new QPushButton(tr("&New class"));
  auto* names = new QMenu(add);
  for (const QString& name : ClassList::usualNames())
    names->addAction(name, this, [this, name] { addClass(name); });
  names->addAction(tr("Another name ..."), this, [this] { addClass(); });
  add->setMenu(names);
  auto* colour = new QPushButton(tr("C&olour ..."));
  connect(colour, &QPushButton::clicked, classes_, &ClassList::recolour);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(add);
  buttons->addWidget(colour);
  teachButton_ = new QPushButton(tr("T&each"));
  fillButton_ = new QPushButton(tr("F&ill the rest"));
  useButton_ = new QPushButton(tr("&Use it"));
  connect(teachButton_, &QPushButton::clicked, this, &TeachWindow::teach);
  connect(fillButton_, &QPushButton::clicked, this, &TeachWindow::fillRest);
  connect(useButton_, &QPushButton::clicked, this, &TeachWindow::useModel);
  // All classes have room until a table shows how well they are found.
  classes_->setSizeAdjustPolicy(QAbstractScrollArea::AdjustToContents);
  side->addWidget(classes_);
  side->addLayout(buttons);
  side->addWidget(backbone_);
  side->addWidget(teachButton_);
  side->addWidget(lesson_, 1);
  side->addWidget(fillButton_);
  side->addWidget(useButton_);
  return right;
}

void TeachWindow::makeActions() {
  auto* bar = addToolBar(tr("Tools"));
  bar->setObjectName("Tools");
  bar->setMovable(false);
  makeFrameActions(menuBar()->addMenu(tr("&Frames")));
  makePaintActions(menuBar()->addMenu(tr("&Paint")), bar);
  makeClassActions(menuBar()->addMenu(tr("&Classes")));
  makeTeachActions(menuBar()->addMenu(tr("&Teach")));
}

void TeachWindow::makeFrameActions(QMenu* menu) {
  menu->addAction(tr("&Take another frame"), QKeySequence("Ctrl+T"), this, &TeachWindow::takeFrame);
  menu->addAction(tr("Take some &from the record ..."), QKeySequence("Ctrl+Shift+R"), this,
                  &TeachWindow::takeOfRecord);
  menu->addAction(tr("&Next frame"), QKeySequence(Qt::Key_PageDown), frames_,
                  [this] { frames_->step(1); });
  menu->addAction(tr("&Previous frame"), QKeySequence(Qt::Key_PageUp), frames_,
                  [this] { frames_->step(-1); });
  menu->addSeparator();
  menu->addAction(tr("&Save now"), QKeySequence::Save, this, &TeachWindow::saveAll);
  menu->addAction(tr("Another &folder ..."), QKeySequence::Open, this, &TeachWindow::chooseFolder);
  menu->addSeparator();
  menu->addAction(tr("&Close"), QKeySequence::Close, this, &QWidget::close);
}

QAction* TeachWindow::addTool(QMenu* menu, QToolBar* bar, const QString& text,
                              const QKeySequence& key, PaintTool tool) {
  QAction* action = menu->addAction(text, key, canvas_, [this, tool] { canvas_->setTool(tool); });
  action->setCheckable(true);
  action->setToolTip(QString(text).remove('&') + " (" + key.toString(QKeySequence::NativeText) +
                     ')');
  bar->addAction(action);
  return action;
}

void TeachWindow::makePaintActions(QMenu* menu, QToolBar* bar) {
  makeTools(menu, bar);
  bar->addSeparator();
  makeWidth(menu, bar);
  menu->addSeparator();
  bar->addSeparator();
  bar->addAction(menu->addAction(tr("&Undo"), QKeySequence::Undo, canvas_, &PaintCanvas::undo));
  QAction* redo = menu->addAction(tr("&Redo"), canvas_, &PaintCanvas::redo);
  redo->setShortcuts({QKeySequence("Ctrl+Y"), QKeySequence("Ctrl+Shift+Z")});
  bar->addAction(redo);
  bar->addSeparator();
  menu->addAction(tr("&Fit the picture"), QKeySequence("Ctrl+0"), canvas_, &PaintCanvas::fit);
  makePreviews(menu, bar);
}

void TeachWindow::makeTools(QMenu* menu, QToolBar* bar) {
  auto* tools = new QActionGroup(menu);
  tools->addAction(addTool(menu, bar, tr("&Areas"), QKeySequence("G"), PaintTool::area));
  tools->addAction(addTool(menu, bar, tr("&Brush"), QKeySequence("B"), PaintTool::brush));
  tools->addAction(addTool(menu, bar, tr("&Polygon"), QKeySequence("P"), PaintTool::polygon));
  accept_ = addTool(menu, bar, tr("Accept with the br&ush"), QKeySequence("A"), PaintTool::found);
  accept_->setIconText(tr("Accept"));  // the bar is narrow
  connect(accept_, &QAction::toggled, this, &TeachWindow::showPreview);
  tools->addAction(accept_);
  tools->actions().front()->setChecked(true);
  menu->addSeparator();
  bar->addSeparator();
  QAction* erase = menu->addAction(tr("&Erase"), QKeySequence("E"));
  erase->setCheckable(true);
  connect(erase, &QAction::toggled, canvas_, [this](bool on) {
    canvas_->setErasing(on);
    canvas_->update();
  });
  bar->addAction(erase);
}

void TeachWindow::makeWidth(QMenu* menu, QToolBar* bar) {
  auto* size = new QLabel(tr("Width "));
  size->setBuddy(brush_);
  brush_->setRange(PaintCanvas::kLeastBrush, PaintCanvas::kMostBrush);
  brush_->setValue(canvas_->brush());
  brush_->setAccessibleName(tr("Width of the brush, in pixels"));
  brush_->setToolTip(tr("Width of the brush, in pixels; the keys [ and ]"));
  bar->addWidget(size);
  bar->addWidget(brush_);
  menu->addAction(tr("&Narrower brush"), QKeySequence("["), canvas_, [this] {
    canvas_->setBrush(canvas_->brush() - std::max(1, canvas_->brush() / 5));
  });
  menu->addAction(tr("&Wider brush"), QKeySequence("]"), canvas_, [this] {
    canvas_->setBrush(canvas_->brush() + std::max(1, canvas_->brush() / 4));
  });
}

void TeachWindow::makePreviews(QMenu* menu, QToolBar* bar) {
  preview_ = menu->addAction(tr("Pre&view"), QKeySequence("V"));
  preview_->setCheckable(true);
  connect(preview_, &QAction::toggled, this, &TeachWindow::showPreview);
  bar->addAction(preview_);
  camera_ = menu->addAction(tr("Preview on the &camera"), QKeySequence("Shift+V"));
  camera_->setIconText(tr("Camera"));  // the bar is narrow
  camera_->setCheckable(true);
  connect(camera_, &QAction::toggled, this, &TeachWindow::showCamera);
  bar->addAction(camera_);
  sure_ = menu->addAction(tr("Only what is &sure"), QKeySequence("U"));
  sure_->setIconText(tr("Sure"));
  sure_->setCheckable(true);
  sure_->setToolTip(
      tr("Previews and fills only what it is more than %1% sure of; the rest stays unpainted (U)")
          .arg(std::lround(100 * kSure)));
  connect(sure_, &QAction::toggled, this, &TeachWindow::showSure);
  bar->addAction(sure_);
}

void TeachWindow::makeClassActions(QMenu* menu) {
  menu->addAction(tr("&New class"), QKeySequence::New, this, [this] { addClass(); });
  menu->addAction(tr("&Rename ..."), QKeySequence("Ctrl+R"), classes_, &ClassList::rename);
  menu->addAction(tr("&Colour ..."), QKeySequence("Ctrl+K"), classes_, &ClassList::recolour);
  menu->addAction(tr("Re&move ..."), QKeySequence("Ctrl+Del"), classes_, &ClassList::remove);
  QMenu* choose = menu->addMenu(tr("C&hoose"));
  for (int number = 0; number < 10; ++number) {
    const QString key = QString::number((number + 1) % 10);
    choose->addAction(tr("Class &%1").arg(key), QKeySequence(key), classes_,
                      [this, number] { classes_->choose(number); });
  }
}

void TeachWindow::makeTeachActions(QMenu* menu) {
  menu->addAction(tr("&Teach, or cancel"), QKeySequence("F5"), this, &TeachWindow::teach);
  fill_ = menu->addAction(tr("&Fill the rest"), QKeySequence("F6"), this, &TeachWindow::fillRest);
  use_ = menu->addAction(tr("&Use it"), QKeySequence("F7"), this, &TeachWindow::useModel);
  menu->addSeparator();
  menu->addAction(tr("&Backbone ..."), QKeySequence("Ctrl+B"), backbone_, &BackbonePanel::choose);
  menu->addMenu(backbone_->sizes());
}

}  // namespace mpm::gui
