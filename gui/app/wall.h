// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gui/app/camera_name.h"
#include "gui/app/liveness.h"
#include "gui/app/status_line.h"
#include "gui/canvas/frame_view.h"
#include "monitor/engine/engine.h"

namespace mpm::gui {

/// All cameras that an engine watches, beside each other, each with its labels, its zones and how
/// it stands. A click (Space, Enter) on one brings it large, with the others below or at its right,
/// whichever leaves it more room; Escape or a click on its name brings all back. Strip and plots
/// follow the one that was brought large last, whose name is bold.
class Wall : public QWidget {
  Q_OBJECT

 public:
  explicit Wall(ClassSettings* classes, QWidget* parent = nullptr)
      : QWidget(parent), classes_(classes), grid_(new QGridLayout(this)) {
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setSpacing(kGap);
    setAccessibleName(tr("Wall of cameras"));
    timer_.setInterval(kEveryMs);
    connect(&timer_, &QTimer::timeout, this, &Wall::refresh);
  }

  /// Null: none. `books` and `names`: of each of its sources.
  void setEngine(std::shared_ptr<monitor::Engine> engine, std::vector<monitor::RuleBook> books,
                 const QStringList& names) {
    engine_ = std::move(engine);
    books_ = std::move(books);
    hadFocus_ = hadFocus_ || isAncestorOf(QApplication::focusWidget());
    for (const Tile& tile : tiles_) tile.box->deleteLater();
    tiles_.clear();
    large_ = -1;
    const std::size_t count = engine_ ? engine_->sources() : 0;
    for (std::size_t i = 0; i < count; ++i) addTile(static_cast<int>(i));
    setNames(names);
    arrange();
    refresh();
    if (count > 0 && std::exchange(hadFocus_, false)) takeFocus();
  }

  /// It ends. Its last pictures stay until the next one is there, and do nothing.
  void letGo() {
    engine_.reset();
    refresh();
  }

  /// Other rules of sources that stay.
  void setBooks(const std::vector<monitor::RuleBook>& books) {
    if (books.size() == books_.size()) books_ = books;
  }

  void setNames(const QStringList& names) {
    for (qsizetype i = 0; i < std::min<qsizetype>(names.size(), std::ssize(tiles_)); ++i) {
      const Tile& tile = tiles_[static_cast<std::size_t>(i)];
      tile.name->setName(names[i]);
      tile.remove->setAccessibleName(tr("No longer watch %1").arg(names[i]));
      tile.remove->setToolTip(tile.remove->accessibleName());
    }
  }

  /// Views say so, and their pictures are not called old.
  void setPaused(bool paused) {
    paused_ = paused;
    for (Tile& tile : tiles_) tile.view->setPaused(paused);
    refresh();
  }

  /// Whether each has a × that ends it; full screen has none.
  void setRemovable(bool removable) {
    removable_ = removable;
    for (const Tile& tile : tiles_) tile.remove->setVisible(removable);
  }

  int large() const { return large_; }  ///< -1: all are alike
  /// Which one strip and plots are of.
  void setChosen(std::size_t chosen) {
    chosen_ = chosen;
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
      QToolButton& name = *tiles_[i].name;
      QFont font = name.font();
      font.setBold(i == chosen);
      name.setFont(font);
      name.setAccessibleDescription(i == chosen ? tr("The strip and plots show this camera") : "");
    }
  }
  FrameView* view(int index) const { return tiles_[static_cast<std::size_t>(index)].view; }

  /// To the one that strip and plots are of.
  void takeFocus() {
    if (chosen_ < tiles_.size()) tiles_[chosen_].view->setFocus();
  }

  void enlarge(int index) {
    if (!engine_) return;
    large_ = index;
    arrange();
    if (index < 0) return;
    view(index)->setFocus();
    emit chosen(index);
  }

 signals:
  void chosen(int source);        ///< it was brought large
  void removeWanted(int source);  ///< no more to be watched

 protected:
  void showEvent(QShowEvent* event) override {
    QWidget::showEvent(event);
    refresh();
    timer_.start();
  }
  void hideEvent(QHideEvent* event) override {
    QWidget::hideEvent(event);
    timer_.stop();
    for (Tile& tile : tiles_) {  // no frames that nobody sees
      tile.view->setResult(nullptr);
      tile.shown.reset();
    }
  }

  void resizeEvent(QResizeEvent* event) override {
    QWidget::resizeEvent(event);
    if (large_ >= 0 || columns() != columns_) arrange();
  }

