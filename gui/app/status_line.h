// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QStatusBar>

#include "gui/app/live.h"
#include "gui/app/view_deck.h"

namespace mpm::gui {

/// How things stand: sentences, what lies under the cursor, how far merged and full tokens agree,
/// what is wrong, whether the picture is live. Tells the views where theirs is old.
class StatusLine : public QStatusBar {
  Q_OBJECT

 public:
  explicit StatusLine(ViewDeck* deck, QWidget* parent = nullptr);

  void say(const QString& sentence, bool bad);  ///< a bad one stays until the next
  void setComparing(bool on);
  void showAgreement(const monitor::FrameResult& result);  ///< nothing without full tokens
  void showState(const Live& live, bool paused, bool measuring);

 private:
  ViewDeck* deck_;
  QLabel *underCursor_, *agreement_, *fault_, *state_;
};

}  // namespace mpm::gui
