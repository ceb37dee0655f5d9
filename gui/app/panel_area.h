// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QScrollArea>

namespace mpm::gui {

/// What holds a panel below the pictures: as high as its content needs at least. In a window that
/// has no room for that beside the least of everything else, it scrolls.
class PanelArea : public QScrollArea {
 public:
  explicit PanelArea(QWidget* content);

  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  int leastHeight(int width) const;
  void fit();
};

}  // namespace mpm::gui