  // What a small one is clicked for is to be large; a large one is a view as any other.
  bool eventFilter(QObject* object, QEvent* event) override {
    const int index = indexOf(object);
    if (index < 0) return false;
    const bool isKey = event->type() == QEvent::KeyPress;
    const int key = isKey ? static_cast<QKeyEvent*>(event)->key() : 0;
    if (key == Qt::Key_Escape && large_ >= 0) {
      if (index == large_ && tiles_[static_cast<std::size_t>(index)].view->viewState()->pinned())
        return false;  // the token first
      enlarge(-1);
      return true;
    }
    if (index == large_) return false;
    const bool chosen = key == Qt::Key_Space || key == Qt::Key_Return || key == Qt::Key_Enter ||
                        event->type() == QEvent::MouseButtonRelease;
    if (chosen) enlarge(index);
    return chosen || event->type() == QEvent::MouseButtonPress ||
           event->type() == QEvent::MouseButtonDblClick || event->type() == QEvent::Wheel;
  }

 private:
  static constexpr int kEveryMs = 100, kSmallHeight = 150, kLeastHeight = 60;
  static constexpr int kGap = 4, kLeastWidth = 90;  // of a tile: its name

  struct Tile {
    QWidget* box;
    CameraName* name;
    QToolButton* remove;
    FrameView* view;
    monitor::FrameResultPtr shown;
  };

  int indexOf(const QObject* view) const {
    for (std::size_t i = 0; i < tiles_.size(); ++i)
      if (tiles_[i].view == view) return static_cast<int>(i);
    return -1;
  }

  void addTile(int index) {
    Tile tile{new QWidget(this),
              new CameraName(tr("Enlarges it, or shows all again")),
              new QToolButton,
              new FrameView(ViewKind::segmentation),
              {}};
    connect(tile.name, &QToolButton::clicked, this,
            [this, index] { enlarge(large_ == index ? -1 : index); });
    auto* line = new QHBoxLayout;
    line->addWidget(tile.name, 1);
    tile.remove->setText(QStringLiteral("×"));
    tile.remove->setAutoRaise(true);
    connect(tile.remove, &QToolButton::clicked, this, [this, index] {
      if (engine_) emit removeWanted(index);
    });
    line->addWidget(tile.remove);
    tile.view->setClasses(classes_);
    tile.view->setPaused(paused_);
    tile.view->setZones(books_[static_cast<std::size_t>(index)].zones);
    tile.view->installEventFilter(this);
    auto* column = new QVBoxLayout(tile.box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(1);
    column->addLayout(line);
    tile.remove->setVisible(removable_);  // with a parent, or it were a window
    column->addWidget(tile.view, 1);
    tiles_.push_back(std::move(tile));
  }

  // Width to height, as the cameras have it in the mean that are large, or that are small.
  double aspect(bool large) const {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < static_cast<int>(tiles_.size()); ++i) {
      const Tile& tile = tiles_[static_cast<std::size_t>(i)];
      if ((i == large_) != large || !tile.shown || tile.shown->frame.picture.empty()) continue;
      sum += static_cast<double>(tile.shown->frame.picture.cols) / tile.shown->frame.picture.rows;
      ++count;
    }
    return count > 0 ? sum / count : 4.0 / 3;
  }

  int nameHeight() const { return tiles_[0].name->sizeHint().height() + 1; }

  // What is left below a large one, whose picture is no wider than the wall. A large one has most
  // of the room, however low that is.
  int roomBelow() const {
    const int least = std::clamp(height() / 5, kLeastHeight, kSmallHeight) + nameHeight();
    const double large = width() / aspect(true) + nameHeight() + kGap;
    return std::clamp(static_cast<int>(height() - large), least, std::max(least, height() / 2));
  }

  // Of a grid of those that are small: as many as make their pictures largest.
  int columns() const {
    const int count = static_cast<int>(tiles_.size()) - (large_ >= 0 ? 1 : 0);
    const int room = large_ >= 0 ? roomBelow() : height();
    const double aspect = this->aspect(false);
    int best = 1;
    double highest = -1;
    for (int across = 1; across <= count; ++across) {
      const int down = (count + across - 1) / across;
      const double wide = (width() - kGap * (across - 1)) / static_cast<double>(across);
      const double high = (room - kGap * (down - 1)) / static_cast<double>(down) - nameHeight();
      if (across > 1 && wide < kLeastWidth) break;
      if (std::min(high, wide / aspect) <= highest) continue;
      highest = std::min(high, wide / aspect);
      best = across;
    }
    return best;
  }

  // Of those at the right of a large one.
  int besideWidth() const { return std::max(kLeastWidth, width() / 5); }

  // Whether a large one is larger with the others at its right than with them below.
  bool hasOthersBeside() const {
    const int small = static_cast<int>(tiles_.size()) - 1;
    if (large_ < 0 || small * (kLeastHeight / 2 + nameHeight() + kGap) > height()) return false;
    const double beside =
        std::min<double>(height() - nameHeight(), (width() - besideWidth() - kGap) / aspect(true));
    const double above =
        std::min<double>(height() - nameHeight() - kGap - roomBelow(), width() / aspect(true));
    return beside > above;
  }

