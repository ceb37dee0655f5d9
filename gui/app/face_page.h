// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <vector>

#include "gui/app/face.h"
#include "gui/canvas/class_settings.h"
#include "monitor/engine/frame_result.h"

namespace mpm::gui {

/// The first page: asks what the window is for, with three pictures of what the camera sees right
/// now. Covers its window.
class FacePage : public QWidget {
  Q_OBJECT

 public:
  /// `views`: what each face looks like, in the order of Face; they take results of their own.
  FacePage(const std::vector<QWidget*>& views, QWidget* window);

  void cover();  ///< the window, whose size changed

 signals:
  void chosen(mpm::gui::Face face);

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace mpm::gui
