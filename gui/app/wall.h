// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QTimer>
#include <QWidget>
#include <cstddef>
#include <vector>

#include "gui/app/session.h"
#include "monitor/engine/frame_result.h"

class QToolButton;

namespace mpm::gui {

class CameraName;
class FrameView;

/// Shows all cameras of an engine side by side, with labels, zones and state. A click (Space,
/// Enter) enlarges one; the others go below or to its right, whichever leaves more room. Escape or
/// a click on its name restores all. Strip and plots follow the one enlarged last, whose name is
/// bold.
class Wall : public QWidget {
  Q_OBJECT

 public:
  explicit Wall(Session& session);

  /// Sets whether each has a × that ends it; full screen has none.
  void setRemovable(bool removable);
  int large() const { return large_; }  ///< -1: all are alike
  FrameView* view(int index) const { return tiles_[static_cast<std::size_t>(index)].view; }
  void takeFocus();  ///< to the one that strip and plots are of
  void enlarge(int index);

  QSize minimumSizeHint() const override;

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  struct Tile {
    QWidget* box;
    CameraName* name;
    QToolButton* remove;
    FrameView* view;
    ClassSettings* classes;
    monitor::FrameResultPtr shown{};
  };

  void begin();
  void end();
  void addTile(int index);
  void nameThem();
  void nameClasses();
  void showChosen();
  int indexOf(const QObject* view) const;
  double aspect(bool large) const;
  int nameHeight() const;
  std::vector<QRect> gridIn(const QRect& room, int count) const;
  void arrange();
  void refresh();

  Session& session_;
  std::vector<Tile> tiles_;
  int large_ = -1;
  bool hadFocus_ = false;  // before its views went
  bool removable_ = true;
  QTimer timer_;
};

}  // namespace mpm::gui