  // The large one over all rows of the first column, and what the others leave free below them.
  void arrangeBeside() {
    const int small = static_cast<int>(tiles_.size()) - 1, width = besideWidth();
    const int most = (height() - kGap * (small - 1)) / small - nameHeight();
    const int high = std::min(static_cast<int>(width / aspect(false)), most);
    int row = 0;
    for (int i = 0; i <= small; ++i) {
      const Tile& tile = tiles_[static_cast<std::size_t>(i)];
      const bool isLarge = i == large_;
      tile.view->setTitled(isLarge);
      tile.view->setMinimumSize(kLeastWidth, isLarge ? kLeastHeight : kLeastHeight / 2);
      tile.view->setMaximumHeight(isLarge ? QWIDGETSIZE_MAX : high);
      if (isLarge) {
        grid_->addWidget(tile.box, 0, 0, small + 1, 1);
      } else {
        grid_->addWidget(tile.box, row++, 1);
      }
      tile.box->show();
    }
    const int left = height() - small * (high + nameHeight() + kGap);
    for (int i = 0; i < grid_->rowCount(); ++i)
      grid_->setRowStretch(i, i < small ? high + nameHeight() : i == small ? std::max(0, left) : 0);
    for (int i = 0; i < grid_->columnCount(); ++i)
      grid_->setColumnStretch(i, i == 0 ? this->width() - width : i == 1 ? width : 0);
  }

  // A box that is shown may resize the wall at once: then for another size, as the second time
  // sees.
  void arrange() {
    if (tiles_.empty() || std::exchange(isArranging_, true)) return;
    for (int time = 0; time < 2; ++time) hasOthersBeside() ? arrangeBeside() : arrangeBelow();
    isArranging_ = false;
  }

  // The large one alone in the first row.
  void arrangeBelow() {
    const int count = static_cast<int>(tiles_.size());
    const bool hasLarge = large_ >= 0;
    const int small = count - (hasLarge ? 1 : 0);
    const int across = columns_ = columns();
    const int down = (small + across - 1) / across;
    // Beside a panel all of them take no more than two rows do.
    const int least = std::max(kLeastHeight / 3, kLeastHeight * 2 / std::max(2, down));
    const int most = (roomBelow() - kGap * (down - 1)) / std::max(1, down) - nameHeight();
    int place = 0;
    for (int i = 0; i < count; ++i) {
      const Tile& tile = tiles_[static_cast<std::size_t>(i)];
      tile.view->setTitled(i == large_);  // it is a view as any other
      tile.view->setMinimumSize(least * 4 / 3, least);
      tile.view->setMaximumHeight(hasLarge && i != large_ ? std::max(least, most)
                                                          : QWIDGETSIZE_MAX);
      if (i == large_) {
        grid_->addWidget(tile.box, 0, 0, 1, across);
      } else {
        grid_->addWidget(tile.box, (hasLarge ? 1 : 0) + place / across, place % across);
        ++place;
      }
      tile.box->show();
    }
    for (int row = 0; row < grid_->rowCount(); ++row) {
      int share = hasLarge ? roomBelow() / std::max(1, down) : 1;
      if (hasLarge && row == 0) share = height() - roomBelow();
      grid_->setRowStretch(row, row < down + (hasLarge ? 1 : 0) ? std::max(1, share) : 0);
    }
    for (int column = 0; column < grid_->columnCount(); ++column)
      grid_->setColumnStretch(column, column < across ? 1 : 0);
  }

  void refresh() {
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
      Tile& tile = tiles_[i];
      if (!engine_) {
        const Liveness between = Liveness::between(tile.shown, paused_);
        if (between.oldMs) tile.view->setStale(*between.oldMs, between.state);
        continue;
      }
      const monitor::FrameResultPtr newest = engine_->latest(i);
      if (newest && newest != tile.shown) tile.view->setResult(newest);
      const bool isFirst = newest && !std::exchange(tile.shown, newest);
      if (isFirst && (large_ >= 0 || columns() != columns_)) arrange();  // its shape is known now
      tile.shown = newest;
      tile.view->setLitZones(StatusLine::litZones(*engine_, i, books_[i]));
      const Liveness live = Liveness::of(*engine_, i, paused_);
      if (!newest) {
        tile.view->setEmptyText(live.instead());
      } else if (live.oldMs) {
        const bool hasRoom = tile.view->height() > kSmallHeight;  // beside what it is about
        tile.view->setStale(*live.oldMs, hasRoom ? live.why() : live.state);
      } else {
        tile.view->setLive();
      }
    }
  }

  std::shared_ptr<monitor::Engine> engine_;
  std::vector<monitor::RuleBook> books_;
  ClassSettings* classes_;
  QGridLayout* grid_;
  std::vector<Tile> tiles_;
  int large_ = -1;
  int columns_ = 1;  // of the grid, as it was arranged
  std::size_t chosen_ = 0;
  bool hadFocus_ = false;  // before its views went
  bool paused_ = false, removable_ = true, isArranging_ = false;
  QTimer timer_;
};

}  // namespace mpm::gui
