// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>

#include "gui/app/face.h"
#include "gui/app/precision_menu.h"
#include "gui/app/session.h"

namespace mpm::gui {

/// Which tokens merge, which stage of it is looked at, the scene memory, the precision, and the
/// comparison with full tokens.
class MergeMenu : public QMenu {
  Q_OBJECT

 public:
  MergeMenu(Session& session, ViewDeck* deck, QWidget* parent)
      : QMenu(tr("&Merging"), parent),
        session_(session),
        deck_(deck),
        compare_(addAction(tr("&Compare with full tokens"))),
        memory_(addAction(tr("Scene &memory"))),
        schedule_(new QLineEdit(this)),
        stage_(new QComboBox(this)) {
    compare_->setCheckable(true);
    compare_->setShortcut(QKeySequence("Ctrl+T"));
    compare_->setChecked(session_.settings().compare);
    connect(compare_, &QAction::toggled, this, [this](bool on) {
      if (const auto engine = session_.live().engine()) engine->setCompare(wanted());
      if (on) deck_->showKind(ViewKind::difference);
    });
    memory_->setCheckable(true);
    memory_->setShortcut(QKeySequence("Ctrl+Shift+M"));
    memory_->setStatusTip(tr("What does not change is remembered, not computed again"));
    connect(memory_, &QAction::triggered, this, [this](bool on) { session_.setMemory(on); });
    addMenu(new PrecisionMenu(session_, this));
    addAction(tr("Merge before &2 and 5"), this, [this] { session_.setSchedule("2,5"); });
    addAction(tr("&Full tokens"), this, [this] { session_.setSchedule("none"); });
    Faces::setOnly(menuAction(), Face::study);
    for (QAction* action : actions()) Faces::setOnly(action, Face::study);
    connect(&session_, &Session::scheduleSet, this, &MergeMenu::showSchedule);
    connect(&session_.live(), &Live::opened, this, [this] {
      session_.live().engine()->setCompare(wanted());
      showMemory();
      showSchedule();
    });
  }

  /// The line to write a schedule into, and the choice of a stage.
  void addTo(QToolBar* bar) {
    auto* label = new QLabel(tr("Merge &before "));
    schedule_->setFixedWidth(90);
    schedule_->setAccessibleName(tr("Blocks to merge before"));
    schedule_->setToolTip(tr("Blocks, counted from 0, as 2,5; none for full tokens"));
    label->setBuddy(schedule_);
    connect(schedule_, &QLineEdit::editingFinished, this, [this] {
      const auto engine = session_.live().engine();
      if (engine && blocksText(engine->schedule()) != schedule_->text()) {
        session_.setSchedule(schedule_->text());
      }
    });
    stage_->setAccessibleName(tr("Stage"));
    stage_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    stage_->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
    connect(stage_, &QComboBox::currentIndexChanged, deck_, &ViewDeck::setStage);
    for (QWidget* widget : {static_cast<QWidget*>(label), static_cast<QWidget*>(schedule_),
                            static_cast<QWidget*>(stage_)}) {
      bar->addWidget(widget);
    }
  }

  QAction* compare() const { return compare_; }
  QAction* memory() const { return memory_; }

 private:
  // Now and then for what the window says of merging.
  monitor::Compare wanted() const {
    return compare_->isChecked() ? monitor::Compare::always : monitor::Compare::sometimes;
  }

  void showMemory() {
    const monitor::Engine& engine = *session_.live().engine();
    memory_->setEnabled(engine.memoryFault().empty());
    memory_->setChecked(engine.remembers());
  }

  void showSchedule() {
    const auto engine = session_.live().engine();
    schedule_->setEnabled(engine->blocks() > 0);
    schedule_->setText(blocksText(engine->schedule()));
    showStages(engine->schedule());
  }

  // The stage that is looked at stays, where the schedule still has it.
  void showStages(const Schedule& schedule) {
    const int before = std::max(0, stage_->currentIndex()),
              merges = static_cast<int>(schedule.size());
    const QSignalBlocker quiet(stage_);
    stage_->clear();
    stage_->addItem(merges > 0 ? tr("Behind all merges") : tr("Full tokens"));
    for (int merge = 1; merge <= merges; ++merge)
      stage_->addItem(tr("Behind merge %1").arg(QLocale().toString(merge)));
    stage_->setCurrentIndex(before <= merges ? before : 0);
    deck_->setStage(stage_->currentIndex());
  }

  Session& session_;
  ViewDeck* deck_;
  QAction *compare_, *memory_;
  QLineEdit* schedule_;
  QComboBox* stage_;
};

}  // namespace mpm::gui
